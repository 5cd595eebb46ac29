"""Label trees: halving and training against slow twins bit by bit, the search against the scores of all paths."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from tests.native.small_cases import SEEDS, count_cases, lists_of, rows_of

from rubricate.native.label_trees import (
    Beam,
    Hinge,
    LabelForest,
    LabelNode,
    halve,
    merge_trees,
    search_tree,
    train_node,
)
from rubricate.native.sparse import Rows

TERMS = 4
EPSILON = 1e-3
MASK = 2**64 - 1


def draw_below(state, n):
    """Return the next number of SplitMix64 below n, and the new state. Steele, Lea and Flood 2014."""
    state = z = (state + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return (((z ^ (z >> 31)) >> 32) * n) >> 32, state


def float_rows(X):
    rows = rows_of(X, X != 0)
    return Rows(rows.starts, rows.terms, rows.values.astype(np.float32))


def unit(X):
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-300)


def plain_sum(values):
    """Add from left to right; `sum` of Python 3.12 and later compensates for rounding."""
    total = 0.0
    for value in values:
        total += value
    return total


def slow_halves(centroids, categories, seed):
    """Balanced spherical 2-means, one number after the other."""
    n, columns = len(categories), centroids.shape[1]
    first, state = draw_below(seed, n)
    step, _ = draw_below(state, n - 1)
    direction = [0.0 + -1.0 * centroids[categories[first], t] for t in range(columns)]
    direction = [a + centroids[categories[(first + 1 + step) % n], t] for t, a in enumerate(direction)]
    before = -math.inf
    for _ in range(50):
        lean = [
            plain_sum(centroids[c, t] * direction[t] for t in range(columns) if centroids[c, t]) for c in categories
        ]
        second = np.zeros(n, bool)
        second[sorted(range(n), key=lambda i: (lean[i], i))[n // 2 :]] = True
        sides = categories[~second], categories[second]
        centres = [[plain_sum(centroids[c, t] for c in side) for t in range(columns)] for side in sides]
        left, right = (max(math.sqrt(plain_sum(v * v for v in centre)), 1e-30) for centre in centres)
        direction = [b / right - a / left for a, b in zip(*centres, strict=True)]
        if (left + right) / n - before < 1e-4:
            break
        before = (left + right) / n
    return second


@given(SEEDS)
def test_halves_are_those_of_the_slow_twin_and_as_large_as_each_other(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 9))
    X = unit(rng.random((count, TERMS)) * (rng.random((count, TERMS)) < 0.7))
    categories = rng.permutation(count)[: int(rng.integers(2, count + 1))]
    second = halve(rows_of(X, X > 0), categories, columns=TERMS, seed=seed)
    assert second.tolist() == slow_halves(X, categories, seed).tolist()
    assert int(second.sum()) == len(categories) - len(categories) // 2
    count_cases(len(categories))


def slow_node(X, Y, centroids, node, hinge):
    """Dual coordinate descent in single precision, one document and one term at a time: weights and biases."""
    one = np.float32
    X = X[node.documents].astype(one)
    sign = np.full((len(X), node.branches), one(-1))
    for i, d in enumerate(node.documents):
        sign[i, [b for b in node.branch_of[np.flatnonzero(Y[d])] if b >= 0]] = 1
    W = np.zeros((X.shape[1], node.branches), one)
    if node.categories is not None:
        known = (X != 0).any(axis=0) | (len(X) == len(Y))
        W[known] = one(hinge.prior) * centroids[node.categories].T.astype(one)[known]
    biases, duals = np.full(node.branches, one(hinge.start)), np.zeros(sign.shape, one)
    order, state = list(range(len(X))), node.seed
    for _ in range(hinge.sweeps):
        for i in range(len(X) - 1, 0, -1):
            j, state = draw_below(state, i + 1)
            order[i], order[j] = order[j], order[i]
        largest = 0.0
        for i in order:
            f, square, soft = biases.copy(), one(hinge.bias * hinge.bias), one(0.5 / node.costs[i])
            for t in np.flatnonzero(X[i]):
                f, square = f + X[i, t] * W[t], square + X[i, t] * X[i, t]
            inverse = one(1) / (square + soft)
            step = np.maximum(duals[i] - (sign[i] * f - one(1) + soft * duals[i]) * inverse, one(0)) - duals[i]
            size = np.abs(step) * (square + soft)
            step[size <= one(0.1 * hinge.stop)] = 0
            largest = max(largest, float(size[step != 0].max(initial=0)))
            duals[i] += step
            W[X[i] != 0] += X[i][X[i] != 0][:, None] * (step * sign[i])
            biases += one(hinge.bias * hinge.bias) * (step * sign[i])
        if largest < hinge.stop:
            break
    return W, biases


@given(SEEDS)
def test_machines_are_those_of_the_slow_twin(seed):
    rng = np.random.default_rng(seed)
    documents, categories, branches = int(rng.integers(1, 9)), 6, int(rng.integers(1, 7))
    X = rng.random((documents, TERMS)) * (rng.random((documents, TERMS)) < 0.6)
    Y, centroids = rng.random((documents, categories)) < 0.3, rng.random((categories, TERMS))
    own = np.sort(rng.permutation(documents)[: int(rng.integers(1, documents + 1))])
    leaf = rng.permutation(categories)[:branches] if rng.random() < 0.5 else None
    branch_of = rng.integers(-1, branches, categories)
    if leaf is not None:
        branch_of[:], branch_of[leaf] = -1, np.arange(branches)
    node = LabelNode(own, rng.uniform(0.1, 2, len(own)), branch_of, branches, leaf, float(rng.choice([0, 0.2])), seed)
    hinge = Hinge(0.3, -1.0, float(rng.choice([1e-3, 0.3])), int(rng.integers(1, 9)), float(rng.choice([0, 2])))
    terms, starts, branch, weights, biases = train_node(
        float_rows(X), lists_of(Y), rows_of(centroids, centroids > 0), node=node, hinge=hinge, columns=TERMS
    )
    wanted, b = slow_node(X, Y, centroids, node, hinge)
    dense = np.zeros_like(wanted)
    dense[np.repeat(terms, np.diff(starts)), branch] = weights
    assert np.array_equal(dense, np.where(np.abs(wanted) >= node.least, wanted, 0))
    assert biases.tolist() == b.tolist()
    assert starts[-1] == len(weights) == len(branch)
    assert len(set(terms.tolist())) == len(terms) == len(starts) - 1
    count_cases(branches * TERMS)


def test_wrong_nodes_are_refused():
    X, Y = np.ones((3, TERMS)), np.ones((3, 2), bool)
    good = LabelNode(np.arange(3), np.ones(3), np.arange(2), 2, np.arange(2), 0.1, 0)
    wrong = {
        "documents": np.array([0, 1, 3]),
        "costs": np.ones(2),
        "branch_of": np.array([0, 2]),
        "categories": np.array([0, 2]),
    }
    for name, value in wrong.items():
        with pytest.raises(ValueError, match=r"must be from|expected"):
            train_node(
                float_rows(X), lists_of(Y), rows_of(X[:2], X[:2] > 0),
                node=good._replace(**{name: value}), hinge=Hinge(0.3, -1.0, 0.3, 2, 2.0), columns=TERMS,
            )  # fmt: skip
    with pytest.raises(ValueError, match="categories must be from 0 to 2"):
        halve(rows_of(X, X > 0), np.array([0, 3]), columns=TERMS, seed=0)
    with pytest.raises(ValueError, match="two categories"):
        halve(rows_of(X, X > 0), np.array([0]), columns=TERMS, seed=0)
    with pytest.raises(ValueError, match="terms must be from 0 to 1"):
        halve(rows_of(X, X > 0), np.array([0, 1]), columns=2, seed=0)


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
    X = rng.integers(0, 3, (3, TERMS)).astype(np.float32)
    W = [rng.integers(-1, 2, (size, TERMS)).astype(float) for size in (2, 2, 3)]
    biases = [rng.normal(size=size) for size in (2, 2, 3)]
    kept = int(rng.integers(1, 8))
    scores, found = search_tree(float_rows(X), forest_of(W, biases), 0, Beam(2, kept, TERMS))
    for x, values, categories in zip(X, scores, found, strict=True):
        f = [each @ x + b for each, b in zip(W, biases, strict=True)]
        paths = np.array([-loss(f[0][leaf]) - loss(value) for leaf, node in ((0, 1), (1, 2)) for value in f[node]])
        known = categories[categories >= 0]
        assert len(known) == min(kept, 5)
        assert len(set(known.tolist())) == len(known)
        np.testing.assert_allclose(values[categories >= 0], paths[known], rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(np.sort(values[categories >= 0]), np.sort(paths)[-kept:], rtol=1e-5, atol=1e-6)
        assert np.isneginf(values[categories < 0]).all()
    count_cases(3 * min(kept, 5))


def test_a_beam_of_one_node_sees_one_leaf():
    W = [np.array([[5.0, 0, 0, 0], [0, 5.0, 0, 0]]), np.zeros((2, TERMS)), np.zeros((3, TERMS))]
    forest = forest_of(W, [np.zeros(2), np.zeros(2), np.zeros(3)])
    _, found = search_tree(float_rows(np.eye(2, TERMS, dtype=np.float32)), forest, 0, Beam(1, 5, TERMS))
    assert [sorted(row) for row in found.tolist()] == [[-1, -1, -1, 0, 1], [-1, -1, 2, 3, 4]]


def test_wrong_searches_are_refused():
    forest = forest_of([np.ones((size, TERMS)) for size in (2, 2, 3)], [np.zeros(size) for size in (2, 2, 3)])
    queries = float_rows(np.ones((1, TERMS)))
    with pytest.raises(ValueError, match="root must be from 0 to 2"):
        search_tree(queries, forest, 3, Beam(2, 5, TERMS))
    with pytest.raises(ValueError, match="terms must be from 0 to 2"):
        search_tree(queries, forest, 0, Beam(2, 5, 3))
    with pytest.raises(TypeError, match="float32"):
        search_tree(queries._replace(values=np.ones(TERMS)), forest, 0, Beam(2, 5, TERMS))
    assert search_tree(float_rows(np.ones((0, TERMS))), forest, 0, Beam(2, 5, TERMS))[0].shape == (0, 5)


@given(SEEDS)
def test_merged_trees_are_means_in_order(seed):
    rng = np.random.default_rng(seed)
    found, scores = rng.integers(-1, 4, (2, 6)), -rng.integers(0, 3, (2, 6)).astype(float)
    best, values = merge_trees(scores, found, trees=2, k=3)
    for row in range(2):
        sums: dict[int, float] = {}
        for category, score in zip(found[row].tolist(), scores[row].tolist(), strict=True):
            if category >= 0:
                sums[category] = sums.get(category, 0.0) + math.exp(score) / 2
        wanted = sorted(sums, key=lambda category: (-sums[category], category))[:3]
        assert best[row].tolist() == wanted + [-1] * (3 - len(wanted))
        assert values[row].tolist() == [sums[c] for c in wanted] + [0.0] * (3 - len(wanted))
        assert all(a >= b for a, b in pairwise(values[row]))
    count_cases(2)


VARIANT = """
import hashlib, numpy as np
from scipy import sparse
from rubricate.classifiers.label_tree import LabelTree
rng = np.random.default_rng(5)
X, Y = sparse.csr_array(rng.random((90, 40)) * (rng.random((90, 40)) < 0.2)), rng.random((90, 30)) < 0.1
model = LabelTree(trees=2, leaf=4, branch=4).fit(X, sparse.csr_array(Y))
results = [model.targets_, model.weights_, model.biases_, model.terms_, model.decision_function(X)]
print(hashlib.sha256(b"".join(part.tobytes() for part in results)).hexdigest())
"""


def test_both_variants_give_the_same_bits(print_in_both):
    ours, theirs = print_in_both(VARIANT)
    assert ours == theirs != ""
