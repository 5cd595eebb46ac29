"""Sixteen sibling SVMs at once against dense algebra."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rubricate.kernels import sibling_lanes as kernel
from rubricate.kernels.rows import Rows
from rubricate.kernels.sibling_lanes import BIAS, COSTS, STATES, SiblingLanes, measure_lanes, solve_lanes
from rubricate.kernels.svm_lanes import LANES
from rubricate.kernels.svm_local import Search


@numba.njit
def _visit(state, beta, label, weight, square, still):
    return kernel.lanes_visit(state, beta, label, weight, square, still)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@given(seed=st.integers(0, 999), label=st.integers(0, 2**16 - 1))
def test_a_visit_is_the_clipped_step_of_each_lane_with_its_bias(kind, seed, label):
    rng = np.random.default_rng(seed)
    state = rng.standard_normal((STATES, LANES))
    state[COSTS : kernel.GAP] = rng.uniform(0.1, 2, (3, LANES))
    weight, square, still = kind(0.7), kind(1.3), kind(0.2)
    positive = (label >> np.arange(LANES)) & 1 == 1
    y, cap = np.where(positive, 1, -1), weight * np.where(positive, state[COSTS + 1], state[COSTS])
    alpha = cap * rng.choice([0.0, 0.3, 1.0], LANES)
    lack, curve = 1 - y * (state[0] + state[BIAS]), square + state[kernel.PULL]
    new = np.clip(alpha + lack / curve, 0, cap)
    moved = np.abs(new - alpha) * curve > still
    step = np.where(moved, y * (new - alpha), 0)
    found, beta = state.astype(kind), (y * alpha).astype(kind)
    bits = _visit(found, beta, label, weight, square, still)
    assert bits == (moved * (1 << np.arange(LANES))).sum()
    close = {"rtol": 1e-4, "atol": 1e-5} if kind is np.float32 else {"rtol": 1e-12, "atol": 1e-13}
    np.testing.assert_allclose(beta, y * alpha + step, **close)
    wanted = state.copy()
    wanted[kernel.STEPS] = step
    wanted[BIAS] += state[kernel.PULL] * step
    wanted[kernel.GAP] += cap * np.maximum(lack, 0) - alpha * lack
    wanted[kernel.LOSS] += cap * np.maximum(lack, 0)
    wanted[kernel.NORM] += y * alpha * state[0]
    free = (new > 0) & (new < cap)
    wanted[kernel.FREE] += free
    np.testing.assert_allclose(found, wanted, **close)


def test_a_row_of_zeros_without_a_bias_goes_to_its_bound():
    state, beta = np.zeros((STATES, LANES), np.float32), np.zeros(LANES, np.float32)
    state[COSTS : COSTS + 2] = 3.0
    assert _visit(state, beta, 1, np.float32(1), np.float32(0), np.float32(1e-6)) == 2**16 - 1
    assert beta.tolist() == [3.0] + [-3.0] * 15


def _problem(seed, n=40, d=12, lanes=LANES):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.4) / np.sqrt(0.4 * d)
    positive = rng.random((n, LANES)) < 0.3
    bits = (positive * (1 << np.arange(LANES))).sum(axis=1).astype(np.uint16)
    weights, state = rng.uniform(0.2, 2, n), np.zeros((STATES, LANES))
    state[BIAS, :lanes], state[COSTS : COSTS + 2, :lanes] = rng.normal(size=lanes), rng.uniform(0.2, 2, (2, lanes))
    cap = weights[:, None] * np.where(positive, state[COSTS + 1], state[COSTS])
    block = SiblingLanes(bits, weights, (X**2).sum(axis=1), np.zeros((n, LANES)), state)
    return X, np.where(positive, 1.0, -1.0), cap, block


def _rows(X, kind=np.float64):
    X = sparse.csr_array(X)
    return Rows(X.indptr.astype(np.int64), X.indices.astype(np.uint32), X.data.astype(kind))


def _relative_gap(X, y, cap, beta, b, penalty):
    """Return primal − dual as a share of the primal: ½ |w|² + ½ λ b² + Σ C ξ against Σ |β| − ½ |w|² − (Σ β)² / 2λ."""
    w, bias, lean = X.T @ beta, 0.0, 0.0
    if penalty < np.inf:
        bias, lean = 0.5 * penalty * b**2, beta.sum(axis=0) ** 2 / (2 * penalty)
    loss = (cap * np.maximum(0, 1 - y * (X @ w + b))).sum(axis=0)
    primal = 0.5 * (w**2).sum(axis=0) + bias + loss
    dual = np.abs(beta).sum(axis=0) - 0.5 * (w**2).sum(axis=0) - lean
    return (primal - dual) / np.maximum(primal, 1e-300)


@pytest.mark.parametrize("penalty", [0.3, 1.0, np.inf])
@given(seed=st.integers(0, 10_000), lanes=st.integers(1, LANES))
def test_what_is_measured_is_the_definition(penalty, seed, lanes):
    X, y, cap, block = _problem(seed, lanes=lanes)
    block.state[BIAS] *= penalty < np.inf
    beta = y * cap * np.random.default_rng(seed).choice([0.0, 0.4, 1.0], cap.shape)
    block.beta[:] = beta
    before = block.state[: kernel.PULL].copy()
    W, gaps = measure_lanes(_rows(X), block, X.shape[1], penalty)
    np.testing.assert_allclose(W, X.T @ beta, atol=1e-12)
    np.testing.assert_allclose(gaps, _relative_gap(X, y, cap, beta, block.state[BIAS], penalty), rtol=1e-9, atol=1e-9)
    assert (block.beta == beta).all()
    assert (block.state[[BIAS, COSTS, COSTS + 1]] == before[[BIAS, COSTS, COSTS + 1]]).all()


@pytest.mark.parametrize("penalty", [0.3, 1.0, np.inf])
@pytest.mark.parametrize("seed", range(3))
def test_single_precision_comes_near_the_optimum(penalty, seed):
    X, y, cap, block = _problem(seed, lanes=11)
    block.state[BIAS] *= penalty < np.inf
    labels, *rest = block
    single = SiblingLanes(labels, *(array.astype(np.float32) for array in rest))
    done = solve_lanes(_rows(X, np.float32), single, X.shape[1], Search(penalty, 1e-3, 500, 0))
    beta, b = single.beta.astype(float), single.state[BIAS].astype(float)
    assert 1 < done < 500
    assert (y * beta >= 0).all()
    assert (y * beta <= cap * (1 + 1e-6)).all()
    assert (_relative_gap(X, y, cap, beta, b, penalty)[:11] < 3e-3).all()
    assert not beta[:, 11:].any()
    assert not b[11:].any()


def test_the_order_depends_on_the_seed_alone():
    runs = []
    for seed in (0, 0, 1):
        X, _, _, (labels, *rest) = _problem(1)
        single = SiblingLanes(labels, *(array.astype(np.float32) for array in rest))
        solve_lanes(_rows(X, np.float32), single, X.shape[1], Search(1.0, 1e-3, 500, seed))
        runs.append(single.beta.tobytes())
    assert runs[0] == runs[1] != runs[2]
