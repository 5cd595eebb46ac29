"""Sequential minimal optimisation: any start, any cache, the same optimum; and the best bias."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.native.small_cases import SEEDS, count_cases
from tests.oracles import svm as oracle

from rubricate.native.kernel_svm import KernelForm, best_bias, cached_matrix, solve_kernel_svm, whole_matrix
from rubricate.native.sparse import Rows

FORMS = {
    "linear": (KernelForm(), {}),
    "poly": (KernelForm(1, 2, 0.7, 1.0), {"gamma": 0.7, "degree": 2, "coef0": 1.0}),
    "rbf": (KernelForm(2, gamma=0.5), {"gamma": 0.5}),
}


def rows_of(X):
    X = sparse.csr_array(X)
    return Rows(X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data)


def matrix_of(X, form, megabytes=1.0):
    return cached_matrix(rows_of(X), X.shape[1], form, megabytes=megabytes)


def problem(seed, n=12):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (n, 3)).astype(float)
    return X, np.where(np.arange(n) % 3 == 0, 1.0, -1.0), rng.uniform(0.1, 2, n)


def check_optimum(K, y, cap, solution, has_free_bias, tol):
    alpha, bias = y * solution.beta, 0.5 * (solution.low_bias + solution.high_bias)
    np.testing.assert_allclose(solution.f, K @ solution.beta, atol=1e-8)
    assert ((alpha >= 0) & (alpha <= cap)).all()
    primal, dual = oracle.objectives(K, y, cap, alpha, bias, 0 if has_free_bias else np.inf)
    assert primal - dual <= 1.01 * tol * primal
    if has_free_bias:
        assert solution.beta.sum() == pytest.approx(0, abs=1e-10)
    else:
        assert bias == 0


@pytest.mark.slow
@pytest.mark.parametrize("kernel", FORMS)
@pytest.mark.parametrize("shift", [0.0, 1.0])
@pytest.mark.parametrize("has_free_bias", [True, False])
@given(seed=SEEDS)
def test_the_optimum_is_reached_from_rows_and_from_the_matrix(kernel, shift, has_free_bias, seed):
    X, y, cap = problem(seed)
    form, options = FORMS[kernel]
    K = oracle.kernel_matrix(X, X, kernel, **options) + shift
    for matrix in (matrix_of(X, form._replace(shift=shift)), whole_matrix(K)):
        solution = solve_kernel_svm(matrix, y, cap, has_free_bias=has_free_bias, tol=1e-8)
        check_optimum(K, y, cap, solution, has_free_bias, 1e-8)
    count_cases(2)


@pytest.mark.parametrize("has_free_bias", [True, False])
@given(seed=SEEDS)
def test_any_start_ends_at_the_optimum_and_a_bound_of_0_excludes(has_free_bias, seed):
    X, y, cap = problem(seed)
    rng = np.random.default_rng(seed + 1)
    K, start = oracle.kernel_matrix(X, X, "rbf", gamma=0.5), rng.normal(size=len(y))
    cap[rng.integers(len(y))] = 0.0
    matrix = whole_matrix(K)
    cold = solve_kernel_svm(matrix, y, cap, has_free_bias=has_free_bias, tol=1e-9)
    for f in (None, K @ start):
        warm = solve_kernel_svm(matrix, y, cap, beta=start, f=f, has_free_bias=has_free_bias, tol=1e-9)
        check_optimum(K, y, cap, warm, has_free_bias, 1e-9)
        np.testing.assert_allclose(warm.f + warm.low_bias, cold.f + cold.low_bias, atol=5e-3)
        assert not warm.beta[cap == 0].any()
    count_cases(2)


@pytest.mark.parametrize("has_free_bias", [True, False])
def test_a_cache_of_two_rows_gives_every_bit_the_same(has_free_bias):
    X, y, cap = problem(3, n=60)
    large, small = (
        solve_kernel_svm(matrix_of(X, FORMS["rbf"][0], size), y, cap, has_free_bias=has_free_bias, tol=1e-8)
        for size in (1.0, 1e-9)
    )
    assert (large.beta == small.beta).all()
    assert large.steps == small.steps > 0


def test_a_start_at_the_optimum_takes_no_step():
    X, y, cap = problem(5)
    matrix = matrix_of(X, FORMS["poly"][0])
    first = solve_kernel_svm(matrix, y, cap, has_free_bias=True, tol=1e-10)
    again = solve_kernel_svm(matrix, y, cap, beta=first.beta, f=first.f, has_free_bias=True, tol=1e-9)
    assert again.steps == 0
    assert (again.beta == first.beta).all()


def test_it_stops_at_its_limit():
    X, y, cap = problem(5)
    solution = solve_kernel_svm(matrix_of(X, FORMS["rbf"][0]), y, cap, has_free_bias=True, tol=1e-15, max_steps=3)
    assert solution.steps == 3


@pytest.mark.parametrize("has_free_bias", [True, False])
@given(seed=SEEDS)
def test_the_conditions_of_the_optimum_hold_at_both_ends_of_the_biases(has_free_bias, seed):
    """y f >= 1 where α may grow, <= 1 where it may shrink."""
    X, y, cap = problem(seed)
    matrix = matrix_of(X, FORMS["rbf"][0])
    solution = solve_kernel_svm(matrix, y, cap, has_free_bias=has_free_bias, tol=1e-6, by_gap=False)
    assert solution.low_bias <= solution.high_bias
    alpha = y * solution.beta
    for bias in (solution.low_bias, solution.high_bias):
        margin = y * (solution.f + bias)
        assert (margin[alpha < cap] >= 1 - 1e-5).all()
        assert (margin[alpha > 0] <= 1 + 1e-5).all()
    count_cases(len(y))


@pytest.mark.parametrize("has_free_bias", [True, False])
def test_nothing_to_solve(has_free_bias):
    X, y, cap = problem(1)
    empty = solve_kernel_svm(
        whole_matrix(np.zeros((0, 0))), np.zeros(0), np.zeros(0), has_free_bias=has_free_bias, tol=1
    )
    assert (len(empty.beta), empty.low_bias, empty.steps) == (0, 0.0, 0)
    matrix = matrix_of(X, FORMS["linear"][0])
    excluded = solve_kernel_svm(matrix, y, 0 * cap, beta=np.ones(12), has_free_bias=has_free_bias, tol=1e-3)
    assert not excluded.beta.any()
    assert excluded.low_bias == excluded.high_bias == 0


def test_arguments_that_do_not_fit_are_refused():
    X, y, cap = problem(1)
    matrix = matrix_of(X, FORMS["linear"][0])
    with pytest.raises(ValueError, match="cap has 3 values, expected 12"):
        solve_kernel_svm(matrix, y, cap[:3], has_free_bias=True, tol=1e-3)
    with pytest.raises(TypeError, match="float64"):
        solve_kernel_svm(matrix, y.astype(np.float32), cap, has_free_bias=True, tol=1e-3)
    with pytest.raises(ValueError, match="square"):
        whole_matrix(np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"outside 0 … 1"):
        cached_matrix(rows_of(X), 2, KernelForm(), megabytes=1)
    with pytest.raises(ValueError, match="y has 12 values"):
        best_bias(np.zeros(3), y, cap)


@given(seed=SEEDS, n=st.integers(1, 12))
def test_the_best_bias_is_the_best_of_all_breakpoints(seed, n):
    rng = np.random.default_rng(seed)
    scores, y = rng.integers(-2, 3, n) * 0.5, np.where(rng.random(n) < 0.5, 1.0, -1.0)
    cap = rng.choice([0.0, 0.5, 1.0, 2.0], n)
    b = best_bias(scores, y, cap)
    loss = cap @ np.maximum(0, 1 - y * (scores + b))
    assert loss <= oracle.hinge_bias(scores, y, cap) + 1e-9
    count_cases(1)


def test_the_best_bias_is_the_middle_of_an_interval_and_ends_the_loss_of_one_class():
    assert best_bias(np.array([3.0, -3.0]), np.array([1.0, -1.0]), np.ones(2)) == 0.0
    assert best_bias(np.array([0.0, 2.0]), np.ones(2), np.ones(2)) == 1.0
    assert best_bias(np.zeros(0), np.zeros(0), np.zeros(0)) == 0.0
