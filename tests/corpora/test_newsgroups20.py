"""20 Newsgroups: the published counts, headers kept and removed, messages that are not UTF-8."""

from __future__ import annotations

from pathlib import Path

import pytest
from sklearn.datasets._twenty_newsgroups import strip_newsgroup_header

from rubricate.corpora import load
from rubricate.errors import UnknownName
from rubricate.hierarchy import Hierarchy
from rubricate.types import Corpus

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def bydate(data_folder: Path) -> Corpus:
    return load("newsgroups20", folder=data_folder)


def test_counts(bydate: Corpus) -> None:
    assert (len(bydate.train), len(bydate.test), len(bydate.categories)) == (11314, 7532, 20)
    position = bydate.categories.index("comp.graphics")
    # the folder listing of the archive: 584 and 389 messages
    assert int(bydate.train.labels.sum(axis=0)[position]) == 584
    assert int(bydate.test.labels.sum(axis=0)[position]) == 389
    assert set(bydate.train.ids).isdisjoint(bydate.test.ids)


def test_the_dotted_names_are_a_taxonomy(bydate: Corpus) -> None:
    assert bydate.taxonomy is not None
    tree = Hierarchy.from_edges(bydate.taxonomy)
    assert tree.children(tree.root) == ("alt", "comp", "misc", "rec", "sci", "soc", "talk")
    assert tree.structure(bydate.categories) == "virtual tree"
    assert set(tree.leaves) == set(bydate.categories)


def test_headers_are_removed_as_scikit_learn_does(data_folder: Path, bydate: Corpus) -> None:
    bare = load("newsgroups20", folder=data_folder, headers="remove")
    assert bare.split == "bydate-headers-remove"
    assert bare.test.ids == bydate.test.ids
    for kept, removed in zip(bydate.test.bodies, bare.test.bodies, strict=True):
        assert removed == strip_newsgroup_header(kept)


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    messages = {
        "20news-bydate-train/sci.med/1": b"From: a\nSubject: Caf\xe9\n\nText\nwith \xe9\n",
        "20news-bydate-test/sci.space/1": "From: b\n\nnaïve\r\nend".encode(),
        "20news-bydate-test/sci.space/2": b"no headers at all",
        "elsewhere/sci.space/3": b"not part of it",
    }
    for name, message in messages.items():
        path = tmp_path / "20news-bydate" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(message)
    return tmp_path


def test_subjects_and_encodings(unpacked: Path) -> None:
    corpus = load("newsgroups20", folder=unpacked, headers="subject")
    assert (corpus.train.titles, list(corpus.train.bodies)) == (["Café"], ["Text\nwith é\n"])
    assert (corpus.test.titles, list(corpus.test.bodies)) == (["", ""], ["naïve\nend", ""])
    assert corpus.test.ids == ["sci.space/1", "sci.space/2"]
    kept = load("newsgroups20", folder=unpacked)
    assert kept.train.titles is None
    assert kept.test.bodies[1] == "no headers at all"


def test_an_unknown_way_with_headers(unpacked: Path) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'remove'"):
        load("newsgroups20", folder=unpacked, headers="removed")
