"""Counts by partitions of the documents are those of one process."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tally import count_cases

import rubricate as rb
from rubricate import registry
from rubricate.engines import spread_over
from rubricate.errors import InvalidInput
from rubricate.text import Analyzer, Vectors
from rubricate.text import counts as partitions
from rubricate.types import Documents

LOAD = registry.load
TEXTS = st.lists(st.text(alphabet="aab c'ß😀.1", max_size=30), min_size=1, max_size=12)
ANALYZERS = (
    Analyzer(stop=None, stem=None, min_length=1),
    Analyzer(tokens="words", stop=None, stem=None, min_length=1, ngrams=(1, 3)),
    Analyzer(tokens="characters", ngrams=(2, 4)),
    Analyzer(tokens="characters", ngrams=(2, 4), hashing=64),
    Analyzer(tokens="web", stop=None, negation=True, title="mark"),
)


class Cluster:
    """Stands in for one: the function, the tasks and the results are copies."""

    def __init__(self):
        self.tasks = 0

    def __call__(self, function, tasks, address=None):
        function = pickle.loads(pickle.dumps(function))
        for task in tasks:
            self.tasks += 1
            yield pickle.loads(pickle.dumps(function(pickle.loads(pickle.dumps(task)))))


@pytest.fixture(scope="module")
def small():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partitions, "PARTITION", 20)
        yield patch


@pytest.mark.slow
@pytest.mark.parametrize("analyzer", ANALYZERS, ids=Analyzer.signature)
@settings(max_examples=15)
@given(texts=TEXTS, titled=st.booleans())
def test_the_same_vectors_from_partitions(small, analyzer, texts, titled):
    labels = np.zeros((len(texts), 0), bool)
    titles = texts[::-1] if titled else None
    documents = Documents([str(i) for i in range(len(texts))], texts, labels, (), titles=titles)
    try:
        whole = Vectors(analyzer)
        here = whole.fit_transform(documents)
    except InvalidInput:
        count_cases(0)
        return
    cluster = Cluster()
    small.setattr(registry, "load", lambda kind, name: cluster)
    with spread_over("far"):
        parts = Vectors(analyzer)
        there = parts.fit_transform(documents)
        again = whole.transform(documents)
    assert parts.vocabulary_ == whole.vocabulary_
    for own in (there, again):
        assert np.array_equal(own.indptr, here.indptr)
        assert np.array_equal(own.indices, here.indices)
        assert np.array_equal(own.data, here.data)
    size = sum(map(len, texts)) * (1 + titled)
    assert cluster.tasks > 1 or size < 60
    count_cases()


def test_what_is_wrong_is_named_before_anything_is_sent(small):
    cluster = Cluster()
    small.setattr(registry, "load", lambda kind, name: cluster)
    with spread_over("far"), pytest.raises(InvalidInput, match="document 1 "):
        Vectors().fit(["wheat and corn are grains", None])
    with spread_over("far"), pytest.raises(InvalidInput, match="no documents"):
        Vectors().fit([])
    assert cluster.tasks == 0


@pytest.mark.slow
def test_a_training_counts_on_the_cluster(small):
    cluster = Cluster()
    small.setattr(registry, "load", lambda kind, name: cluster if name == "far" else LOAD(kind, name))
    texts, labels = ["wheat and corn", "crude oil and gas"] * 5, ["grain", "fuel"] * 5
    there = rb.Categorizer("nb", folds=0, cut="rcut:1", engine="far").fit(texts, labels)
    assert cluster.tasks > 1
    here = rb.Categorizer("nb", folds=0, cut="rcut:1").fit(texts, labels)
    assert np.array_equal(here.decision_function(texts), there.decision_function(texts))
