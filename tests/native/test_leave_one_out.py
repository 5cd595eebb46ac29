"""Steps of removals on a kernel matrix, and best biases with duality gaps, against slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.native.small_cases import SEEDS, count_cases

from rubricate.native.leave_one_out import MarginSet, Removals, measure, retrain


def _case(seed, free_bias, size=12):
    """A small problem with equal documents, documents without weight and unequal costs, and feasible β."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(size, 4)) * (rng.random((size, 1)) < 0.9)
    X[1] = X[0]
    y = np.where(rng.random(size) < 0.5, 1.0, -1.0)
    y[:2], cap = (1.0, -1.0), rng.choice([0.0, 0.5, 1.0, 3.0], size, p=[0.1, 0.3, 0.3, 0.3])
    cap[:2] = 1.0
    return MarginSet(np.ascontiguousarray(X @ X.T), y, cap, 0.0, free_bias)


def _start(case, place):
    size = case.size
    return Removals.start(np.array([place]), np.zeros(1), np.zeros((1, size)), case.y[None].copy())


def _objective(case, beta):
    return np.abs(beta).sum() - 0.5 * beta @ case.kernel @ beta


def _optimum(case, place):
    """Return the dual optimum by SciPy's general solver."""
    cap = np.where(np.arange(case.size) == place, 0.0, case.cap)
    constraint = {"type": "eq", "fun": lambda a: a @ case.y, "jac": lambda a: case.y}
    found = minimize(
        lambda a: -_objective(case, a * case.y),
        np.zeros(case.size),
        jac=lambda a: case.y * (case.kernel @ (a * case.y)) - 1,
        bounds=[(0, c) for c in cap],
        constraints=[constraint] if case.free_bias else [],
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    return -found.fun


@given(seed=SEEDS, free_bias=st.booleans(), place=st.integers(-1, 11))
def test_steps_reach_the_optimum_and_the_gradient_is_that_of_beta(seed, free_bias, place):
    case = _case(seed, free_bias)
    removals = _start(case, place)
    retrain(case, removals, 200_000)
    beta = removals.beta[0]
    limits = case.y * np.where(np.arange(case.size) == place, 0.0, case.cap)
    assert (beta >= np.minimum(limits, 0)).all()
    assert (beta <= np.maximum(limits, 0)).all()
    np.testing.assert_allclose(removals.gradient[0], case.y - case.kernel @ beta, atol=1e-9)
    if free_bias:
        assert abs(beta.sum()) < 1e-9
    assert _objective(case, beta) >= _optimum(case, place) - 1e-6
    measure(case, removals)
    assert 0 <= removals.gap[0] < 1e-5
    count_cases(1)


def _loss(case, place, gradient, b):
    cap = np.where(np.arange(case.size) == place, 0.0, case.cap)
    return float(cap @ np.maximum(case.y * (gradient - b), 0.0))


@given(seed=SEEDS, place=st.integers(-1, 11), near=st.floats(-5, 5))
def test_the_bias_is_the_middle_of_the_best_bends_and_the_gap_is_primal_minus_dual(seed, place, near):
    case, rng = _case(seed, True), np.random.default_rng(seed + 1)
    limits = case.y * np.where(np.arange(case.size) == place, 0.0, case.cap)
    assume((limits > 0).any() and (limits < 0).any())  # of one side alone any bias beyond its last bend is best
    beta = limits * rng.choice([0.0, 0.5, 1.0], case.size)
    gradient = np.round(rng.normal(size=case.size), 1)
    removals = Removals.start(np.array([place]), np.zeros(1), beta[None].copy(), gradient[None].copy())
    removals.bias[0] = near
    measure(case, removals)
    bends = np.unique(gradient[limits != 0])
    losses = np.array([_loss(case, place, gradient, b) for b in bends])
    best = bends[losses <= losses.min() + 1e-9]
    assert removals.bias[0] == pytest.approx(0.5 * (best[0] + best[-1]), abs=1e-9)
    gap = _loss(case, place, gradient, removals.bias[0]) - beta @ (gradient - removals.bias[0])
    assert removals.gap[0] == pytest.approx(gap, abs=1e-9)
    np.testing.assert_array_equal(removals.gradient[0], gradient)
    count_cases(2)


@pytest.mark.parametrize("free_bias", [True, False])
def test_rows_are_solved_as_each_alone_and_go_on_where_they_stopped(free_bias):
    case, places = _case(5, free_bias), np.arange(-1, 12)
    together = Removals.start(places, np.zeros(13), np.zeros((13, 12)), np.tile(case.y, (13, 1)))
    retrain(case, together, 7)
    for k, place in enumerate(places):
        alone = _start(case, place)
        for _ in range(7):
            retrain(case, alone, 1)
        np.testing.assert_allclose(together.beta[k], alone.beta[0], atol=1e-12)
    assert (together.steps <= 7).all()


def test_what_the_margin_set_cannot_take_over_is_said():
    case = MarginSet(np.eye(2), np.array([1.0, 1.0]), np.array([1.0, 1.0]), -5.0, True)
    removals = _start(case, -1)
    retrain(case, removals, 10)
    assert removals.steps[0] == -1


def test_the_document_that_goes_counts_neither_inside_nor_outside_the_margin_set():
    """Outside it was at its bound: what others must make up for is its β."""
    case = MarginSet(np.eye(3), np.array([1.0, 1.0, -1.0]), np.ones(3), 1.0, True)
    removals = Removals.start(np.array([-1]), np.array([1.0]), np.array([[0.5, 0.0, -0.5]]), case.y[None].copy())
    retrain(case, removals, 0)
    assert removals.beta.sum() == pytest.approx(0.0)


def test_an_empty_margin_set():
    case = MarginSet(np.zeros((0, 0)), np.zeros(0), np.zeros(0), 0.0, True)
    removals = _start(case, -1)
    retrain(case, removals, 10)
    measure(case, removals)
    assert removals.steps[0] == removals.gap[0] == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"place": np.array([12])},
        {"place": np.array([-2])},
        {"beta": np.zeros((1, 11))},
        {"gradient": np.zeros((2, 12))},
        {"own_beta": np.zeros(2)},
        {"steps": np.zeros(0, np.int64)},
    ],
)
def test_arguments_that_do_not_fit_are_refused(wrong):
    case = _case(1, True)
    removals = _start(case, 0)._replace(**wrong)
    for call in (lambda: retrain(case, removals, 1), lambda: measure(case, removals)):
        with pytest.raises(ValueError, match=r"places must be|must be 1 ×|expected 1"):
            call()


def test_other_kernels_and_types_are_refused():
    case, removals = _case(1, True), _start(_case(1, True), 0)
    with pytest.raises(ValueError, match="must be 12 × 12"):
        retrain(case._replace(kernel=np.zeros((12, 11))), removals, 1)
    with pytest.raises(TypeError, match="float64"):
        retrain(case._replace(cap=case.cap.astype(np.float32)), removals, 1)
