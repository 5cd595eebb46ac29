"""Vectors of numbered documents are those of the texts."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import rubricate as rb
from rubricate.experiments.numbered import CountedDocuments, NumberedVectors, numbers
from rubricate.text.analyzer import Analyzer
from rubricate.text.vectors import Vectors


@pytest.fixture(scope="module")
def corpus():
    return rb.load("newswire", documents=600)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("analyzer", "shape"),
    [
        (Analyzer(title="mark"), {"weights": "ltc"}),
        (Analyzer(stem=None, stop=None, tokens="alphanumeric", min_length=1), {"weights": "ltc", "min_df": 2}),
        (Analyzer(title=2), {"weights": "nnn", "select": "chi2:200"}),
    ],
)
def test_numbers_and_texts_give_the_same_vectors(corpus, analyzer, shape):
    documents = CountedDocuments(corpus.train, corpus.test)
    kept = np.flatnonzero(np.arange(len(corpus.train)) % 3 != 0)
    texts = Vectors(analyzer, **shape)
    numbered = clone(NumberedVectors(documents, analyzer=analyzer, **shape))
    part, labels = corpus.train.take(kept), corpus.train.labels[kept]
    wanted = texts.fit_transform(part, labels)
    given = numbered.fit_transform(numbers(0, len(corpus.train))[kept], labels)
    assert numbered.vocabulary_ == texts.vocabulary_
    np.testing.assert_array_equal(given.toarray(), wanted.toarray())
    tested = numbers(len(corpus.train), len(corpus.test))
    np.testing.assert_array_equal(numbered.transform(tested).toarray(), texts.transform(corpus.test).toarray())
