"""The passes over all documents for sixteen SVMs at once, against dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles import svm as oracle

from rubricate.classifiers.svm.solvers.block_solver import SWEEPS
from rubricate.kernels.rows import Lists, Rows
from rubricate.kernels.svm_joint import (
    BAND,
    BIAS,
    COSTS,
    LIMITS,
    CheckedBlock,
    LaneBlock,
    NearDocuments,
    RoughBlock,
    SupportSets,
    find_support,
    gather,
    guess,
    label_bits,
    measure,
    place_support,
    squared_norms,
    sum_weights,
    survey,
)
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


def _checked(seed, slack=1e-3):
    """A block with random β, measured: all that the definition needs, and what the kernels return."""
    rng, X, y, bits, weights, costs, caps = _block(seed)
    beta = y * caps * rng.choice([0.0, 0.0, 0.4, 1.0], caps.shape) * (rng.random((len(y), 1)) < 0.5)
    some, state = np.flatnonzero(beta.any(axis=1)), np.zeros((5, LANES))
    state[BIAS], state[COSTS:] = 3 * rng.standard_normal(LANES), costs
    lanes, members = np.nonzero((beta.T != 0) | (rng.random((LANES, len(y))) < 0.2))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(lanes, minlength=LANES))])
    sets = SupportSets(offsets, (members + 7).astype(np.int32), beta[members, lanes])
    places = np.zeros(len(y), np.int32)
    assert find_support(sets, 7, places) == len(some)
    np.testing.assert_array_equal(places[some], np.arange(1, len(some) + 1))
    own = np.zeros((len(some) + 1, LANES))
    place_support(sets, 7, places, own)
    np.testing.assert_array_equal(own[places], beta)
    others = np.zeros(9, np.int32)  # a stretch in the middle
    assert find_support(sets, 12, others) == np.count_nonzero(beta[5:14].any(axis=1))
    block = CheckedBlock(bits, weights, np.zeros((X.shape[1], LANES)), own, places, state)
    sum_weights(_rows(X), block)
    rough = RoughBlock(_rows(X / 2, np.float32), np.empty(block.W.shape, np.float32), np.zeros((3, LANES), np.float32))
    rough.state[BIAS], rough.state[LIMITS] = state[BIAS], 1 + BAND + slack
    norms, losses = squared_norms(block.W, 2.0, rough.W), np.zeros(LANES)
    room = NearDocuments(np.empty(len(y), np.int32), np.empty(len(y), np.uint16), np.empty(beta.shape))
    count = measure(_rows(X), block, rough, room, losses)
    near = NearDocuments(*(values[:count] for values in room))
    return X, y, caps, beta, block, norms, losses, near, rough


@given(seed=st.integers(0, 10_000))
def test_the_check_is_the_definition(seed):
    X, y, caps, beta, block, norms, losses, near, rough = _checked(seed)
    W, bias = block.W, block.state[BIAS]
    np.testing.assert_allclose(W, X.T @ beta, atol=1e-12)
    np.testing.assert_allclose(norms, (W**2).sum(axis=0))
    np.testing.assert_array_equal(rough.W, (2 * W).astype(np.float32))
    margin = y * (X @ W + bias)
    np.testing.assert_allclose(losses, (caps * np.maximum(0, 1 - margin)).sum(axis=0))
    wanted = (beta != 0) | (margin < 1 + BAND)
    some = np.flatnonzero(wanted.any(axis=1))
    np.testing.assert_array_equal(near.documents, some)
    np.testing.assert_allclose(near.margins, margin[some], atol=1e-12)
    assert ((near.bits[:, None] >> np.arange(LANES)) & 1 == wanted[some]).all()
    starts, documents, support, slack = gather(block.beta, block.places, near, 100)
    lanes, rows = np.nonzero(wanted.T)
    np.testing.assert_array_equal(np.repeat(np.arange(LANES), np.diff(starts)), lanes)
    np.testing.assert_array_equal(documents, rows + 100)
    np.testing.assert_array_equal(support, beta[rows, lanes])
    np.testing.assert_allclose(slack, 1 - margin[rows, lanes], atol=1e-12)


@pytest.mark.parametrize("slack", [0.1, np.inf, np.nan])
@given(seed=st.integers(0, 10_000))
def test_limits_of_the_rough_margins_change_nothing_but_the_time(slack, seed):
    *_, losses, near, _ = _checked(seed)
    *_, other_losses, others, _ = _checked(seed, slack)
    np.testing.assert_array_equal(losses, other_losses)
    for values, other in zip(near, others, strict=True):
        np.testing.assert_array_equal(values, other)


@given(seed=st.integers(0, 10_000))
def test_a_survey_finds_what_the_check_finds(seed):
    X, y, _, beta, block, _, _, _, rough = _checked(seed)
    single = np.float32
    own = block._replace(W=np.zeros_like(rough.W), beta=block.beta.astype(single), state=block.state.astype(single))
    own.state[LIMITS] = 1 + BAND
    sum_weights(_rows(X, single), own)
    np.testing.assert_allclose(own.W, block.W, atol=1e-4)
    room = NearDocuments(np.empty(len(y), np.int32), np.empty(len(y), np.uint16), np.empty(beta.shape))
    count = survey(_rows(X, single), own, room)
    margin = y * (X @ block.W + block.state[BIAS])
    certain = np.abs(margin - 1 - BAND) > 1e-3
    bits = np.zeros(len(y), np.int64)
    bits[room.documents[:count]] = room.bits[:count]
    assert ((bits[:, None] >> np.arange(LANES)) & 1 == (beta != 0) | (margin < 1 + BAND))[certain | (beta != 0)].all()
    assert bits[room.documents[:count]].all()
    np.testing.assert_allclose(room.margins[:count], margin[room.documents[:count]], atol=1e-3)


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
