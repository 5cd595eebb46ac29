"""Grow label trees: balanced groups of categories by the centroids of their documents."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rubricate.classifiers.numerics.matrices import unit_centroids
from rubricate.native.label_trees import halve
from rubricate.native.sparse import Rows
from rubricate.types import Floats, Ints, Sparse

__all__ = ["Branching", "centroids_of", "grow"]


@dataclass
class Branching:
    """A node while a tree grows: its categories, and the numbers of its children; none at a leaf."""

    categories: Ints
    children: list[int] = field(default_factory=list)


def centroids_of(X: Sparse, labels: Sparse, weights: Floats) -> Rows:
    """Return the weighted sum of the documents of each category, made length 1."""
    sums = unit_centroids(X, labels, weights)
    return Rows(sums.indptr.astype(np.int64), sums.indices.astype(np.int32), sums.data)


def grow(centroids: Rows, categories: Ints, *, columns: int, branch: int, leaf: int, seed: int) -> list[Branching]:
    """Return the nodes of a tree, parents before children: groups are halved until they fit a leaf.

    A node has up to `branch` children (rounded up to a power of two): its categories are halved repeatedly.
    """
    draw = np.random.default_rng(seed)
    nodes = [Branching(categories)]
    for node in nodes:  # grows while it is read
        if len(node.categories) <= leaf:
            continue
        parts = [node.categories]
        while len(parts) < branch and max(map(len, parts)) > leaf:
            parts = [half for part in parts for half in _halves(centroids, part, columns, int(draw.integers(2**31)))]
        for part in parts:
            node.children.append(len(nodes))
            nodes.append(Branching(part))
    return nodes


def _halves(centroids: Rows, categories: Ints, columns: int, seed: int) -> tuple[Ints, ...]:
    if len(categories) < 2:
        return (categories,)
    second = halve(centroids, categories, columns=columns, seed=seed)
    return categories[~second], categories[second]
