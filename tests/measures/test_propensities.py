"""Propensity-scored precision: the formula by hand, a plain twin, properties, wrong input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import rubricate as rb
from rubricate.errors import InvalidInput
from rubricate.types import Scores


def by_hand(best, truth, propensity, k):
    """jain2016, equation for PSP@k, one document at a time."""
    got = ideal = 0.0
    for row, own in zip(best, truth, strict=True):
        got += sum(1 / propensity[c] for c in set(row[:k]) if c >= 0 and own[c])
        ideal += sum(sorted((1 / propensity[c] for c in np.flatnonzero(own)), reverse=True)[:k])
    return got / ideal if ideal else 0.0


@st.composite
def cases(draw):
    documents, categories = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    truth = rng.random((documents, categories)) < 0.4
    scores = rng.integers(0, 4, (documents, categories)).astype(float)
    propensity = rng.uniform(0.05, 1, categories)
    return truth, scores, propensity, draw(st.integers(1, 5))


@given(cases())
def test_it_is_the_formula(case):
    truth, scores, propensity, k = case
    names, ids = tuple(map(str, range(truth.shape[1]))), [str(i) for i in range(len(truth))]
    best = Scores(scores, names, ids).ranking(k)
    value = rb.measures.propensity_precision(best, sparse.csr_array(truth), propensity, k)
    assert value == pytest.approx(by_hand(best.tolist(), truth, propensity, k))
    assert 0 <= value <= 1 + 1e-12


@given(cases())
def test_the_best_ranking_has_one_and_an_empty_ranking_none(case):
    truth, _, propensity, k = case
    best = np.argsort(np.where(truth, propensity, 2.0), axis=1, kind="stable")
    best = np.pad(best, ((0, 0), (0, 5)), constant_values=-1)
    labels = sparse.csr_array(truth)
    value = rb.measures.propensity_precision(best, labels, propensity, k)
    assert value == pytest.approx(1.0 if truth.any() else 0.0)
    assert rb.measures.propensity_precision(np.full((len(truth), k), -1), labels, propensity, k) == 0


def test_propensities_by_hand():
    """jain2016, section 3.3: A = .55, B = 1.5; N = 1,000 documents, n = 4."""
    scale = (math.log(1000) - 1) * 2.5**0.55
    expected = 1 / (1 + scale * math.exp(-0.55 * math.log(4 + 1.5)))
    assert rb.measures.propensities([4], 1000)[0] == pytest.approx(expected)
    assert np.all(np.diff(rb.measures.propensities(np.arange(1000), 1000)) > 0)
    assert rb.measures.propensities([0, 1, 2], 2).tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(("counts", "documents"), [([-1], 10), ([11], 10), ([[1]], 10), ([math.nan], 10)])
def test_wrong_counts(counts, documents):
    with pytest.raises(InvalidInput, match="training counts"):
        rb.measures.propensities(counts, documents)
    with pytest.raises(InvalidInput, match="above 0"):
        rb.measures.propensities([1], 10, A=0)


@pytest.mark.parametrize(
    ("best", "propensity", "k", "reason"),
    [
        ([[0], [1]], [0.5, 0.5], 2, "needs the 2 best"),
        ([[0]], [0.5, 0.5], 1, "of 2 documents"),
        ([[0], [2]], [0.5, 0.5], 1, "outside of the 2"),
        ([[0], [-2]], [0.5, 0.5], 1, "outside of the 2"),
        ([[0], [1]], [0.5], 1, "2 numbers"),
        ([[0], [1]], [0.0, 0.5], 1, "above 0"),
        ([[0], [1]], [0.5, 1.5], 1, "at most 1"),
    ],
)
def test_wrong_input(best, propensity, k, reason):
    truth = sparse.csr_array(np.eye(2, dtype=bool))
    with pytest.raises(InvalidInput, match=reason):
        rb.measures.propensity_precision(best, truth, propensity, k)
