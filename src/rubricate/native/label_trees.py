"""Label trees: halves of a set of categories, machines of a node, search for the best categories.

The formulas, costs, ties and edge cases are described in native/label_trees.c. Vectors are `Rows` in float32.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rubricate.native.library import Buffer, check_lengths, core
from rubricate.native.neighbours import check_indices, check_rows
from rubricate.native.sparse import Lists, Rows

__all__ = ["Beam", "Hinge", "LabelForest", "LabelNode", "halve", "merge_trees", "search_tree", "train_node"]


class Hinge(NamedTuple):
    """How a machine is trained: B, b₀, the step at which to stop, sweeps at most, w₀ as a multiple of a centroid."""

    bias: float
    start: float
    stop: float
    sweeps: int
    prior: float


class LabelNode(NamedTuple):
    """What a node is trained on; see rb_label_node in native/rubricate.h. `categories` is None unless it is a leaf."""

    documents: np.ndarray
    costs: np.ndarray
    branch_of: np.ndarray
    branches: int
    categories: np.ndarray | None
    least: float
    seed: int

    @property
    def length(self) -> int:
        """Return the number of documents."""
        return len(self.documents)


class LabelForest(NamedTuple):
    """All nodes of all trees, one after the other; see rb_label_forest in native/rubricate.h."""

    roots: np.ndarray
    leaf: np.ndarray
    branch_starts: np.ndarray
    targets: np.ndarray
    biases: np.ndarray
    term_starts: np.ndarray
    terms: np.ndarray
    weight_starts: np.ndarray
    weight_branches: np.ndarray
    weights: np.ndarray

    @property
    def nodes(self) -> int:
        """Return the number of nodes."""
        return len(self.leaf)


class Beam(NamedTuple):
    """How wide to search: nodes kept per level, categories kept at the end, columns of the documents."""

    nodes: int
    categories: int
    columns: int


def halve(centroids: Rows, categories: np.ndarray, *, columns: int, seed: int) -> np.ndarray:
    """Return which categories (two or more) belong to the second half: balanced spherical 2-means."""
    check_rows(centroids, columns)
    check_indices("categories", categories, centroids.length)
    if len(categories) < 2:
        raise ValueError("halving needs two categories")
    second = np.empty(len(categories), np.bool_)
    core.run_stoppable("rb_halve_categories", centroids, len(categories), categories, columns, seed, second)
    return second


def train_node(
    vectors: Rows, labels: Lists, centroids: Rows, *, node: LabelNode, hinge: Hinge, columns: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Train the machines of a node; return its terms, where their weights start, branches, weights, and biases.

    Vectors, labels and centroids must have been checked by `check_rows`; they are the same for all nodes.
    """
    check_indices("documents", node.documents, min(vectors.length, labels.length))
    check_indices("branches", node.branch_of + 1, node.branches + 1)
    check_lengths(node.length, costs=node.costs)
    if node.categories is not None:
        check_lengths(node.branches, categories=node.categories)
        check_indices("categories", node.categories, centroids.length)
    biases = np.empty(node.branches, np.float32)
    terms, starts, branches, weights = Buffer(), Buffer(), Buffer(), Buffer()
    core.run_stoppable(
        "rb_train_node", vectors, labels, centroids, node, hinge, columns, biases, terms, starts, branches, weights
    )
    return terms.take(np.int64), starts.take(np.int64), branches.take(np.int32), weights.take(np.float32), biases


def search_tree(queries: Rows, forest: LabelForest, root: int, beam: Beam) -> tuple[np.ndarray, np.ndarray]:
    """Return the logarithms of the best scores of each document in one tree and their categories, −1 if free.

    The forest must be consistent: `LabelTree.check_state` checks one that was read from a file.
    """
    check_rows(queries, beam.columns)
    check_indices("root", np.array([root]), forest.nodes)
    shape = queries.length, beam.categories
    scores, categories = np.empty(shape), np.empty(shape, np.int64)
    core.rb_search_tree(queries, forest, root, beam, scores, categories)
    return scores, categories


def merge_trees(scores: np.ndarray, found: np.ndarray, *, trees: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the k best categories of each document over all trees and their mean scores, best first, −1 if free."""
    check_lengths(scores.size, found=found.ravel())
    best, values = np.full((len(scores), k), -1, np.int64), np.zeros((len(scores), k))
    core.rb_merge_trees(*scores.shape, scores, found, trees, k, best, values)
    return best, values
