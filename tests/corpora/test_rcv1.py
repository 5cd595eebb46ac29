"""RCV1: small files in the published formats; the tree itself where it is at hand."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from rubricate.corpora import load, source
from rubricate.errors import CorpusMissing, InvalidFile
from rubricate.hierarchy import Hierarchy

TREE = """parent: None    child: Root    child-description: No Description
parent: Root    child: ECAT    child-description: ECONOMICS
parent: ECAT    child: E11     child-description: ECONOMIC PERFORMANCE
parent: Root    child: MCAT    child-description: MARKETS
"""
QRELS = "E11 2286 1\nECAT 2286 1\nMCAT 2287 1\nECAT 26151 1\nMCAT 26152 1\nECAT 26152 1\n"


def write(folder: Path, name: str, text: str) -> None:
    path = folder / "rcv1" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())


@pytest.fixture
def files(tmp_path: Path, without_digests: Callable[[str], None]) -> Path:
    without_digests("rcv1")
    write(tmp_path, "rcv1.topics.hier.orig", TREE)
    write(tmp_path, "rcv1-v2.topics.qrels.gz", QRELS)
    write(
        tmp_path,
        "lyrl2004_tokens_train.dat.gz",
        ".I 2286\n.W\nrecov recov excit\nbring mexic\n\n.I 2287\n.W\nusa tyson\n\n",
    )
    write(tmp_path, "lyrl2004_tokens_test_pt0.dat.gz", ".I 26151\n.W\npolic\n\n")
    write(tmp_path, "lyrl2004_tokens_test_pt1.dat.gz", ".I 26152\n.W\n")
    for part in (2, 3):
        write(tmp_path, f"lyrl2004_tokens_test_pt{part}.dat.gz", "")
    return tmp_path


def test_stories_topics_and_tree(files: Path) -> None:
    corpus = load("rcv1", folder=files)
    assert (corpus.train.ids, corpus.test.ids) == (["2286", "2287"], ["26151", "26152"])
    assert list(corpus.train.bodies) == ["recov recov excit bring mexic", "usa tyson"]
    assert list(corpus.test.bodies) == ["polic", ""]
    assert corpus.categories == ("E11", "ECAT", "MCAT")
    assert corpus.train.labels.toarray().astype(int).tolist() == [[1, 1, 0], [0, 0, 1]]
    assert corpus.test.labels.toarray().astype(int).tolist() == [[0, 1, 0], [0, 1, 1]]
    assert corpus.taxonomy is not None
    assert Hierarchy.from_edges(corpus.taxonomy).structure(corpus.categories) == "tree"


def test_unpacked_files_are_found_as_well(files: Path) -> None:
    packed = load("rcv1", folder=files)
    for path in (files / "rcv1").glob("*.gz"):
        path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
        path.unlink()
    plain = load("rcv1", folder=files)
    assert list(plain.train.bodies) == list(packed.train.bodies)
    assert plain.test.ids == packed.test.ids


def test_one_test_file_alone(files: Path) -> None:
    (files / "rcv1" / "lyrl2004_tokens_test_pt3.dat.gz").unlink()
    assert load("rcv1", folder=files, split="lyrl2004-pt0").test.ids == ["26151"]
    with pytest.raises(CorpusMissing, match=r"test_pt3\.dat\.gz"):
        load("rcv1", folder=files)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("rcv1-v2.topics.qrels.gz", "E11 2286\n", r"qrels\.gz, line 1: expected 'topic story 1'"),
        ("rcv1-v2.topics.qrels.gz", "E11 2286 1\n", r"train\.dat\.gz, line 6: story 2287 has no topics"),
        ("rcv1-v2.topics.qrels.gz", QRELS + "XCAT 2287 1\n", "'XCAT', which is not among the 3 categories"),
        ("lyrl2004_tokens_train.dat.gz", "recov\n", r"line 1: a story must start with \.I"),
        ("lyrl2004_tokens_train.dat.gz", ".I x\n", r"line 1: no number after \.I"),
        (
            "lyrl2004_tokens_train.dat.gz",
            ".I 2286\n.W\na\n.I 2286\n.W\nb\n",
            "document 2 has the id '2286' of document 1",
        ),
    ],
)
def test_broken_files(files: Path, name: str, content: str, problem: str) -> None:
    write(files, name, content)
    with pytest.raises(InvalidFile, match=problem):
        load("rcv1", folder=files)


def test_an_archive_cut_short(files: Path) -> None:
    path = files / "rcv1" / "lyrl2004_tokens_train.dat.gz"
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(InvalidFile, match="cut short"):
        load("rcv1", folder=files)


def test_published_counts_are_on_record() -> None:
    # lewis2004, section 5: 23,149 training and 781,265 test documents, 804,414 in all
    expected = source("rcv1").counts["lyrl2004"]
    assert (expected.train, expected.test, expected.train + expected.test) == (23_149, 781_265, 804_414)
    assert source("rcv1").counts["lyrl2004-pt0"].test + 199_339 + 199_576 + 183_022 == 781_265
