"""The best categories by linear weights: the same numbers as the sums of all weights, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.kernels.small_cases import SEEDS, count_cases, rows_of

from rubricate.classifiers.numerics import weight_lists
from rubricate.classifiers.numerics.weight_lists import WeightLists
from rubricate.kernels import best_categories as kernel
from rubricate.kernels.best_categories import best_categories


def slow(X, W, factors, offsets, k):
    """Sum up term by term, sort, and take the first k: (categories, scores)."""
    scores = np.zeros((len(X), len(offsets)))
    for d, row in enumerate(X):
        for t in np.flatnonzero(row):
            scores[d] = scores[d] + row[t] * W[t]
        scores[d] = scores[d] + factors[d] * offsets
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(scores, order, axis=1)


def fast(X, W, factors, offsets, k):
    rows = rows_of(X, X != 0, np.int64, np.uint32)
    weights = WeightLists.of(sparse.csr_array(W.T), offsets).weights
    return best_categories(rows, factors, weights, k)


def agree(*case):
    found, scores = fast(*case)
    wanted, values = slow(*case)
    assert found.tolist() == wanted.tolist()
    assert scores.tolist() == values.tolist()


def drawn(seed, categories, terms, k, whole, strong, fill):
    """Return documents, weights, factors, offsets: mostly weak weights, and some categories that stand out."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(-2, 3, (terms, categories)) * 1.0 if whole else rng.normal(0, 0.1, (terms, categories))
    weights *= rng.random((terms, categories)) < fill
    if strong:
        best = rng.integers(0, categories, 3)
        weights[:, best] = 9.0 if whole else rng.uniform(1, 2, (terms, 3))
    X = rng.integers(-1, 3, (3, terms)) * 1.0 if whole else np.abs(rng.normal(0, 1, (3, terms)))
    X *= rng.random((3, terms)) < 0.8
    factors = rng.integers(-1, 2, 3) * 1.0 if whole else np.ones(3)
    offsets = rng.integers(-2, 1, categories) * 1.0 if whole else rng.normal(-1, 0.01, categories)
    return X, weights, factors, offsets, k


@given(
    seed=SEEDS,
    categories=st.one_of(st.integers(1, 40), st.integers(256, 600), st.integers(1000, 1100)),
    terms=st.integers(1, 6),
    k=st.sampled_from([1, 1, 2, 4]),
    whole=st.booleans(),
    strong=st.booleans(),
    fill=st.sampled_from([0.01, 0.2, 0.9]),
)
def test_the_same_as_sorting_all_sums(seed, categories, terms, k, whole, strong, fill):
    count_cases(3)
    agree(*drawn(seed, categories, terms, min(k, categories), whole, strong, fill))


@pytest.mark.parametrize("categories", [1024, 1025, 2300])
def test_blocks_of_categories_meet_without_a_gap(categories):
    agree(*drawn(categories, categories, 5, categories, True, True, 0.5))
    agree(*drawn(categories, categories, 5, 3, False, True, 0.5))


def test_a_category_that_stands_out_is_found_without_the_others():
    X, W, factors, offsets, _ = drawn(1, 5000, 6, 1, False, False, 0.9)
    W[:, 4321] = 3.0
    weights = WeightLists.of(sparse.csr_array(W.T), offsets).weights
    # Were the weights of categories read that are in no head, the answer would be another one.
    unread = np.setdiff1d(np.arange(5000), weights.head_categories)
    assert len(unread) > 3000
    poisoned = weights.dense.copy()
    poisoned[unread // kernel.WIDTH, :, unread % kernel.WIDTH] = 1e6
    found, _ = best_categories(rows_of(X, X != 0, np.int64, np.uint32), factors, weights._replace(dense=poisoned), 1)
    assert found[:, 0].tolist() == [4321] * 3


def test_bounds_that_decide_nothing_give_way_to_all_sums():
    rng = np.random.default_rng(3)
    X, W = np.abs(rng.normal(0, 1, (80, 6))), rng.normal(0, 1, (6, 700))
    agree(X, W, np.ones(80), np.zeros(700), 2)


def test_negative_values_turn_the_weights_round():
    W = np.zeros((1, 300))
    W[0, [7, 100]] = 5.0, -5.0
    found, scores = fast(np.array([[1.0], [-1.0]]), W, np.ones(2), np.zeros(300), 2)
    assert found.tolist() == [[7, 0], [100, 0]]
    assert scores.tolist() == [[5.0, 0.0], [5.0, 0.0]]


def test_documents_without_terms_rank_by_offsets():
    offsets = np.zeros(400)
    offsets[[3, 399]] = 1.0, 2.0
    found, scores = fast(np.zeros((1, 2)), np.ones((2, 400)), np.ones(1), offsets, 3)
    assert found.tolist() == [[399, 3, 0]]
    assert scores.tolist() == [[2.0, 1.0, 0.0]]


def test_terms_with_many_weights_have_rows_and_heads():
    W = np.zeros((3, 512))
    W[0], W[1, :3], W[2, :200] = np.arange(512.0), 1.0, -1.0
    weights = WeightLists.of(sparse.csr_array(W.T), np.zeros(512)).weights
    assert weights.rows.tolist() == [0, -1, 1]
    assert weights.categories.tolist() == [0, 1, 2]
    size = 512 // weight_lists.HEAD
    assert sorted(weights.head_categories[weights.head_starts[0] : weights.head_starts[1]].tolist()) == [
        508,
        509,
        510,
        511,
    ]
    assert size == 4
    assert weights.rests.tolist() == [[507.0, 0.0], [0.0, 1.0]]
    assert weights.dense.shape == (1, 2, kernel.WIDTH)
