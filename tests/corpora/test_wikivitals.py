"""WikiVitals: the counts of the files at hand, paths as labels, and files that do not fit together."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from rubricate.corpora import load
from rubricate.errors import CorpusMissing, DigestMismatch, InvalidFile
from rubricate.hierarchy import Hierarchy


def test_counts_and_structure(data_folder: Path) -> None:
    corpus = load("wikivitals", folder=data_folder)
    assert (len(corpus.train), len(corpus.test), len(corpus.categories)) == (2403, 1202, 827)
    assert (corpus.train.labels.nnz, corpus.test.labels.nnz) == (2403, 1202)
    assert corpus.taxonomy is not None
    tree = Hierarchy.from_edges(corpus.taxonomy, root="Root")
    assert (len(tree) - 1, tree.structure(corpus.categories)) == (1186, "virtual tree")
    assert set(corpus.train.ids).isdisjoint(corpus.test.ids)


def test_the_published_test_file_is_held_out(data_folder: Path) -> None:
    corpus = load("wikivitals", folder=data_folder, split="heldout")
    assert (len(corpus.train), len(corpus.test)) == (1602, 2003)
    assert corpus.train.bodies[0].startswith("Gerhard Richter (German: [ˈʁɪçtɐ]; born 9 February 1932)")
    assert corpus.categories[corpus.train.labels[[0]].indices[0]] == "Modern era"


def test_a_path_gives_every_category_on_it(data_folder: Path) -> None:
    corpus = load("wikivitals", folder=data_folder, split="heldout", path=True)
    named = {corpus.categories[i] for i in corpus.train.labels[[0]].indices}
    assert named == {"People", "Visual artists", "Western painters and illustrators", "Modern era"}
    assert corpus.taxonomy is not None
    assert corpus.split == "heldout-path"
    tree = Hierarchy.from_edges(corpus.taxonomy)
    assert named == {*tree.ancestors("Modern era"), "Modern era"} - {"Root"}


def write(folder: Path, name: str, *lines: object) -> None:
    path = folder / "hwv" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))


@pytest.fixture
def files(tmp_path: Path, without_digests: Callable[[str], None]) -> Path:
    without_digests("wikivitals")
    write(tmp_path, "hwv.taxonomy", "Root\tArts\tHistory", "Arts\tMusic")
    write(tmp_path, "hwv_val.json", *[{"token": [f"text {i}"], "label": ["Arts", "Music"]} for i in range(4)])
    write(tmp_path, "hwv_test.json", *[{"token": ["two", "parts"], "label": ["History"]} for _ in range(2)])
    return tmp_path


def test_the_own_split_follows_the_seed(files: Path) -> None:
    first, again, other = (load("wikivitals", folder=files, seed=seed) for seed in (0, 0, 3))
    assert (len(first.train), len(first.test), first.split) == (4, 2, "own")
    assert first.test.ids == again.test.ids
    assert (first.test.ids != other.test.ids, other.split) == (True, "own-seed-3")


def test_the_published_split_needs_its_training_file(files: Path) -> None:
    with pytest.raises(CorpusMissing, match=r"hwv_train\.json"):
        load("wikivitals", folder=files, split="published")
    write(files, "hwv_train.json", {"token": ["x"], "label": ["History"]})
    corpus = load("wikivitals", folder=files, split="published")
    assert (len(corpus.train), len(corpus.test), corpus.test.bodies[0]) == (5, 2, "two parts")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{broken", "line 1: broken JSON"),
        ("[]", "expected a list of strings under 'token'"),
        ({"token": ["x"]}, "expected a list of strings under 'label'"),
        ({"token": ["x"], "label": []}, "expected a list of strings under 'label'"),
        ({"token": "x", "label": ["Arts"]}, "expected a list of strings under 'token'"),
        ({"token": ["x"], "label": ["History", "Music"]}, "no 'Music' below 'History'"),
        ({"token": ["x"], "label": ["Sport"]}, "no 'Sport' below 'Root'"),
    ],
)
def test_broken_documents(files: Path, line: object, problem: str) -> None:
    write(files, "hwv_val.json", line)
    with pytest.raises(InvalidFile, match=problem):
        load("wikivitals", folder=files)


def test_a_file_that_is_not_the_one_on_record_is_refused(tmp_path: Path) -> None:
    for name in ("hwv.taxonomy", "hwv_val.json", "hwv_test.json"):
        write(tmp_path, name, "Root\tArts")
    with pytest.raises(DigestMismatch, match=r"hwv\.taxonomy"):
        load("wikivitals", folder=tmp_path)
