"""How far categories are apart, and where their paths meet.

The distance is the number of links on the shortest path, links taken in both directions (sunlim2001, section 3.3,
for trees; the shortest path makes it a metric on graphs too). A virtual root joins the tops: two of them are 2 apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.hierarchy.structure import Hierarchy
from rubricate.native.hierarchy import graph_distances
from rubricate.native.sparse import Lists
from rubricate.types import Ints

__all__ = ["distance", "distances", "lowest_common_ancestors", "siblings"]


def distance(hierarchy: Hierarchy, a: str, b: str) -> int:
    """Return the number of links between two categories.

    >>> tree = Hierarchy.from_edges([("crude", "ship"), ("grain", "corn"), ("grain", "wheat")])
    >>> distance(tree, "corn", "wheat"), distance(tree, "ship", "wheat"), distance(tree, "corn", "corn")
    (2, 4, 0)
    """
    return int(distances(hierarchy, [hierarchy.index(a)], [hierarchy.index(b)])[0])


def distances(hierarchy: Hierarchy, a: Any, b: Any) -> Ints:
    """Return the distances between nodes a[i] and b[i], given by their numbers.

    Cost: in a tree pairs × log depth, by lifting both nodes to their lowest common ancestor in steps of powers of 2;
    in a graph one breadth-first search for each distinct first node, which stops when all its partners are met.
    """
    first, second = np.asarray(a, np.int64), np.asarray(b, np.int64)
    if first.shape != second.shape or first.ndim != 1:
        raise InvalidInput(f"pairs of nodes: {first.shape} and {second.shape}; give two lists of the same length")
    both = np.concatenate([first, second])
    if len(both) and (both.min() < 0 or both.max() >= len(hierarchy)):
        raise InvalidInput(f"a node number outside 0 to {len(hierarchy) - 1}; take numbers from Hierarchy.index")
    return _in_tree(hierarchy, first, second) if hierarchy.is_tree else _in_graph(hierarchy, first, second)


def _in_tree(tree: Hierarchy, a: Ints, b: Ints) -> Ints:
    depths = tree.depths.astype(np.int64)
    lifts = _lifts(tree)
    deep, high = np.where(depths[a] >= depths[b], a, b), np.where(depths[a] >= depths[b], b, a)
    gap = depths[deep] - depths[high]
    for power, lift in enumerate(lifts):
        deep = np.where(gap >> power & 1, lift[deep], deep)
    for lift in reversed(lifts):
        apart = lift[deep] != lift[high]
        deep, high = np.where(apart, lift[deep], deep), np.where(apart, lift[high], high)
    meeting = np.where(deep == high, deep, lifts[0][deep])
    links: Ints = depths[a] + depths[b] - 2 * depths[meeting]
    return links


def _lifts(tree: Hierarchy) -> list[Ints]:
    """Return the node 1, 2, 4, … links above each node; above the root is the root."""
    up = np.zeros(len(tree), np.int64)
    up[1:] = tree.parent_ids
    lifts = [up]
    while 1 << len(lifts) <= int(tree.depths.max()):
        lifts.append(lifts[-1][lifts[-1]])
    return lifts


def _in_graph(graph: Hierarchy, a: Ints, b: Ints) -> Ints:
    pairs, place = np.unique(np.stack([a, b], axis=1), axis=0, return_inverse=True)
    parents = Lists(graph.parent_starts.astype(np.int64), graph.parent_ids)
    children = Lists(graph.child_starts.astype(np.int64), graph.child_ids)
    between = graph_distances(parents, children, pairs[:, 0].copy(), pairs[:, 1].copy())
    return between[place.reshape(-1)]


def lowest_common_ancestors(hierarchy: Hierarchy, a: str, b: str) -> tuple[str, ...]:
    """Return the common ancestors without a common ancestor below them; a category is an ancestor of itself here.

    One in a tree, at least one in a graph, in topological order. Cost: the ancestors and their links.

    >>> graph = Hierarchy.from_edges([("p", "x"), ("q", "x"), ("p", "y"), ("q", "y")])
    >>> lowest_common_ancestors(graph, "x", "y"), lowest_common_ancestors(graph, "x", "p")
    (('p', 'q'), ('p',))
    """
    shared = {a, *hierarchy.ancestors(a)} & {b, *hierarchy.ancestors(b)}
    above = {parent for name in shared for parent in hierarchy.parents(name)}
    return tuple(sorted(shared - above, key=hierarchy.index))


def siblings(hierarchy: Hierarchy, name: str) -> tuple[str, ...]:
    """Return the other children of the category's parents, in topological order; none for the root.

    >>> siblings(Hierarchy.from_edges([("grain", "corn"), ("grain", "wheat")]), "corn")
    ('wheat',)
    """
    others = {child for parent in hierarchy.parents(name) for child in hierarchy.children(parent)} - {name}
    return tuple(sorted(others, key=hierarchy.index))
