"""Sixteen lanes at once against NumPy."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_lanes import LANES, lanes_add, lanes_dot, lanes_near, lanes_step, lanes_within


@numba.njit
def _dot(rows, i, weights, out):
    lanes_dot(rows, i, weights, out)


@numba.njit
def _add(rows, i, weights, factors):
    lanes_add(rows, i, weights, factors)


@numba.njit
def _step(state, beta, label, among, weight, inverse, smallest):
    return lanes_step(state, beta, label, among, weight, inverse, smallest)


@numba.njit
def _near(beta, margin, limit):
    return lanes_near(beta, margin, limit)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@given(size=st.integers(0, 9), seed=st.integers(0, 99))
def test_row_times_weights_and_back(kind, size, seed):
    rng = np.random.default_rng(seed)
    terms = rng.permutation(20)[:size].astype(np.uint32)
    values, weights = rng.standard_normal(size).astype(kind), rng.standard_normal((20, LANES)).astype(kind)
    out, factors = np.full(LANES, 7, kind), rng.standard_normal(LANES).astype(kind)
    rows = Rows(np.array([0, 0, size]), terms, values)
    _dot(rows, 1, weights, out)
    close = {"rtol": 1e-4, "atol": 1e-5} if kind is np.float32 else {"rtol": 1e-12, "atol": 1e-13}
    np.testing.assert_allclose(out, values @ weights[terms], **close)
    wanted = weights.copy()
    wanted[terms] += np.outer(values, factors)
    _add(rows, 1, weights, factors)
    _add(rows, 0, weights, factors)
    np.testing.assert_allclose(weights, wanted, **close)


@given(seed=st.integers(0, 999), label=st.integers(0, 2**16 - 1), among=st.integers(0, 2**16 - 1))
def test_a_step_is_the_clipped_newton_step_of_each_lane_that_may_move(seed, label, among):
    rng = np.random.default_rng(seed)
    state = rng.standard_normal((5, LANES)).astype(np.float32)
    state[3:] = rng.uniform(0.1, 2, (2, LANES))
    positive = (label >> np.arange(LANES)) & 1 == 1
    y, weight, inverse, smallest = np.where(positive, 1, -1), np.float32(0.7), np.float32(1.3), np.float32(0.05)
    low, high = np.where(positive, 0, -weight * state[3]), np.where(positive, weight * state[4], 0)
    beta = np.clip(rng.standard_normal(LANES), low, high).astype(np.float32)
    f = state[0] + state[1]
    step = np.clip(beta - (f - y) * inverse, low, high) - beta
    bits, before = state.copy(), beta.copy()
    moved = _step(state, beta, label, among, weight, inverse, smallest)
    clear = np.abs(np.abs(step) - smallest) > 1e-5
    found, may = ((each >> np.arange(LANES)) & 1 == 1 for each in (moved, among))
    assert (found == (np.abs(step) > smallest) & may)[clear].all()
    assert not (found & ~may).any()
    np.testing.assert_allclose(beta, np.where(found, before + step, before), atol=1e-5)
    np.testing.assert_allclose(state[2], np.where(found, step, 0), atol=1e-5)
    np.testing.assert_allclose(state[0], y * f, atol=1e-5)
    assert (state[[1, 3, 4]] == bits[[1, 3, 4]]).all()


def test_near_is_a_support_vector_or_within_the_limit():
    beta, margin = np.zeros(LANES), np.full(LANES, 2.0)
    beta[3], margin[5], margin[6], margin[15] = -0.1, 0.99, 1.0, -4.0
    assert _near(beta, margin, 1.0) == (1 << 3) | (1 << 5) | (1 << 15)


@numba.njit
def _within(scores, bias, limits, label):
    return lanes_within(scores, bias, limits, label)


@given(seed=st.integers(0, 999), label=st.integers(0, 2**16 - 1))
def test_margins_within_their_limits_and_what_is_no_number(seed, label):
    scores, bias, limits = np.random.default_rng(seed).standard_normal((3, LANES)).astype(np.float32)
    scores[3], scores[5], scores[6], limits[7] = np.nan, np.inf, -np.inf, np.inf
    y = np.where((label >> np.arange(LANES)) & 1, 1, -1)
    wanted = ~(y * (scores + bias) > limits)
    assert wanted[3]
    assert _within(scores, bias, limits, label) == int((wanted * (1 << np.arange(LANES))).sum())
