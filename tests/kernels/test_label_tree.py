"""The search in label trees, against the scores of all paths."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from tests.kernels.small_cases import SEEDS, rows_of

from rubricate.kernels.label_tree import EPSILON, Beam, LabelForest, halve, merge, search

TERMS = 4


def loss(f):
    return max(0.0, 1 - f) ** 2 + EPSILON / 2 * (1 - f / (1 + abs(f)))


def forest_of(W, biases):
    """A root with two leaves of two and three categories; `W[node]` are its weights, branches × terms."""
    sizes = [2, 2, 3]
    stored = [np.argwhere(each.T != 0) for each in W]  # (term, branch), term by term
    terms = [np.unique(each[:, 0]) for each in stored]
    counts = [np.count_nonzero(each.T, axis=1) for each in W]
    weights = np.concatenate([each.T[each.T != 0] for each in W])
    branches = np.concatenate([each[:, 1] for each in stored]).astype(np.int32)
    per_term = np.concatenate([count[count > 0] for count in counts])
    return LabelForest(
        np.array([0]),
        np.array([False, True, True]),
        np.concatenate([[0], np.cumsum(sizes)]),
        np.array([1, 2, 0, 1, 2, 3, 4]),
        np.concatenate(biases).astype(np.float32),
        np.concatenate([[0], np.cumsum([len(each) for each in terms])]),
        np.concatenate(terms).astype(np.int64),
        np.concatenate([[0], np.cumsum(per_term)]).astype(np.int64),
        branches,
        weights.astype(np.float32),
    )


@given(SEEDS)
def test_scores_are_those_of_all_paths(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (2, TERMS)).astype(np.float32)
    W = [rng.integers(-1, 2, (size, TERMS)).astype(float) for size in (2, 2, 3)]
    biases = [rng.normal(size=size) for size in (2, 2, 3)]
    scores, found = search(rows_of(X, X > 0, np.int64, np.uint32), forest_of(W, biases), 0, Beam(2, 5, TERMS))
    for x, values, categories in zip(X, scores, found, strict=True):
        f = [each @ x + b for each, b in zip(W, biases, strict=True)]
        paths = [-loss(f[0][leaf]) - loss(value) for leaf, node in ((0, 1), (1, 2)) for value in f[node]]
        assert sorted(categories.tolist()) == [0, 1, 2, 3, 4]
        np.testing.assert_allclose(values[np.argsort(categories)], paths, rtol=1e-5, atol=1e-6)


@given(SEEDS)
def test_merged_trees_are_means_in_order(seed):
    rng = np.random.default_rng(seed)
    found, scores = rng.integers(-1, 4, (2, 6)), -rng.random((2, 6))
    best, values = merge(scores, found, 2, 3)
    for row in range(2):
        sums: dict[int, float] = {}
        for category, score in zip(found[row].tolist(), scores[row].tolist(), strict=True):
            if category >= 0:
                sums[category] = sums.get(category, 0.0) + np.exp(score) / 2
        wanted = sorted(sums.values(), reverse=True)[:3]
        np.testing.assert_allclose(values[row, : len(wanted)], wanted)
        assert [sums[c] for c in best[row, : len(wanted)].tolist()] == wanted or len({*sums.values()}) < len(sums)
        assert (best[row, len(wanted) :] == -1).all()
        assert all(a >= b for a, b in pairwise(values[row]))


@given(SEEDS)
def test_halves_are_as_large_as_each_other(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 8))
    X = rng.random((count, TERMS)) * (rng.random((count, TERMS)) < 0.7)
    X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-300)
    categories = rng.permutation(count)
    side = halve(rows_of(X, X > 0, np.int64, np.uint32), categories, TERMS, seed)
    assert abs(int((side != 0).sum()) - count / 2) <= 0.5
