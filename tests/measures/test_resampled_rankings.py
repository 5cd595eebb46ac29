"""Resampled rankings of categories: the same as measuring the documents that were drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.measures.strategies import scored, sparsified

from rubricate.labels import indicator
from rubricate.measures import break_even_point, mean, ranks, sweeps
from rubricate.measures.evaluation_intervals import SortedRankings
from rubricate.measures.rankings import average_precision, eleven_point, r_precision
from rubricate.measures.threshold_sweeps import optimal_f1


def drawn_measures(scores, truth):
    labels = indicator(truth)
    places = ranks(scores, labels, by="category")
    cuts = [found.counts for found in sweeps(scores, labels)]
    return {
        "average_precision": average_precision(places),
        "r_precision": r_precision(places),
        "eleven_point": eleven_point(places),
        "break_even": np.array([break_even_point(one, undefined="omit").value for one in cuts]),
        "optimal_f1": np.array([optimal_f1(one, undefined="omit")[0] for one in cuts]),
    }


@pytest.mark.slow
@given(scored(), st.integers(0, 2**16))
def test_weights_are_repeated_documents(pair, seed):
    scores, truth = pair
    rows = np.random.default_rng(seed).integers(0, len(scores), len(scores))
    weights = np.bincount(rows, minlength=len(scores))
    for given_scores in (scores, sparsified(scores, -np.inf), sparsified(scores, -2.0)):
        dense = np.maximum(scores, -2.0) if given_scores is not scores and given_scores.floor == -2.0 else scores
        found = SortedRankings.of(given_scores, indicator(truth)).values(weights)
        for name, expected in drawn_measures(dense[rows], truth[rows]).items():
            if name in ("break_even", "optimal_f1"):
                expected = settled(expected, dense[rows], truth[rows])
            assert found[name] == pytest.approx(expected, abs=1e-12, nan_ok=True), name


@given(scored(), st.integers(0, 2**16))
def test_pooled_is_one_ranking_of_all_pairs(pair, seed):
    scores, truth = pair
    rows = np.random.default_rng(seed).integers(0, len(scores), len(scores))
    weights = np.bincount(rows, minlength=len(scores))
    found = SortedRankings.of(scores, indicator(truth), pooled=True).values(weights)
    drawn = scores[rows].reshape(-1, 1), truth[rows].reshape(-1, 1)
    for name in ("break_even", "optimal_f1"):
        assert found[name] == pytest.approx(settled(drawn_measures(*drawn)[name], *drawn), abs=1e-12, nan_ok=True)


def settled(values, scores, truth):
    """A category with true documents none of which is ranked has no cut at all: 0 here, 0/0 for an empty family."""
    unranked = truth.any(axis=0) & np.isnan(values)
    assert not (scores > -np.inf)[:, unranked].any()
    return np.where(unranked, 0.0, values)


def test_the_means_follow_the_convention():
    ranked = SortedRankings.of(np.array([[0.9, 0.1], [0.2, 0.3]]), indicator([[1, 0], [0, 0]]))
    weights = np.array([1, 1])
    assert ranked.means(weights, "zero")["optimal_f1"] == 0.5
    assert ranked.means(weights, "omit")["optimal_f1"] == 1.0
    assert ranked.means(weights, "zero")["average_precision"] == 1.0 == mean(np.array([1.0, np.nan]))
