"""Trees on the presence of words, one per category, as plain arrays: growing, pruning, smoothing, walking."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.classifiers.words.presence import presence, present_terms
from rubricate.engines import free_cores
from rubricate.kernels.rows import Lists
from rubricate.kernels.tree import (
    ASKED,
    PRESENT,
    WITHOUT,
    SplitCriterion,
    Tree,
    TreeCases,
    Walks,
    grow_tree,
    walk_trees,
)
from rubricate.kernels.tree_pruning import ErrorLimit, prune_tree, reachable
from rubricate.kernels.tree_smoothing import smooth
from rubricate.types import Floats, Ints, Sparse

__all__ = ["Forest", "Growth", "grow", "leaves_of"]

LARGEST_TABLE = 1 << 20
"""Whole numbers whose x log2 x is looked up; beyond, it is computed."""
QUANTILES = (
    (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0),
    (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0),
)
"""C4.5's table of confidences and z, which it reads between the lines: z(.25) = .6925, the exact quantile .6745."""


class Growth(NamedTuple):
    """How trees are grown: see `DTree`; a confidence of 1 prunes nothing, a leaf chance of 0 smooths nothing."""

    ratio: bool
    least: float
    confidence: float
    alpha: float
    leaf: float


class Forest(NamedTuple):
    """The nodes of all trees: tree c has the nodes from starts[c] to starts[c + 1], its root first."""

    starts: Ints
    asked: Ints
    present: Ints
    without: Ints
    positives: Floats
    documents: Floats
    chances: Floats


class _Words(NamedTuple):
    """Which document has which word, by document and by word; only words that can split, under new numbers."""

    rows: Lists
    posts: Lists
    weights: Floats
    counts: Floats
    columns: Ints


def grow(X: Any, labels: Sparse, weights: Floats | None, *, growth: Growth, threads: int | None) -> Forest:
    """Grow a tree for each column of labels. Documents of no weight are left out."""
    held, labels = presence(X), sparse.csr_array(labels)
    weights = np.ones(held.shape[0]) if weights is None else weights
    if not weights.all():
        kept = np.flatnonzero(weights)
        held, labels, weights = held[kept], labels[kept], weights[kept]
    words = _words(held, weights, growth.least)
    plant = _planter(words, growth)
    members, truths = sparse.csc_array(labels), range(labels.shape[1])

    def plant_category(category: int) -> tuple[NDArray[Any], Floats, Floats]:
        truth = np.zeros(len(weights), bool)
        truth[members.indices[members.indptr[category] : members.indptr[category + 1]]] = True
        return plant(truth)

    workers = min(free_cores() if threads is None else threads, len(truths))
    if workers <= 1:
        return _joined([plant_category(category) for category in truths])
    with ThreadPoolExecutor(workers) as pool:
        return _joined(list(pool.map(plant_category, truths)))


def leaves_of(forest: Forest, X: Any) -> Ints:
    """Return the leaf of each document in each tree."""
    walks = Walks(forest.starts[:-1], forest.asked, forest.present, forest.without)
    return walk_trees(Lists(*present_terms(X)), X.shape[1], walks)


def _words(held: Sparse, weights: Floats, least: float) -> _Words:
    """Return the words that can split: those that enough documents have and enough have not."""
    counts = held.T @ weights
    columns = np.flatnonzero((counts >= least - 1e-9) & (counts <= weights.sum() - least + 1e-9))
    rows = sparse.csr_array(held[:, columns])
    rows.sort_indices()
    posts = sparse.csc_array(rows)
    return _Words(
        Lists(rows.indptr.astype(np.int64), rows.indices.astype(np.int64)),
        Lists(posts.indptr.astype(np.int64), posts.indices.astype(np.int64)),
        weights,
        counts[columns],
        columns,
    )


def _planter(words: _Words, growth: Growth) -> Callable[[NDArray[Any]], tuple[NDArray[Any], Floats, Floats]]:
    """Return the function that grows one tree."""
    x = np.arange(min(len(words.weights), LARGEST_TABLE) + 1.0)
    criterion = SplitCriterion(growth.least, growth.ratio, x * np.log2(np.maximum(x, 1.0)))
    limit = ErrorLimit(growth.confidence, float(np.interp(growth.confidence, *QUANTILES)))

    def plant(truth: NDArray[Any]) -> tuple[NDArray[Any], Floats, Floats]:
        """Return nodes, sums and chances of one tree; words by their column in X."""
        cases = TreeCases(words.rows, words.posts, truth, words.weights, words.counts)
        tree = grow_tree(cases, criterion)
        if growth.confidence < 1:
            prune_tree(cases, tree, limit)
            tree = _arranged(tree)
        nodes, sums, _ = tree
        if growth.leaf > 0:
            chances = smooth(tree, growth.alpha, growth.leaf)
        else:
            chances = (sums[:, 0] + growth.alpha) / (sums[:, 1] + 2 * growth.alpha)
        nodes[:, ASKED] = np.where(nodes[:, ASKED] >= 0, np.append(words.columns, -1)[nodes[:, ASKED]], -1)
        return nodes, sums, chances

    return plant


def _arranged(tree: Tree) -> Tree:
    """Return the nodes that can be reached, each before its children."""
    kept = reachable(tree.nodes, 0)
    number = np.full(len(tree.nodes) + 1, -1)
    number[kept] = np.arange(len(kept))
    nodes, sums = tree.nodes[kept].copy(), tree.sums[kept]
    leaf = nodes[:, ASKED] < 0
    for child in (PRESENT, WITHOUT):
        nodes[:, child] = np.where(leaf, -1, number[nodes[:, child]])
    return Tree(nodes, sums, tree.order)


def _joined(trees: list[tuple[NDArray[Any], Floats, Floats]]) -> Forest:
    starts = np.concatenate([[0], np.cumsum([len(nodes) for nodes, _, _ in trees])]).astype(np.int64)
    nodes = np.concatenate([tree[0] for tree in trees])
    sums, chances = (np.concatenate([tree[part] for tree in trees]) for part in (1, 2))
    shift = np.repeat(starts[:-1], np.diff(starts))
    present, without = (np.where(nodes[:, side] < 0, -1, nodes[:, side] + shift) for side in (PRESENT, WITHOUT))
    return Forest(starts, nodes[:, ASKED].copy(), present, without, sums[:, 0].copy(), sums[:, 1].copy(), chances)
