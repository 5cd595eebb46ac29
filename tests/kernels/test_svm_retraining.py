"""One SVM without each of its documents in turn, against solving each smaller problem from the start."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.kernels.small_cases import SEEDS, count_cases, rows_of

from rubricate.classifiers.svm.leave_one_out.matrix import _whole_matrix
from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_bias import best_bias
from rubricate.kernels.svm_local import Dual, Search, solve_exactly
from rubricate.kernels.svm_retraining import Demand, Outside, leave_out_by_matrix, leave_out_by_rows
from rubricate.kernels.svm_smo import Expansion, Goal, settle

NOTHING = np.zeros(0)
NOBODY = Outside(Rows(np.zeros(1, np.int64), np.zeros(0, np.uint32), NOTHING), np.zeros(0, np.int64), *[NOTHING] * 4)


def problem(seed):
    """Six documents of both sides in three dimensions, and the cost of each."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(6) < 0.5, 1.0, -1.0)
    y[:4] = 1.0, 1.0, -1.0, -1.0
    return rng.integers(-2, 3, (6, 3)) / 2, y, rng.uniform(0.2, 2, 6)


def demand(penalty, tol):
    everyone = np.arange(6)
    return Demand(everyone, np.array([1e-2, tol]), 50_000, np.full(6, 1e9), 1e-9, True, np.zeros(6), penalty)


@given(seed=SEEDS, penalty=st.sampled_from([1.0, np.inf]))
def test_scores_by_rows_are_those_of_the_smaller_problems(seed, penalty):
    X, y, cap = problem(seed)
    rows = rows_of(X, X != 0, np.int64, np.uint32)

    def solved(cap):
        dual = Dual(y, cap, (X * X).sum(axis=1), np.zeros(6), np.zeros(3), np.zeros(1))
        solve_exactly(rows, dual, Search(penalty, 1e-9, 50_000, 0))
        return dual

    results, again, _ = leave_out_by_rows(rows, solved(cap), NOBODY, demand(penalty, 1e-9))
    assert not again.any()
    for r in range(6):
        other = solved(np.where(np.arange(6) == r, 0.0, cap))
        np.testing.assert_allclose(results.scores[r], X[r] @ other.w + other.bias[0], atol=2e-3)
    count_cases(6)


@given(seed=SEEDS, free=st.booleans())
def test_scores_by_matrix_are_those_of_the_smaller_problems(seed, free):
    X, y, cap = problem(seed)
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    matrix = _whole_matrix(K)

    def settled(cap):
        low, high = np.minimum(y * cap, 0.0), np.maximum(y * cap, 0.0)
        dual = Expansion(y, low, high, np.ascontiguousarray(np.diag(K)), np.zeros(6), np.zeros(6))
        settle(matrix, dual, Goal(free, 1e-9, 10**6))
        return dual

    results = leave_out_by_matrix(matrix, settled(cap), demand(0.0 if free else np.inf, 1e-9))
    for r in range(6):
        without = np.where(np.arange(6) == r, 0.0, cap)
        other = settled(without)
        f = K @ other.beta
        bias = best_bias(f, y, without) if free else 0.0
        np.testing.assert_allclose(results.scores[r], f[r] + bias, atol=1e-4)
    count_cases(6)
