"""Ancestors of many nodes at once, as pairs of numbers: what augmented label sets and common ancestors are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.hierarchy.structure import Hierarchy
from rubricate.types import Ints

__all__ = ["ancestor_pairs", "climb"]


def climb(hierarchy: Hierarchy, rows: Ints, nodes: Ints) -> tuple[Ints, Ints]:
    """Follow each (row, node) one link upwards: every (row, parent) once, sorted by row, then by parent."""
    starts, ends = hierarchy.parent_starts[nodes], hierarchy.parent_starts[nodes + 1]
    sizes = (ends - starts).astype(np.int64)
    first = np.cumsum(sizes) - sizes
    places = np.arange(int(sizes.sum())) - np.repeat(first, sizes) + np.repeat(starts, sizes)
    return _distinct(np.repeat(rows, sizes), hierarchy.parent_ids[places].astype(np.int64), len(hierarchy))


def ancestor_pairs(hierarchy: Hierarchy, nodes: Any) -> tuple[Ints, Ints]:
    """Return (position in `nodes`, the node or one above it) for every such pair, sorted.

    Each node counts as one above itself. Cost and memory: the sum of the numbers of ancestors in a tree; in a graph
    with paths of different length a node is met once for each length.

    >>> tree = Hierarchy.from_edges([("a", "b"), ("b", "c")])
    >>> [part.tolist() for part in ancestor_pairs(tree, [2, 1])]
    [[0, 0, 0, 1, 1], [0, 1, 2, 0, 1]]
    """
    above = np.asarray(nodes, np.int64)
    rows = np.arange(len(above), dtype=np.int64)
    steps = [(rows, above)]
    while len(rows):
        rows, above = climb(hierarchy, rows, above)
        steps.append((rows, above))
    every_row, every_node = (np.concatenate(part) for part in zip(*steps, strict=True))
    return _distinct(every_row, every_node, len(hierarchy))


def _distinct(rows: Ints, nodes: Ints, n: int) -> tuple[Ints, Ints]:
    keys = np.unique(rows * n + nodes)
    return keys // n, keys % n
