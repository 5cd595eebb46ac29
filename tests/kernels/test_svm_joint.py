"""The first guess for sixteen SVMs at once, against dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles import svm as oracle

from rubricate.classifiers.svm.solvers.block_solver import SWEEPS
from rubricate.kernels.rows import Lists, Rows
from rubricate.kernels.svm_joint import BIAS, COSTS, LaneBlock, guess, label_bits
from rubricate.kernels.svm_lanes import LANES


def _block(seed, n=40, d=12):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.4)
    positive = rng.random((n, LANES)) < 0.3
    bits = (positive * (1 << np.arange(LANES))).sum(axis=1).astype(np.uint16)
    weights, costs = rng.uniform(0.2, 2, n), rng.uniform(0.2, 2, (2, LANES))
    caps = weights[:, None] * np.where(positive, costs[1], costs[0])
    return rng, sparse.csr_array(X), np.where(positive, 1.0, -1.0), bits, weights, costs, caps


def _rows(X, kind=np.float64):
    return Rows(X.indptr.astype(np.int64), X.indices.astype(np.uint32), X.data.astype(kind))


@given(st.lists(st.sets(st.integers(0, 19)), min_size=1, max_size=30), st.data())
def test_label_bits_are_the_labels_of_the_block(members, data):
    block = np.array(data.draw(st.lists(st.sampled_from(range(len(members))), max_size=LANES, unique=True)), np.int64)
    starts = np.concatenate([[0], np.cumsum([len(own) for own in members])])
    items = np.array([i for own in members for i in own], np.int32)
    bits = label_bits(Lists(starts, items), block, 20)
    assert bits.dtype == np.uint16
    for i in range(20):
        assert [lane for lane in range(LANES) if bits[i] >> lane & 1] == [
            lane for lane, category in enumerate(block) if i in members[category]
        ]


@pytest.mark.parametrize("bias", [-1.05, 0.0])
def test_the_first_sweep_spares_documents_outside_where_the_bias_is_low(bias):
    """Nothing outside a category violates its margin before some document has moved; one in eight is visited."""
    X, kind = sparse.csr_array(np.tile([[1.0]], (17, 1))), np.float32
    state = np.zeros((5, LANES), kind)
    state[BIAS], state[COSTS:] = bias, 0.01
    W, beta, near = np.zeros((1, LANES), kind), np.zeros((17, LANES), kind), np.zeros(17, np.uint16)
    bits = np.zeros(17, np.uint16)
    bits[0] = 0xFFFF
    block = LaneBlock(bits, np.ones(17, kind) * 200 ** (bits > 0), W, beta, near, state)
    guess(_rows(X, kind), block, np.ones(17, kind), 1.0, 1)
    moved = [0, 8, 16] if bias < -1 else range(17)
    np.testing.assert_array_equal(np.flatnonzero((beta != 0).all(axis=1)), moved)


@pytest.mark.parametrize("penalty", [0.0, 1.0, np.inf])
@given(seed=st.integers(0, 10_000), bias=st.sampled_from([-1.05, 0.0, 1.05]))
def test_a_category_does_not_depend_on_those_beside_it(penalty, seed, bias):
    rng, X, _, bits, weights, costs, _ = _block(seed)
    squares, kind = np.maximum(X.multiply(X).sum(axis=1), 1e-12), np.float32
    results = []
    for others in range(2):
        state = np.zeros((5, LANES), kind)
        state[BIAS], state[COSTS:] = bias, costs
        if others:  # lane 7 stays as it is
            lanes = np.delete(np.arange(LANES), 7)
            state[BIAS, lanes], state[COSTS:, lanes] = rng.choice([-1.05, 0.0], 15), rng.uniform(0, 3, (2, 15))
            bits = (bits & (1 << 7)) | (rng.integers(0, 1 << LANES, len(bits)) & ~(1 << 7)).astype(np.uint16)
        W, beta = np.zeros((X.shape[1], LANES), kind), np.zeros((X.shape[0], LANES), kind)
        near = np.zeros(X.shape[0], np.uint16)
        guess(
            _rows(X, kind),
            LaneBlock(bits, weights.astype(kind), W, beta, near, state),
            (1 / squares).astype(kind),
            penalty,
            6,
        )
        results.append((beta[:, 7], W[:, 7], state[BIAS, 7], near >> 7 & 1))
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


@given(seed=st.integers(0, 10_000))
def test_working_sets_are_what_supports_or_is_near_a_margin_after_the_last_sweep(seed):
    _, X, _, bits, weights, costs, _ = _block(seed)
    (n, d), kind = X.shape, np.float32
    state, squares = np.zeros((5, LANES), kind), np.maximum(X.multiply(X).sum(axis=1), 1e-12)
    state[COSTS:] = costs
    # Whatever the room holds, it is cleared.
    W, beta, near = np.full((d, LANES), 7, kind), np.full((n, LANES), 7, kind), np.full(n, 7, np.uint16)
    block = LaneBlock(bits, weights.astype(kind), W, beta, near, state)
    starts, documents, found = guess(_rows(X, kind), block, (1 / squares).astype(kind), 1.0, SWEEPS, 4.0)
    lanes, members = np.nonzero(((near[:, None] >> np.arange(LANES)) & 1).T)
    np.testing.assert_array_equal(np.repeat(np.arange(LANES), np.diff(starts)), lanes)
    np.testing.assert_array_equal(documents, members)
    np.testing.assert_array_equal(found, beta[members, lanes].astype(np.float64) / 4)
    assert ((near[:, None] >> np.arange(LANES)) & 1)[beta != 0].all()
    np.testing.assert_allclose(W, X.T @ beta, atol=1e-4)


def _guessed(seed, penalty, sweeps):
    """A guess for small problems: β, W, the documents and all that the objective of lane 7 needs."""
    _, X, y, bits, weights, costs, caps = _block(seed, n=8)
    n, kind = X.shape[0], np.float32
    squares = np.maximum(X.multiply(X).sum(axis=1), 1e-12)
    state = np.zeros((5, LANES), kind)
    state[COSTS:] = costs
    W, beta, near = np.zeros((X.shape[1], LANES), kind), np.zeros((n, LANES), kind), np.zeros(n, np.uint16)
    block = LaneBlock(bits, weights.astype(kind), W, beta, near, state)
    guess(_rows(X, kind), block, (1 / squares).astype(kind), penalty, sweeps)
    bias = state[BIAS, 7] if penalty < np.inf else 0.0
    return X, y, caps, y * beta, W, bias


@pytest.mark.parametrize("penalty", [0.0, 1.0, np.inf])
@settings(max_examples=10)
@given(seed=st.integers(0, 10_000))
def test_the_guess_is_feasible_and_climbs_towards_the_optimum(penalty, seed):
    X, y, caps, alpha, W, bias = _guessed(seed, penalty, SWEEPS if penalty < np.inf else 30)
    assert (alpha >= 0).all()
    assert (alpha <= caps * (1 + 1e-6)).all()
    np.testing.assert_allclose(W, X.T @ (y * alpha), atol=1e-4)
    if penalty == 0:
        return
    K, own = (X @ X.T).toarray(), (y[:, 7], caps[:, 7])
    best = oracle.best_value(K, *own, penalty)
    primal, dual = oracle.objectives(K, *own, alpha[:, 7], bias, penalty)
    if penalty < np.inf:
        # A guess with a bias promises no more than to be better than none, after as many sweeps as are made: b moves by
        # damped steps, and many more sweeps over few documents follow it too late.
        assert primal < caps[:, 7].sum()
        return
    assert primal <= 1.5 * best + 0.5
    # The first two sweeps are the same for any number of them; later ones visit the documents near the margin.
    early = oracle.objectives(K, *own, _guessed(seed, penalty, 2)[3][:, 7], 0.0, penalty)[1]
    assert -1e-5 <= early <= dual + 1e-4 * (1 + best)  # coordinate ascent never falls, but for single precision
    assert dual <= best * (1 + 1e-5) + 1e-5
