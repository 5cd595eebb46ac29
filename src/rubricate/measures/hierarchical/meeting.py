"""Labels with the paths to where they meet: what lowest-common-ancestor measures count. kosmopoulos2015.

Ancestor sets punish a mistake deep in the hierarchy less than one near the root, and count an ancestor shared by
everything. Here each label that the other side lacks is connected with a nearest label of the other side, upwards to
a common ancestor by the fewest links; the true set holds the true labels and their parts of these paths, the assigned
set the assigned ones and theirs, the meeting points in both. The two graphs are the least that connect every label:
where a label has several nearest partners, meeting points or paths, one of them is taken, such that the nodes of both
sets are fewest. (Followed from the authors' program, HEMKit; the paper's own wording could not be checked.)

Deviation: their program finds the least graphs by a heuristic (meeting points that serve the most labels first), which
depends on the order of names where several are least. Ours are least exactly, with the most shared nodes, then with the
fewest assigned. Beyond 4,096 choices for one document (many labels, each with many nearest ways) all nearest ways are
kept, which depends on no order either.

A label with no partner (nothing on the other side, or outside the hierarchy and not the same) stands for itself alone.
The root, virtual or not, is a meeting point like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import chain, product
from typing import NamedTuple

import numpy as np

from rubricate.measures.counting.tables import canonical
from rubricate.measures.hierarchical.augmented import augmented_columns
from rubricate.measures.hierarchical.placed import Placed
from rubricate.native.hierarchy import Connections, count_smallest_graphs, tree_paths
from rubricate.native.sparse import Lists
from rubricate.types import Counts, Ints, Sparse

__all__ = ["Ways", "meeting_counts", "ways_in_graph", "ways_in_tree"]

CHOICES = 4096
"""Choices compared for one document; beyond it all nearest ways are kept (see above). Bounds the work per document."""
WAYS = 64
"""Ways between two labels that are kept apart; if there are more, their nodes together make one way."""


class Ways(NamedTuple):
    """Connections: links of each (−1: none), its ways, and the nodes of each way on the two sides."""

    far: Ints
    starts: Ints
    x: Lists
    y: Lists


def meeting_counts(truth: Sparse, decided: Sparse, where: Placed) -> Counts:
    """Count the table of each document over the connected sets; TN are the nodes in neither.

    Cost: each distinct pair of a true and an assigned label is connected once, in a tree at the cost of the links
    between them, compiled, in a graph at that of their ancestors and of up to 64 ways; then choices × nodes of each
    document, compiled.
    """
    true, yes = canonical(truth), canonical(decided)
    columns, nodes = augmented_columns(where), len(where.hierarchy) + len(where.outside)
    first, second = (
        Lists(part.indptr.astype(np.int64), columns[part.indices].astype(np.int32)) for part in (true, yes)
    )
    x, y, pairs = _pairs(first, second, nodes)
    ways = ways_in_tree(x, y, where) if where.hierarchy.is_tree else ways_in_graph(x, y, where)
    tables = count_smallest_graphs(first, second, Connections(pairs, *ways, nodes, CHOICES))
    return Counts(tables[0], tables[1], tables[2], nodes - tables.sum(axis=0))


def _pairs(truth: Lists, assigned: Lists, nodes: int) -> tuple[Ints, Ints, Ints]:
    """Return the distinct pairs of true and assigned nodes, and the number of each document's pairs among them."""
    (t_starts, t_nodes), (a_starts, a_nodes) = truth, assigned
    many = np.diff(a_starts)[np.repeat(np.arange(len(t_starts) - 1), np.diff(t_starts))]
    first = np.repeat(a_starts[:-1], np.diff(t_starts))
    place = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many) + np.repeat(first, many)
    keys, pairs = np.unique(np.repeat(t_nodes.astype(np.int64), many) * nodes + a_nodes[place], return_inverse=True)
    return keys // nodes, keys % nodes, pairs.reshape(-1).astype(np.int64)


