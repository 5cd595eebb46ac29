"""What holds for every corpus: its source is complete, and what it reads is a proper Corpus of the stated size."""

from __future__ import annotations

import os
import re

import numpy as np
import pytest

from rubricate import registry
from rubricate.corpora import load, missing, source
from rubricate.corpora.sources import Source

pytestmark = pytest.mark.slow

SOURCES = [source(name) for name in registry.names("corpora")]
REQUIRED = {"newsgroups20", "newswire", "reuters21578", "webkb"}
SPLITS = [
    pytest.param((each, split), marks=[pytest.mark.proof] if number else [], id=f"{each.name}-{split}")
    for each in SOURCES
    for number, split in enumerate(each.splits)
]
"""The first split of each corpus is read in every run; the others are read from the same files."""


def name_of(each: Source) -> str:
    return each.name


@pytest.fixture(scope="module", params=SPLITS)
def corpus(request):
    """Each split that is on this machine, read once for all tests."""
    each, split = request.param
    if absent := missing(each, split):
        if os.environ.get("RUBRICATE_REQUIRE_CORPORA") and each.name in REQUIRED:
            pytest.fail(f"{each.name}, {split}: no {', '.join(absent)}")
        pytest.skip(f"{each.name}, {split}: not on this machine")
    return load(each.name, split=split)


@pytest.mark.parametrize("each", SOURCES, ids=name_of)
def test_a_source_is_complete(each):
    assert each.name in registry.names("corpora")
    assert each.title
    assert len(each.licence) > 10
    assert each.splits
    assert len(set(each.splits)) == len(each.splits)
    assert set(each.counts) <= set(each.splits)
    assert each.synthetic == (not each.files), "what has no files is generated, and says so"
    assert not each.synthetic or "synthetic" in each.title.lower()


@pytest.mark.parametrize("each", SOURCES, ids=name_of)
def test_files_can_be_fetched_and_known(each):
    for file in each.files:
        assert not file.name.startswith(("/", "\\", "."))
        assert all(address.startswith(("http://", "https://")) for address in file.addresses)
        digests = [digest for digest in (file.sha256, *file.members.values()) if digest]
        assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in digests)
        assert set(file.splits) <= set(each.splits)


def test_counts_are_as_expected(corpus):
    each = source(corpus.name)
    assert corpus.split in each.splits
    assert corpus.synthetic == each.synthetic
    assert corpus.licence
    if corpus.split in each.counts:
        expected = each.counts[corpus.split]
        found = (len(corpus.train), len(corpus.test), len(corpus.categories))
        assert found == (expected.train, expected.test, expected.categories)


def test_ids_are_unique_and_train_and_test_apart(corpus):
    train, test = set(corpus.train.ids), set(corpus.test.ids)
    assert len(train) == len(corpus.train)
    assert len(test) == len(corpus.test)
    assert not train & test


def test_labels_are_canonical(corpus):
    assert list(corpus.categories) == sorted(set(corpus.categories))
    assert "" not in corpus.categories
    for documents in (corpus.train, corpus.test):
        assert documents.labels.dtype == bool
        assert documents.labels.format == "csr"
        assert documents.labels.data.all()
        rows = np.repeat(np.arange(len(documents)), np.diff(documents.labels.indptr))
        steps = np.diff(rows) * len(documents.categories) + np.diff(documents.labels.indices.astype(np.int64))
        assert (steps > 0).all(), "sorted, and each label once"


def test_texts_are_text(corpus):
    for documents in (corpus.train, corpus.test):
        assert all(isinstance(text, str) for text in documents.bodies)
        assert sum(bool(text.strip()) for text in documents.texts) >= 0.99 * len(documents)
    if corpus.taxonomy is not None:
        assert set(corpus.categories) & {name for edge in corpus.taxonomy for name in edge}
