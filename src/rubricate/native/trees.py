"""Decision trees on the presence of words, and boosted trees on binned features: native/trees.c, native/boosting.c."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rubricate.native.library import check_lengths, core
from rubricate.native.sparse import Lists

__all__ = [
    "BINS", "BoostedTrees", "Boosting", "SplitCriterion", "Tree", "TreeCases", "expected_errors", "grow_boosted_trees",
    "grow_tree", "prune_tree", "score_boosted_trees", "smooth_tree", "walk_trees",
]  # fmt: skip

BINS = 128
"""The largest number of bins of a feature."""


class TreeCases(NamedTuple):
    """Documents to grow a tree from.

    `rows` are the words of each document, `postings` the documents of each word, both ascending; `truth` and `weights`
    are those of the documents, the weights above 0; `word_weights` is the weight of the documents that have each word.
    """

    rows: Lists
    postings: Lists
    truth: np.ndarray
    weights: np.ndarray
    word_weights: np.ndarray

    def check(self) -> None:
        """Raise ValueError unless the arrays fit each other."""
        check_lengths(self.rows.length, truth=self.truth, weights=self.weights)
        check_lengths(self.postings.length, word_weights=self.word_weights)
        _check_items(self.rows, self.postings.length)
        _check_items(self.postings, self.rows.length)
        if not (self.weights > 0).all():
            raise ValueError("weights must be above 0")


class SplitCriterion(NamedTuple):
    """When and how a node is split: see native/trees.c; `table` holds x log2 x of the whole numbers from 0 on."""

    min_weight: float
    by_ratio: bool
    table: np.ndarray

    @property
    def table_length(self) -> int:
        """Return how many whole numbers are looked up."""
        return len(self.table)


class Tree(NamedTuple):
    """A tree as arrays, one value per node, children after their parent.

    `asked` is the word asked for, `present` and `without` the child with it and the child without it, all −1 at a leaf;
    `positives` and `totals` are the weights of the documents; those of a leaf are order[first:last], until the tree is
    pruned.
    """

    asked: np.ndarray
    present: np.ndarray
    without: np.ndarray
    first: np.ndarray
    last: np.ndarray
    positives: np.ndarray
    totals: np.ndarray
    order: np.ndarray

    def _cut(self, size: int) -> Tree:
        """Return a copy of the first nodes."""
        return Tree._make([*(part[:size].copy() for part in self[:-1]), self.order])


def _check_items(lists: Lists, limit: int) -> None:
    if lists.starts[0] != 0 or lists.starts[-1] != len(lists.items) or (np.diff(lists.starts) < 0).any():
        raise ValueError("starts must rise from 0 to the number of items")
    if len(lists.items) and not 0 <= lists.items.min() <= lists.items.max() < limit:
        raise ValueError(f"items must be from 0 to {limit - 1}")


def grow_tree(cases: TreeCases, rule: SplitCriterion) -> Tree:
    """Grow a tree until no split tells anything. The caller has checked the cases."""
    places = max(2 * cases.rows.length - 1, 1)
    nodes, sums = [np.empty(places, np.int64) for _ in range(5)], [np.empty(places) for _ in range(2)]
    tree, size = Tree._make([*nodes, *sums, np.empty(cases.rows.length, np.int32)]), np.zeros(1, np.int64)
    core.run_stoppable("rb_grow_tree", cases, rule, tree, size)
    return tree._cut(int(size[0]))


def prune_tree(cases: TreeCases, tree: Tree, *, confidence: float, z: float) -> Tree:
    """Return the tree that is left after pruning by expected errors; the given one is scratch memory afterwards.

    `z` is how many standard deviations the confidence stands for.
    """
    size = np.full(1, len(tree.asked))
    core.run_stoppable("rb_prune_tree", cases, confidence, z, tree, size)
    return tree._cut(int(size[0]))


def expected_errors(total: float, positives: float, *, confidence: float, z: float) -> float:
    """Return the errors to expect of a leaf that decides as most of its documents are."""
    return float(core.rb_expected_errors(total, positives, confidence, z))


def smooth_tree(tree: Tree, *, alpha: float, leaf_prior: float) -> np.ndarray:
    """Return the probability at each node, averaged over all prunings."""
    probabilities = np.empty(len(tree.asked))
    core.rb_smooth_tree(tree, len(tree.asked), alpha, leaf_prior, probabilities)
    return probabilities


def walk_trees(
    rows: Lists, width: int, roots: np.ndarray, *, asked: np.ndarray, present: np.ndarray, without: np.ndarray
) -> np.ndarray:
    """Return the leaf that each document reaches in each tree, documents × trees; `width` is the number of words.

    The caller has checked that words are below the width and that children come after their parents.
    """
    leaves = np.empty((rows.length, len(roots)), np.int64)
    core.rb_walk_trees(rows, width, roots, len(roots), asked, present, without, leaves)
    return leaves


class Boosting(NamedTuple):
    """Rounds, the share of each step that is taken, leaves of a tree, least rows of a leaf, penalty on leaf values."""

    rounds: int
    rate: float
    leaves: int
    min_rows: int
    penalty: float


class BoostedTrees(NamedTuple):
    """The log-odds before the first tree, and the trees, rounds × nodes: see native/boosting.c.

    `limits` are what a value is compared with: the last bin that goes left, or its upper end.
    """

    base: float
    features: np.ndarray
    limits: np.ndarray
    lefts: np.ndarray
    values: np.ndarray


def grow_boosted_trees(bins: np.ndarray, truth: np.ndarray, settings: Boosting) -> BoostedTrees:
    """Grow trees on bins, rows × features; `limits` of the result are the last bins that go left.

    Half a row of each class is added to the first log-odds, so that they stay finite if all rows are of one class.
    Without rows they are 0; without rows or features each tree is one leaf of 0.
    """
    rows, columns = bins.shape
    check_lengths(rows, truth=truth)
    if settings.leaves < 1 or settings.rounds < 0 or not settings.penalty > 0:
        raise ValueError("leaves must be 1 or more, rounds 0 or more, the penalty above 0")
    if bins.size and bins.max() >= BINS:
        raise ValueError(f"bins must be below {BINS}")
    shape = settings.rounds, 2 * settings.leaves - 1
    trees = np.full(shape, -1, np.int64), np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape)
    if not bins.size:
        return BoostedTrees(0.0, *trees)
    positives = float(truth.sum())
    base = math.log((positives + 0.5) / (rows - positives + 0.5))
    core.run_stoppable("rb_grow_boosted_trees", bins, truth, rows, columns, settings, base, *trees)
    return BoostedTrees(base, *trees)


def score_boosted_trees(trees: BoostedTrees, X: np.ndarray) -> np.ndarray:
    """Return the log-odds of each row of X. The caller has checked that children come after their parents."""
    if trees.features.size and trees.features.max() >= X.shape[1]:
        raise ValueError(f"the trees ask for a feature beyond the {X.shape[1]}")
    scores = np.full(len(X), trees.base)
    core.rb_add_boosted_trees(trees, *trees.features.shape, X, *X.shape, scores)
    return scores
