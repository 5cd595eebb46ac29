"""Trees on the presence of words, one per category, as plain arrays: growing, pruning, smoothing, walking."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from rubricate.classifiers.words.presence import presence
from rubricate.engines import run_on_threads
from rubricate.native.sparse import Lists
from rubricate.native.trees import SplitCriterion, Tree, TreeCases, grow_tree, prune_tree, smooth_tree, walk_trees
from rubricate.types import Bools, Floats, Ints, Sparse

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


def grow(X: Any, labels: Sparse, weights: Floats | None, *, growth: Growth, threads: int | None) -> Forest:
    """Grow a tree for each column of labels. Documents of no weight are left out."""
    held, labels = presence(X), sparse.csr_array(labels)
    weights = np.ones(held.shape[0]) if weights is None else weights
    if not weights.all():
        kept = np.flatnonzero(weights)
        held, labels, weights = held[kept], labels[kept], weights[kept]
    cases, columns = _cases(held, weights, growth.least)
    grow_one = _grower(cases, columns, growth)
    members = sparse.csc_array(labels)

    def grow_category(category: int) -> tuple[Tree, Floats]:
        truth = np.zeros(len(weights), bool)
        truth[members.indices[members.indptr[category] : members.indptr[category + 1]]] = True
        return grow_one(truth)

    return _joined(run_on_threads(grow_category, [*range(labels.shape[1])], threads))


def leaves_of(forest: Forest, X: Any) -> Ints:
    """Return the leaf of each document in each tree."""
    starts, asked, present, without = (part.astype(np.int64, copy=False) for part in forest[:4])
    rows = _lists(presence(X))
    return walk_trees(rows, X.shape[1], starts[:-1], asked=asked, present=present, without=without)


def _cases(held: Sparse, weights: Floats, least: float) -> tuple[TreeCases, Ints]:
    """Return the documents with the words that can split, and the columns of these: enough documents have them, or not.

    The truth is that of no category: no document is positive.
    """
    counts = held.T @ weights
    columns = np.flatnonzero((counts >= least - 1e-9) & (counts <= weights.sum() - least + 1e-9))
    rows = sparse.csr_array(held[:, columns])
    rows.sort_indices()
    postings = _lists(sparse.csc_array(rows))
    cases = TreeCases(_lists(rows), postings, np.zeros(len(weights), bool), weights, counts[columns])
    cases.check()
    return cases, columns


def _lists(matrix: Sparse) -> Lists:
    return Lists(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32))


def _grower(cases: TreeCases, columns: Ints, growth: Growth) -> Callable[[Bools], tuple[Tree, Floats]]:
    """Return the function that grows the tree of one category."""
    x = np.arange(min(len(cases.weights), LARGEST_TABLE) + 1.0)
    rule = SplitCriterion(growth.least, growth.ratio, x * np.log2(np.maximum(x, 1.0)))
    z = float(np.interp(growth.confidence, *QUANTILES))

    def grow_one(truth: Bools) -> tuple[Tree, Floats]:
        """Return the tree with its words by their columns in X, and the probability at each node."""
        own = cases._replace(truth=truth)
        tree = grow_tree(own, rule)
        if growth.confidence < 1:
            tree = prune_tree(own, tree, confidence=growth.confidence, z=z)
        if growth.leaf > 0:
            chances = smooth_tree(tree, alpha=growth.alpha, leaf_prior=growth.leaf)
        else:
            chances = (tree.positives + growth.alpha) / (tree.totals + 2 * growth.alpha)
        return tree._replace(asked=np.append(columns, -1)[tree.asked]), chances

    return grow_one


def _joined(grown: list[tuple[Tree, Floats]]) -> Forest:
    trees = [tree for tree, _ in grown]
    starts = np.concatenate([[0], np.cumsum([len(tree.asked) for tree in trees])]).astype(np.int64)
    shift = np.repeat(starts[:-1], np.diff(starts))
    asked, *children = (np.concatenate([tree[part] for tree in trees]) for part in range(3))
    present, without = (np.where(child < 0, -1, child + shift) for child in children)
    positives = np.concatenate([tree.positives for tree in trees])
    documents = np.concatenate([tree.totals for tree in trees])
    chances = np.concatenate([part for _, part in grown])
    return Forest(starts, asked, present, without, positives, documents, chances)
