"""Ancestors of many nodes at once, as pairs of numbers: what augmented label sets and common ancestors are made of."""

from __future__ import annotations

from typing import Any

from rubricate.hierarchy.links import distinct_pairs, follow_links, reached_pairs
from rubricate.hierarchy.structure import Hierarchy
from rubricate.types import Ints

__all__ = ["ancestor_pairs", "climb"]


def climb(hierarchy: Hierarchy, rows: Ints, nodes: Ints) -> tuple[Ints, Ints]:
    """Follow each (row, node) one link upwards: every (row, parent) once, sorted by row, then by parent."""
    pairs = follow_links(hierarchy.parent_starts, hierarchy.parent_ids, rows, nodes)
    return distinct_pairs(*pairs, len(hierarchy))


def ancestor_pairs(hierarchy: Hierarchy, nodes: Any) -> tuple[Ints, Ints]:
    """Return (position in `nodes`, the node or one above it) for every such pair, sorted.

    Each node counts as one above itself. Cost and memory: the sum of the numbers of ancestors in a tree; in a graph
    with paths of different length a node is met once for each length.

    >>> tree = Hierarchy.from_edges([("a", "b"), ("b", "c")])
    >>> [part.tolist() for part in ancestor_pairs(tree, [2, 1])]
    [[0, 0, 0, 1, 1], [0, 1, 2, 0, 1]]
    """
    starts, ids = hierarchy.parent_starts, hierarchy.parent_ids
    return distinct_pairs(*reached_pairs(starts, ids, nodes, tree=hierarchy.is_tree), len(hierarchy))
