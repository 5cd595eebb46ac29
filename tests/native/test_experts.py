"""Sleeping experts on short streams, against a dictionary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.native.small_cases import SEEDS, count_cases, lists_of
from tests.oracles.experts import progressive

from rubricate.classifiers.classic.experts import compact_pool, empty_pool
from rubricate.native.networks import learn_experts, score_experts
from rubricate.native.sparse import Lists


def stream(seed, documents=6, phrases=4, categories=3):
    rng = np.random.default_rng(seed)
    X, Y = rng.random((documents, phrases)) < 0.5, rng.random((documents, categories)) < 0.4
    return X, Y, rng.choice([0.0, 0.5, 1.0, 2.0], documents)


@given(seed=SEEDS, beta=st.sampled_from([0.1, 0.5, 0.9]))
def test_scores_and_weights_are_those_of_the_slow_twin(seed, beta):
    X, Y, weights = stream(seed)
    documents, labels, scores = lists_of(X), lists_of(Y), np.zeros((6, 3))
    pool = learn_experts(documents, labels, weights, empty_pool(4), beta=beta, categories=3, scores=scores)
    before, slow = progressive(X, Y, beta, weights)
    np.testing.assert_allclose(scores, before, rtol=1e-9, atol=1e-300)
    final = [[slow.score(np.flatnonzero(x), c) for c in range(3)] for x in X]
    for each in (pool, compact_pool(pool)):
        np.testing.assert_allclose(score_experts(documents, each, 3), final, rtol=1e-9, atol=1e-300)
        held = {(w, int(each.category[i])) for w in range(4) for i in block(each, w)}
        assert held == {*slow.pool}
    count_cases(3 * scores.size)


def block(pool, w):
    return range(pool.first[w], pool.first[w] + pool.length[w])


@given(seed=SEEDS, cut=st.integers(0, 25))
def test_a_pool_that_grows_in_the_middle_is_that_of_one_call(seed, cut):
    """Many experts: the pool grows several times within one call, and at other places in two."""
    X, Y, weights = stream(seed, 25, 12, 9)
    documents, labels = lists_of(X), lists_of(Y)
    options = {"beta": 0.3, "categories": 9}
    whole = learn_experts(documents, labels, weights, empty_pool(12), **options)
    parts = empty_pool(12)
    for part in (slice(0, cut), slice(cut, 25)):
        parts = learn_experts(lists_of(X[part]), lists_of(Y[part]), weights[part], parts, **options)
    for found, wanted in zip(compact_pool(parts), compact_pool(whole), strict=True):
        assert found.tobytes() == wanted.tobytes()
    taken = sorted(i for w in range(12) for i in block(whole, w))
    assert len({*taken}) == len(taken) <= whole.size[0] <= len(whole.category)
    count_cases(len(taken))


def test_a_pool_made_compact_is_in_order():
    X, Y, weights = stream(7, 25, 12, 9)
    pool = compact_pool(learn_experts(lists_of(X), lists_of(Y), weights, empty_pool(12), beta=0.5, categories=9))
    assert pool.size[0] == len(pool.category) == pool.length.sum() > 16
    assert (pool.room == pool.length).all()
    for w in range(12):
        assert (np.diff(pool.category[block(pool, w)]) > 0).all()


def test_nothing_to_learn():
    none = Lists(np.zeros(1, np.int64), np.zeros(0, np.int32))
    pool = learn_experts(none, none, np.empty(0), empty_pool(0), beta=0.5, categories=0)
    assert compact_pool(pool).size.tolist() == [0]
    assert score_experts(none, pool, 3).shape == (0, 3)


@pytest.mark.parametrize("items", [[-1], [4]])
def test_phrases_and_labels_out_of_range_are_refused(items):
    one = Lists(np.array([0, 1]), np.zeros(1, np.int32))
    wrong = Lists(np.array([0, 1]), np.array(items, np.int32))
    with pytest.raises(ValueError, match="phrases must be from 0 to 3"):
        learn_experts(wrong, one, np.ones(1), empty_pool(4), beta=0.5, categories=4)
    with pytest.raises(ValueError, match="labels must be from 0 to 3"):
        learn_experts(one, wrong, np.ones(1), empty_pool(4), beta=0.5, categories=4)
    with pytest.raises(ValueError, match="phrases must be from 0 to 3"):
        score_experts(wrong, empty_pool(4), 4)


def test_arrays_that_do_not_fit_are_refused():
    one = Lists(np.array([0, 1]), np.zeros(1, np.int32))
    with pytest.raises(ValueError, match="weights has 2"):
        learn_experts(one, one, np.ones(2), empty_pool(1), beta=0.5, categories=1)
    with pytest.raises(ValueError, match="shape"):
        learn_experts(one, one, np.ones(1), empty_pool(1), beta=0.5, categories=1, scores=np.zeros((1, 2)))
    with pytest.raises(ValueError, match="ascend"):
        score_experts(Lists(np.array([0, 2]), one.items), empty_pool(1), 1)
    with pytest.raises(TypeError, match="int32, not of int64"):
        score_experts(Lists(one.starts, one.items.astype(np.int64)), empty_pool(1), 1)
