"""Sequential minimal optimisation: any start, any cache, the same optimum."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles import svm as oracle

from rubricate.classifiers.svm.solvers.solution import empty_cache, kernel_rows
from rubricate.kernels.svm_smo import Goal, KernelForm, KernelMatrix, expand, settle, solve_smo

SPECS = {
    "linear": ((0, 1.0, 1.0, 0.0), {}),
    "poly": ((1, 0.7, 2.0, 1.0), {"gamma": 0.7, "degree": 2, "coef0": 1.0}),
    "rbf": ((2, 0.5, 1.0, 0.0), {"gamma": 0.5}),
}


def _solve(X, y, cap, spec, *, beta=None, free=True, tol=1e-8, limit=10**6, megabytes=1.0):
    matrix = _matrix(X, spec, megabytes)
    dual = expand(matrix, y, cap, np.zeros(len(y)) if beta is None else beta)
    bias, steps = solve_smo(matrix, dual, Goal(free, tol, limit))
    return dual.beta, dual.f, bias, steps


def _matrix(X, spec, megabytes=1.0):
    rows, cache = kernel_rows(sparse.csr_array(X)), empty_cache(len(X), megabytes)
    return KernelMatrix(rows, (X * X).sum(axis=1), KernelForm(*spec), cache, np.zeros(X.shape[1]))


def _problem(seed, n=12):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (n, 3)).astype(float)
    return X, np.where(np.arange(n) % 3 == 0, 1.0, -1.0), rng.uniform(0.1, 2, n)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", SPECS)
@pytest.mark.parametrize("shift", [0.0, 1.0])
@pytest.mark.parametrize("free", [True, False])
@given(seed=st.integers(0, 10_000))
def test_the_optimum_is_reached_and_the_sums_are_those_of_the_kernel(kernel, shift, free, seed):
    X, y, cap = _problem(seed)
    spec, options = SPECS[kernel]
    beta, f, bias, steps = _solve(X, y, cap, (*spec, shift), free=free)
    K = oracle.kernel_matrix(X, X, kernel, **options) + shift
    np.testing.assert_allclose(f, K @ beta, atol=1e-8)
    assert ((y * beta >= 0) & (y * beta <= cap)).all()
    assert steps < 10**6
    penalty = 0 if free else np.inf
    primal, dual = oracle.objectives(K, y, cap, np.abs(beta), bias, penalty)
    assert primal - dual <= 1.01e-8 * primal
    if free:
        assert beta.sum() == pytest.approx(0, abs=1e-10)
    else:
        assert bias == 0


@pytest.mark.parametrize("free", [True, False])
def test_a_cache_of_two_rows_gives_every_bit_the_same(free):
    X, y, cap = _problem(3, n=60)
    spec = (*SPECS["rbf"][0], 0.0)
    roomy, tight = (_solve(X, y, cap, spec, free=free, megabytes=size) for size in (1.0, 1e-9))
    assert (roomy[0] == tight[0]).all()
    assert roomy[3] == tight[3]


def test_a_warm_start_at_the_optimum_takes_no_step():
    X, y, cap = _problem(5)
    spec = (*SPECS["poly"][0], 0.0)
    beta, *_ = _solve(X, y, cap, spec, tol=1e-10)
    *_, steps = _solve(X, y, cap, spec, beta=beta, tol=1e-9)
    assert steps == 0


def test_it_stops_at_its_limit():
    X, y, cap = _problem(5)
    *_, steps = _solve(X, y, cap, (*SPECS["rbf"][0], 0.0), tol=1e-15, limit=3)
    assert steps == 3


@pytest.mark.parametrize("free", [True, False])
@given(seed=st.integers(0, 10_000))
def test_settling_ends_where_the_conditions_of_the_optimum_hold(free, seed):
    """y f >= 1 where α may grow, <= 1 where it may shrink, at every bias of the interval."""
    X, y, cap = _problem(seed)
    matrix = _matrix(X, (*SPECS["rbf"][0], 0.0))
    dual = expand(matrix, y, cap, np.zeros(len(y)))
    low, high, steps = settle(matrix, dual, Goal(free, 1e-6, 10**6))
    assert low <= high
    assert steps < 10**6
    alpha = y * dual.beta
    for bias in (low, high):
        margin = y * (dual.f + bias)
        assert (margin[alpha < cap] >= 1 - 1e-5).all()
        assert (margin[alpha > 0] <= 1 + 1e-5).all()
