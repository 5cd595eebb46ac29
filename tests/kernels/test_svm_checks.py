"""Checks of sixteen SVMs at once, against dense algebra."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles import svm as oracle

from rubricate.kernels.rows import Lists, Rows
from rubricate.kernels.svm_checks import CheckedDocuments, Measures, PassRoom, check, survey
from rubricate.kernels.svm_joint import BAND, BIAS, COSTS, WorkingLists
from rubricate.kernels.svm_lanes import LANES

SCALE = 4.0


def _problem(seed, n=40, d=12):
    """Documents with random labels, costs and β; the corpus and the working sets as the kernels take them."""
    rng = np.random.default_rng(seed)
    X = sparse.csr_array(rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.4))
    positive = rng.random((n, LANES)) < 0.3
    y, weights, costs = np.where(positive, 1.0, -1.0), rng.uniform(0.2, 2, n), rng.uniform(0.2, 2, (2, LANES))
    caps = weights[:, None] * np.where(positive, costs[1], costs[0])
    beta = y * caps * rng.choice([0.0, 0.0, 0.4, 1.0], caps.shape) * (rng.random((n, 1)) < 0.5)
    state = np.zeros((5, LANES))
    state[BIAS], state[COSTS:] = 3 * rng.standard_normal(LANES), costs
    lanes, members = np.nonzero((beta.T != 0) | (rng.random((LANES, n)) < 0.2))
    starts = np.concatenate([[0], np.cumsum(np.bincount(lanes, minlength=LANES))])
    sets = WorkingLists(starts, members.astype(np.int32), beta[members, lanes])
    labels = sparse.csc_array(positive)
    lists = Lists(labels.indptr.astype(np.int64), labels.indices.astype(np.int32))
    rows = Rows(X.indptr.astype(np.int64), X.indices.astype(np.uint32), X.data)
    single = rows._replace(values=(X.data / np.sqrt(SCALE)).astype(np.float32))
    return X, y, caps, beta, state, sets, CheckedDocuments(rows, single, weights, lists)


def _room(n, d, stretch):
    """Room that holds something: it is cleared where that is needed."""
    W, single = np.full((d, LANES), 7.0), np.full((d, LANES), 7, np.float32)
    return PassRoom(W, single, np.full((stretch + 1, LANES), 7.0), np.full(stretch, 7, np.int32))


def _measures(X, penalty, longest=None):
    squares = X.multiply(X).sum(axis=1)
    return Measures(penalty, SCALE, int(np.diff(X.indptr).max()) if longest is None else longest, float(squares.max()))


def _checked(seed, penalty=1.0, stretch=40, longest=None):
    X, _, _, _, state, sets, corpus = _problem(seed)
    room = _room(*X.shape, stretch)
    return check(corpus, np.arange(LANES), sets, state, room, _measures(X, penalty, longest)), room


@pytest.mark.parametrize("penalty", [0.0, 1.5, np.inf])
@given(seed=st.integers(0, 10_000))
def test_the_check_is_the_definition(penalty, seed):
    X, y, caps, beta, state, _, _ = _problem(seed)
    (starts, documents, support, slack, values), room = _checked(seed, penalty)
    np.testing.assert_allclose(room.W, X.T @ beta, atol=1e-12)
    margin = y * (X @ room.W + state[BIAS])
    wanted = (beta != 0) | (margin < 1 + BAND)
    lanes, rows = np.nonzero(wanted.T)
    np.testing.assert_array_equal(np.repeat(np.arange(LANES), np.diff(starts)), lanes)
    np.testing.assert_array_equal(documents, rows)
    np.testing.assert_array_equal(support, beta[rows, lanes])
    np.testing.assert_allclose(slack, 1 - margin[rows, lanes], atol=1e-12)
    K = (X @ X.T).toarray()
    for c in range(LANES):
        expected = oracle.objectives(K, y[:, c], caps[:, c], y[:, c] * beta[:, c], state[BIAS, c], penalty)
        np.testing.assert_allclose(values[:, c], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("longest", [0, 1 << 22, 1 << 60])
@given(seed=st.integers(0, 10_000))
def test_limits_of_the_rough_margins_change_nothing_but_the_time(longest, seed):
    (first, _), (second, _) = _checked(seed), _checked(seed, longest=max(longest, 12))
    for values, others in zip(first, second, strict=True):
        np.testing.assert_array_equal(values, others)


@given(seed=st.integers(0, 10_000), stretch=st.integers(1, 39))
def test_stretches_change_no_bit(seed, stretch):
    (first, _), (second, _) = _checked(seed), _checked(seed, stretch=stretch)
    for values, others in zip(first, second, strict=True):
        np.testing.assert_array_equal(values, others)
    X, *_, state, sets, corpus = _problem(seed)
    surveys = [
        survey(corpus, np.arange(LANES), sets, state.astype(np.float32), _room(*X.shape, size), SCALE)
        for size in (40, stretch)
    ]
    for values, others in zip(*surveys, strict=True):
        np.testing.assert_array_equal(values, others)


@given(seed=st.integers(0, 10_000))
def test_a_survey_finds_what_the_check_finds(seed):
    X, y, _, beta, state, sets, corpus = _problem(seed)
    single, room = state.astype(np.float32), _room(*X.shape, 40)
    starts, documents, support = survey(corpus, np.arange(LANES), sets, single, room, SCALE)
    margin = y * (X @ (X.T @ beta) + state[BIAS])
    wanted, found = (beta != 0) | (margin < 1 + BAND), np.zeros(beta.shape, bool)
    lanes = np.repeat(np.arange(LANES), np.diff(starts))
    found[documents, lanes] = True
    certain = (np.abs(margin - 1 - BAND) > 1e-3) | (beta != 0)
    np.testing.assert_array_equal(found[certain], wanted[certain])
    np.testing.assert_array_equal(support, beta[documents, lanes])
    assert all((np.diff(documents[a:b]) > 0).all() for a, b in pairwise(starts))


def test_lanes_without_a_category_have_nothing():
    X, _, _, _, state, sets, corpus = _problem(3)
    state[BIAS, 2:] = -4.0
    two = WorkingLists(sets.starts[:3], sets.documents[: sets.starts[2]], sets.beta[: sets.starts[2]])
    starts, *_, values = check(corpus, np.arange(2), two, state, _room(*X.shape, 40), _measures(X, 1.0))
    assert (starts[2:] == starts[2]).all()
    assert values.shape == (2, 2)
    starts, documents, _ = survey(corpus, np.arange(2), two, state.astype(np.float32), _room(*X.shape, 40), SCALE)
    assert (starts[2:] == len(documents)).all()


def test_a_check_finds_all_where_all_is_near():
    """More documents than the first room for their 1 − yf has."""
    X, _, _, beta, state, _, corpus = _problem(5)
    state[BIAS] = 0.0
    none = WorkingLists(np.zeros(LANES + 1, np.int64), np.empty(0, np.int32), np.empty(0))
    starts, documents, support, slack, _ = check(
        corpus, np.arange(LANES), none, state, _room(*X.shape, 40), _measures(X, 1.0)
    )
    assert starts[-1] == len(documents) == beta.size
    assert not support.any()
    np.testing.assert_array_equal(slack, 1.0)