def ways_in_tree(x: Ints, y: Ints, where: Placed) -> Ways:
    """Return the one way between x[i] and y[i] in a tree."""
    tree = where.hierarchy
    parents = np.concatenate([[-1], tree.parent_ids]).astype(np.int64)
    far, of_x, of_y = tree_paths(parents, tree.depths.astype(np.int64), x, y)
    return Ways(far, np.arange(len(x) + 1), of_x, of_y)


def ways_in_graph(x: Ints, y: Ints, where: Placed) -> Ways:
    """Return all shortest ways between x[i] and y[i] in a graph, up to `WAYS` of them apart."""
    paths = _Paths(where)
    connections = [paths.connect(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    ways = [way for _, own in connections for way in own]
    return Ways(
        np.array([far for far, _ in connections], np.int64),
        _starts([len(own) for _, own in connections]),
        *(_flat([way[side] for way in ways]) for side in (0, 1)),
    )


def _starts(sizes: list[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(np.array(sizes, np.int64))]).astype(np.int64)


def _flat(rows: list[tuple[int, ...]]) -> Lists:
    return Lists(_starts([len(row) for row in rows]), np.array(list(chain.from_iterable(rows)), np.int32))


class _Paths:
    """Shortest ways between the nodes of a graph through common ancestors."""

    def __init__(self, where: Placed) -> None:
        hierarchy = where.hierarchy
        self.nodes = len(hierarchy)
        self.starts, self.parents = hierarchy.parent_starts.tolist(), hierarchy.parent_ids.tolist()
        self.up = cache(self._up)

    def _up(self, node: int) -> dict[int, int]:
        """Return the fewest links up to each ancestor, the node itself at 0."""
        links, frontier, steps = {node: 0}, [node], 0
        while frontier and node < self.nodes:
            steps += 1
            above = {p for v in frontier for p in self._parents(v)}
            frontier = [p for p in above if p not in links]
            links |= dict.fromkeys(frontier, steps)
        return links

    def _parents(self, node: int) -> list[int]:
        parents: list[int] = self.parents[self.starts[node] : self.starts[node + 1]]
        return parents

    def connect(self, x: int, y: int) -> tuple[int, list[tuple[tuple[int, ...], tuple[int, ...]]]]:
        """Return the links between two nodes (−1: no common ancestor) and the ways: the nodes on the two sides."""
        of_x, of_y = self.up(x), self.up(y)
        shared = of_x.keys() & of_y.keys()
        if not shared:
            return -1, []
        far = min(of_x[z] + of_y[z] for z in shared)
        tops = sorted(z for z in shared if of_x[z] + of_y[z] == far)
        if sum(self._many(x, z) * self._many(y, z) for z in tops) > WAYS:
            both = [set[int]().union(*(self._between(node, z) for z in tops)) for node in (x, y)]
            return far, [(tuple(both[0]), tuple(both[1]))]
        return far, [way for z in tops for way in product(self._rises(x, z), self._rises(y, z))]

    def _next(self, node: int, top: int) -> list[int]:
        """Return the parents by which a shortest path goes on to an ancestor."""
        left = self.up(node)[top]
        return [p for p in self._parents(node) if self.up(p).get(top, -1) == left - 1]

    def _many(self, node: int, top: int) -> int:
        """Count the shortest paths up to an ancestor."""
        counts = {top: 1}
        for v in sorted(self._between(node, top) - {top}, key=lambda v: self.up(v)[top]):
            counts[v] = sum(counts[p] for p in self._next(v, top))
        return counts[node]

    def _between(self, node: int, top: int) -> set[int]:
        """Return the nodes on the shortest paths up to an ancestor."""
        nodes, frontier = {node}, {node}
        while frontier - {top}:
            frontier = {p for v in frontier - {top} for p in self._next(v, top)}
            nodes |= frontier
        return nodes

    def _rises(self, node: int, top: int) -> Iterator[tuple[int, ...]]:
        """Return the shortest paths up to an ancestor."""
        paths: list[tuple[int, ...]] = [(node,)]
        while paths and paths[0][-1] != top:
            paths = [(*path, p) for path in paths for p in self._next(path[-1], top)]
        yield from paths
