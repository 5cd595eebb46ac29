"""One linear SVM on all its documents: the values it returns are exact and their gap is the one asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kernels.small_cases import SEEDS, rows_of
from tests.oracles import svm as oracle

from rubricate.kernels.svm_local import Dual, Search
from rubricate.kernels.svm_whole import solve_whole


@given(seed=SEEDS, penalty=st.sampled_from([0.0, 1.0, 3.0, np.inf]))
def test_the_optimum_is_reached_and_its_values_are_exact(seed, penalty):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 9)), int(rng.integers(1, 5))
    X = rng.integers(-2, 3, (n, d)) / 2
    y, cap = np.where(rng.random(n) < 0.5, 1.0, -1.0), rng.uniform(0.1, 2, n)
    y[:2], scores = (1.0, -1.0), np.zeros(n)
    dual = Dual(y, cap, (X * X).sum(axis=1), np.zeros(n), np.zeros(d), np.zeros(1))
    rows = rows_of(X, X != 0, np.int64, np.uint32)
    most = 200_000
    primal, value, sweeps = solve_whole(rows, dual, Search(penalty, 1e-4, most, seed), scores)
    assert sweeps < most
    assert ((y * dual.beta >= 0) & (y * dual.beta <= cap)).all()
    np.testing.assert_allclose(dual.w, dual.beta @ X, atol=1e-9)
    np.testing.assert_allclose(scores, X @ dual.w + dual.bias[0], atol=1e-9)
    wanted = oracle.objectives(X @ X.T, y, cap, np.abs(dual.beta), dual.bias[0], penalty)
    assert (primal, value) == pytest.approx(wanted, abs=1e-8)
    assert -1e-9 <= primal - value <= 1e-4 * primal + 1e-12


@pytest.mark.parametrize("penalty", [0.0, 1.0, 3.0])
def test_rows_of_zeros_alone_move_the_bias_at_once(penalty):
    """As the soak found: the resistance of rows that cannot move kept the bias at 0 for ever."""
    y, cap, scores = np.array([1.0, -1.0]), np.array([1.9, 0.5]), np.zeros(2)
    dual = Dual(y, cap, np.zeros(2), np.zeros(2), np.zeros(1), np.zeros(1))
    rows = rows_of(np.zeros((2, 1)), np.zeros((2, 1), bool), np.int64, np.uint32)
    primal, value, sweeps = solve_whole(rows, dual, Search(penalty, 1e-6, 1000, 0), scores)
    assert sweeps < 100
    assert primal - value <= 1e-6 * primal + 1e-9
    assert value == pytest.approx(oracle.best_value(np.zeros((2, 2)), y, cap, penalty), abs=1e-5)


def test_a_lone_row_cannot_take_the_bias_away_while_the_others_sleep():
    """As the soak found: awake alone, the positive row moved b to 1 and its loss to 0, and woke nobody."""
    X, y = np.array([[1.0], [0.5], [0.5], [-1.0], [0.0]]), np.array([1.0, -1.0, -1.0, -1.0, -1.0])
    cap, scores = np.array([0.1045, 1.2892, 0.7842, 1.0278, 1.0229]), np.zeros(5)
    dual = Dual(y, cap, (X * X).sum(axis=1), np.zeros(5), np.zeros(1), np.zeros(1))
    rows = rows_of(X, X != 0, np.int64, np.uint32)
    primal, value, sweeps = solve_whole(rows, dual, Search(0.0, 1e-4, 10_000, 1154398083), scores)
    assert sweeps < 1000
    assert primal - value <= 1e-4 * primal
    assert value == pytest.approx(oracle.best_value(X @ X.T, y, cap, 0.0), abs=1e-4)


def test_rows_that_rest_do_not_go_round_in_a_circle():
    """As the soak found: 200,000 sweeps did not reach the gap, since the same rows rested in every other one."""
    test_the_optimum_is_reached_and_its_values_are_exact.hypothesis.inner_test(927156460, 0.0)
