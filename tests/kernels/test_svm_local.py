"""The solver of one linear SVM on a set of rows, and its parts."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles import svm as oracle

from rubricate.kernels import svm_local
from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_bias import best_bias
from rubricate.kernels.svm_local import (
    Dual,
    LaneDocuments,
    Search,
    WorkingSets,
    copy_rows,
    duality_gap,
    solve_block,
    solve_exactly,
)

numbers = st.integers(0, 10_000)


@numba.njit
def solve_rows(rows, dual, search):
    return svm_local.solve_rows(rows, dual, search)


@numba.njit
def scores(rows, w, b):
    return svm_local.scores(rows, w, b)


@numba.njit
def balance(rows, dual):
    svm_local.balance(rows, dual)


def _problem(seed, n=12, d=5, zero=True):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.6)
    if zero:
        X[0] = 0
    y = np.where(np.arange(n) < n // 3, 1.0, -1.0)
    return sparse.csr_array(X), y, rng.uniform(0.1, 2, n)


def _rows(X):
    return Rows(X.indptr.astype(np.int64), X.indices.astype(np.uint32), X.data.astype(float))


def _dual(X, y, cap):
    """A start at β = 0."""
    return Dual(y, cap, X.multiply(X).sum(axis=1), np.zeros(len(y)), np.zeros(X.shape[1]), np.zeros(1))


@pytest.mark.parametrize("penalty", [0.0, 1.0, 3.0, np.inf])
@given(seed=numbers)
def test_the_gap_it_reports_is_the_gap_it_has(penalty, seed):
    X, y, cap = _problem(seed)
    dual = _dual(X, y, cap)
    most = 500_000  # one problem in 10⁵ needs 27,000: near twins and a free bias
    gap, primal, sweeps = solve_exactly(_rows(X), dual, Search(penalty, 1e-6, most, seed))
    dense, beta = X.toarray(), dual.beta
    assert gap <= 1e-6 * primal
    assert sweeps < most
    np.testing.assert_allclose(dual.w, beta @ dense, atol=1e-9)
    assert ((y * beta >= 0) & (y * beta <= cap)).all()
    value, lower = oracle.objectives(dense @ dense.T, y, cap, np.abs(beta), dual.bias[0], penalty)
    # Measured as the rows pass: a later step may move the score of a row by √(2 gap / K), and its loss with it.
    assert value - lower <= np.sqrt(1e-6) * value
    assert duality_gap(_rows(X), dual, penalty) == pytest.approx(value - lower, abs=1e-9 * max(value, 1))


@given(seed=numbers)
def test_a_row_of_cap_zero_is_left_out(seed):
    X, y, cap = _problem(seed)
    # One problem in 10⁵ needs 275,000 sweeps: rows asleep are woken only when the others have converged.
    cap[4], keep, search = 0.0, np.arange(len(y)) != 4, Search(1.0, 1e-9, 5_000_000, 0)
    dual, other = _dual(X, y, cap), _dual(X[keep], y[keep], cap[keep])
    solve_rows(_rows(X), dual, search)
    solve_rows(_rows(X[keep]), other, search)
    assert dual.beta[4] == 0
    ours, peer = (scores(_rows(X), solved.w, solved.bias[0]) for solved in (dual, other))
    np.testing.assert_allclose(ours, peer, atol=2e-3)


def test_a_warm_start_at_the_optimum_stays_there():
    X, y, cap = _problem(1)
    dual = _dual(X, y, cap)
    solve_rows(_rows(X), dual, Search(1.0, 1e-10, 50_000, 0))
    before = dual.beta.copy()
    *_, sweeps = solve_rows(_rows(X), dual, Search(1.0, 1e-8, 50_000, 5))
    assert sweeps == 1
    np.testing.assert_allclose(dual.beta, before, atol=1e-3)


@given(seed=numbers, n=st.integers(2, 20))
def test_the_best_bias_is_the_best_of_all_breakpoints(seed, n):
    rng = np.random.default_rng(seed)
    score, y, cap = rng.integers(-3, 4, n) / 2, rng.choice([-1.0, 1.0], n), rng.integers(1, 4, n) / 2
    b = best_bias(score, y, cap)
    assert cap @ np.maximum(0, 1 - y * (score + b)) == pytest.approx(oracle.hinge_bias(score, y, cap))


@given(seed=numbers, n=st.integers(2, 60))
def test_the_best_bias_is_the_middle_of_the_best_breakpoints(seed, n):
    """Whole numbers, whose sums are exact: ties of scores and of losses are frequent."""
    rng = np.random.default_rng(seed)
    score, y, cap = (
        rng.integers(-8, 9, n) / 1.0,
        np.where(np.arange(n) < n // 2, 1.0, -1.0),
        rng.integers(1, 4, n) / 1.0,
    )
    breaks = np.unique(y - score)
    losses = np.array([cap @ np.maximum(0, 1 - y * (score + b)) for b in breaks])
    best = breaks[losses == losses.min()]
    assert best_bias(score, y, cap) == 0.5 * (best[0] + best[-1])


def test_the_best_bias_is_the_middle_of_an_interval():
    assert best_bias(np.array([2.0, -2.0]), np.array([1.0, -1.0]), np.ones(2)) == 0.0
    assert best_bias(np.array([0.0, 0.5]), np.array([-1.0, -1.0]), np.ones(2)) == -1.5


@given(seed=numbers)
def test_balance_keeps_the_bounds_and_the_weights(seed):
    X, y, cap = _problem(seed)
    rng = np.random.default_rng(seed)
    beta = y * cap * rng.choice([0, 0.5, 1.0, rng.random()], len(y))
    w = beta @ X.toarray()
    balance(_rows(X), _dual(X, y, cap)._replace(beta=beta, w=w))
    assert beta.sum() == pytest.approx(0, abs=1e-12)
    assert ((y * beta >= 0) & (y * beta <= cap)).all()
    np.testing.assert_allclose(w, beta @ X.toarray(), atol=1e-12)


@given(seed=numbers)
def test_copied_rows_are_the_rows(seed):
    X, _, _ = _problem(seed, n=15, d=30)
    rows = np.array([3, 0, 7, 7], np.int32)
    starts, terms, values = copy_rows(_rows(X), rows)
    np.testing.assert_array_equal(sparse.csr_array((values, terms, starts), shape=(4, 30)).toarray(), X[rows].toarray())


@given(seed=numbers)
def test_a_block_is_solved_lane_by_lane_and_leaves_its_room_empty(seed):
    X, y, cap = _problem(seed, n=15, d=30)
    bits, members = np.where(y > 0, 3, 0).astype(np.uint16), np.arange(15, dtype=np.int32)
    documents = LaneDocuments(bits, cap, X.multiply(X).sum(axis=1), np.ones((2, 16)))
    sets = WorkingSets(
        np.array([0, 15, 30]), np.tile(members, 2), np.zeros(30), np.zeros(2), np.array([5, 6]), np.zeros(30)
    )
    solve_block(_rows(X), documents, sets, Search(1.0, 1e-8, 5000, 0))
    alone = _dual(X, y, cap)
    solve_exactly(_rows(X), alone, Search(1.0, 1e-8, 5000, 5))
    np.testing.assert_allclose(sets.beta[:15], alone.beta, rtol=0, atol=1e-9)
    np.testing.assert_allclose(X.T @ sets.beta[:15], X.T @ sets.beta[15:], atol=1e-3)
    assert not sets.w.any()
