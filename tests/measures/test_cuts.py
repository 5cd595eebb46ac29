"""Families of cuts: sweeps, break-even points and optimal F1 against trying every threshold."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.measures.strategies import scored, sparsified
from tests.oracles import measures as oracle
from tests.tally import count_cases

from rubricate.errors import InvalidInput
from rubricate.labels import indicator
from rubricate.measures import best_cut, break_even_point, counts, family, pooled_sweep, ranks, sweeps
from rubricate.measures.contingency import f1, precision, recall
from rubricate.measures.rankings import r_precision
from rubricate.measures.threshold_sweeps import break_even, optimal_f1
from rubricate.types import Counts


def tables(found):
    return list(zip(*(getattr(found, cell).tolist() for cell in ("tp", "fp", "fn", "tn")), strict=True))


def counts_of(rows):
    return Counts(*(np.array(column) for column in zip(*rows, strict=True)))


@given(scored())
def test_sweeps_are_all_thresholds_tried_one_by_one(pair):
    scores, truth = pair
    for c, found in enumerate(sweeps(scores, indicator(truth))):
        assert found.thresholds.tolist() == oracle.thresholds(scores[:, c].tolist())
        assert tables(found.counts) == oracle.cuts(scores[:, c].tolist(), truth[:, c].tolist())
    pooled = pooled_sweep(scores, indicator(truth))
    assert tables(pooled.counts) == oracle.cuts(scores.ravel().tolist(), truth.ravel().tolist())


@given(scored(), st.sampled_from([-math.inf, -2.0, 0.0, 0.25, 0.5]))
def test_sweeps_of_sparse_scores_are_those_of_the_dense_ones(pair, floor):
    scores, truth = pair
    labels, stored, dense = indicator(truth), sparsified(scores, floor), np.maximum(scores, floor)
    pairs = zip(
        [*sweeps(stored, labels), pooled_sweep(stored, labels)],
        [*sweeps(dense, labels), pooled_sweep(dense, labels)],
        strict=True,
    )
    for ours, theirs in pairs:
        assert ours.thresholds.tolist() == theirs.thresholds.tolist()
        assert tables(ours.counts) == tables(theirs.counts)


def test_a_floor_among_the_stored_scores_of_a_bare_matrix():
    from scipy import sparse

    values = sparse.csr_array(np.array([[-1.0, 0.0], [2.0, 0.0]]))
    found = pooled_sweep(values, indicator([[1, 0], [0, 1]]))
    assert found.thresholds.tolist() == [2.0, 0.0, -1.0]
    assert (found.counts.tp + found.counts.fp).tolist() == [1, 3, 4]


@given(scored())
def test_break_even_and_optimal_f1_agree_with_their_slow_twins(pair):
    scores, truth = pair
    for c, found in enumerate(sweeps(scores, indicator(truth))):
        every = oracle.cuts(scores[:, c].tolist(), truth[:, c].tolist())
        point = break_even_point(found.counts, undefined="omit")
        exact = oracle.break_even(every)
        if exact is None:
            assert math.isnan(point.value)
        else:
            assert (point.value, point.interpolated) == (pytest.approx(float(exact[0]), rel=1e-14), exact[1])
            best = optimal_f1(found.counts)[0]
            assert best == pytest.approx(float(oracle.optimal_f1(every) or 0), rel=1e-14)
            if not point.interpolated:
                assert point.value <= best + 1e-15


@given(st.lists(st.floats(-5, 5, allow_nan=False), min_size=1, max_size=12, unique=True), st.data())
def test_without_ties_break_even_is_true_and_the_precision_at_rank_n(scores, data):
    truth = data.draw(st.lists(st.integers(0, 1), min_size=len(scores), max_size=len(scores)))
    column, labels = np.array(scores)[:, None], indicator(np.array(truth)[:, None])
    found = next(sweeps(column, labels)).counts
    point = break_even_point(found, undefined="omit")
    if not sum(truth):
        count_cases(0)
        return
    assert not point.interpolated
    assert point.value == pytest.approx(r_precision(ranks(column, labels, by="category"))[0])
    assert precision(found)[point.cut] == recall(found)[point.cut] == point.value
    count_cases()


def test_an_interpolated_point_may_exceed_the_optimal_f1():
    """One cut with P = 1/3, R = 1: the mean .667 exceeds F1 = .5, which is why it is flagged."""
    cuts = counts_of([(1, 2, 0, 0)])
    point = break_even_point(cuts)
    assert point.interpolated
    assert point.value == pytest.approx(2 / 3)
    assert optimal_f1(cuts)[0] == pytest.approx(0.5)


@pytest.mark.parametrize(
    "rows, value, interpolated",
    [
        ([(0, 1, 1, 5)], 0.0, False),
        ([(0, 1, 2, 5), (0, 3, 2, 5)], 0.0, True),
        ([(0, 1, 2, 3), (2, 1, 0, 3)], (2 / 3 + 1) / 2, True),
        ([(1, 1, 1, 3), (2, 0, 0, 4)], 1.0, False),
        ([(1, 0, 1, 4), (2, 2, 0, 2)], 0.75, True),
    ],
    ids=["true-zero", "never-found", "zero-pair-is-none", "highest-of-two", "tie-of-distance"],
)
def test_break_even_rules(rows, value, interpolated):
    point = break_even_point(counts_of(rows))
    assert (point.value, point.interpolated) == (pytest.approx(value), interpolated)
    assert break_even(counts_of(rows))[0] == point.value


@pytest.mark.parametrize("undefined, value", [("zero", 0.0), ("one", 1.0), ("omit", math.nan)])
def test_nothing_true_is_0_over_0(undefined, value):
    for cuts in (counts_of([(0, 1, 0, 5), (0, 3, 0, 3)]), Counts(*(np.zeros(0, int) for _ in range(4)))):
        assert break_even(cuts, undefined=undefined)[0] == pytest.approx(value, nan_ok=True)
        assert optimal_f1(cuts, undefined=undefined)[0] == pytest.approx(value, nan_ok=True)


def test_micro_break_even_by_a_way_of_cutting():
    """A family of Rcut: t = 1, 2, 3 best categories of each document, each setting one summed table."""
    scores = np.array([[3, 2, 1, 0], [0, 3, 2, 1], [1, 0, 3, 2]])
    truth = indicator([[1, 1, 0, 0], [0, 1, 0, 1], [0, 1, 1, 0]])
    decided = [indicator(np.argsort(np.argsort(-scores, axis=1), axis=1) < t) for t in (1, 2, 3)]
    point = break_even_point(family([counts(truth, one) for one in decided]))
    assert not point.interpolated
    assert point.cut == 1
    assert point.value == pytest.approx(4 / 6)


def test_best_cut_follows_the_measure():
    cuts = counts_of([(1, 0, 3, 6), (3, 2, 1, 4), (4, 6, 0, 0)])
    assert best_cut(cuts) == 1
    assert best_cut(cuts, "precision") == 0
    assert best_cut(cuts, "recall") == 2
    assert best_cut(cuts, "error") == 0
    assert f1(cuts)[best_cut(cuts)] == f1(cuts).max()
    with pytest.raises(InvalidInput, match="no cut to choose"):
        best_cut(Counts(*(np.zeros(0, int) for _ in range(4))))
