"""Measures of labels together with what stands above them in the hierarchy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, product
from typing import NamedTuple

import numpy as np
from scipy import sparse

from rubricate.hierarchy import ancestor_pairs, distances
from rubricate.measures.averages import macro, micro
from rubricate.measures.contingency import f1, precision, recall
from rubricate.measures.definition import measure
from rubricate.measures.nearness import Placed, Wrong, wrong_decisions
from rubricate.measures.tables import canonical, counts
from rubricate.native.hierarchy import Connections, count_smallest_graphs, tree_paths
from rubricate.native.sparse import Lists
from rubricate.types import Bools, Counts, Floats, Ints, Sparse, Undefined

__all__ = [
    "Far",
    "Level",
    "Ways",
    "augmented_columns",
    "by_depth",
    "hierarchical_f1",
    "hierarchical_precision",
    "hierarchical_recall",
    "how_far",
    "lca_f1",
    "lca_precision",
    "lca_recall",
    "meeting_counts",
    "ways_in_graph",
    "ways_in_tree",
    "with_ancestors",
]


def with_ancestors(labels: Sparse, where: Placed) -> Sparse:
    """Return the augmented sets: a boolean matrix, documents × (nodes, then categories outside).

    Cost: labels × ancestors.
    """
    marks = canonical(labels)
    sets = sparse.csr_array(marks.astype(np.int32) @ _above(where)).astype(bool)
    sets.sort_indices()
    return sets


def augmented_columns(where: Placed) -> Ints:
    """Return the column of each category among those of `with_ancestors`."""
    outside = np.cumsum(~where.inside) - 1 + len(where.hierarchy)
    return np.where(where.inside, where.nodes, outside)


def _above(where: Placed) -> Sparse:
    """Return categories × columns: 1 for the category and each of its ancestors."""
    inside, n = np.flatnonzero(where.inside), len(where.hierarchy)
    rows, columns = ancestor_pairs(where.hierarchy, where.nodes[inside])
    kept = (columns > 0) | where.root_is_category
    outside = np.flatnonzero(~where.inside)
    row = np.concatenate([inside[rows[kept]], outside])
    column = np.concatenate([columns[kept], n + np.arange(len(outside))])
    shape = (len(where.categories), n + len(outside))
    return sparse.csr_array((np.ones(len(row), np.int32), (row, column)), shape=shape)


@measure("hierarchical_precision", "ancestors", "hP")
def hierarchical_precision(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return |A ∩ T| / |A| of each document, A and T: assigned and true labels with ancestors. kiritchenko2006.

    The paper's hP is the micro-average: both sizes summed over the documents. 0/0 when nothing is assigned.
    """
    return precision(counts, undefined=undefined)


@measure("hierarchical_recall", "ancestors", "hR")
def hierarchical_recall(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return |A ∩ T| / |T| of each document, A and T: assigned and true labels with ancestors. kiritchenko2006.

    The paper's hR is the micro-average: both sizes summed over the documents. 0/0 when nothing is true.
    """
    return recall(counts, undefined=undefined)


@measure("hierarchical_f1", "ancestors", "hF")
def hierarchical_f1(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return 2|A ∩ T| / (|A| + |T|) of each document, A and T with their ancestors. kiritchenko2006.

    The paper's hF is the micro-average, 2·hP·hR / (hP + hR). 0/0 when nothing is true and nothing assigned.
    """
    return f1(counts, undefined=undefined)


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


@measure("lca_precision", "lca", "LCaP")
def lca_precision(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return |A ∩ T| / |A| of each document, A and T the labels with the paths to where they meet. kosmopoulos2015.

    `hierarchical.meeting` says how paths are chosen and where we differ from the paper. 0/0 when nothing is assigned.
    """
    return precision(counts, undefined=undefined)


@measure("lca_recall", "lca", "LCaR")
def lca_recall(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return |A ∩ T| / |T| of each document, A and T the labels with the paths to where they meet. kosmopoulos2015.

    `hierarchical.meeting` says how paths are chosen and where we differ from the paper. 0/0 when nothing is true.
    """
    return recall(counts, undefined=undefined)


@measure("lca_f1", "lca", "LCaF")
def lca_f1(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return 2|A ∩ T| / (|A| + |T|) of each document, A and T: labels with paths to where they meet. kosmopoulos2015.

    0/0 when nothing is true and nothing assigned.
    """
    return f1(counts, undefined=undefined)


@dataclass(frozen=True)
class Level:
    """The categories at one depth: micro-averages, macro-F1, and hP, hR, hF of the nodes there.

    `path_*` count every node at that depth that is a label or above one (see `augmented`): whether the descent is
    right so far. The depth of a category is the fewest links from the root, None for those outside the hierarchy.
    """

    depth: int | None
    categories: int
    tp: int
    fp: int
    fn: int
    precision: float
    recall: float
    f1: float
    macro_f1: float
    path_precision: float
    path_recall: float
    path_f1: float


def by_depth(truth: Sparse, decided: Sparse, where: Placed, *, undefined: Undefined = "zero") -> tuple[Level, ...]:
    """Return one row per depth that has categories, from the top. Cost: labels × ancestors."""
    table = counts(truth, decided)
    paths = counts(*(with_ancestors(labels, where) for labels in (truth, decided)))
    depths = np.where(where.inside, where.hierarchy.depths[where.nodes], -1)
    nodes = np.concatenate([where.hierarchy.depths, np.full(len(where.outside), -1)])
    listed = [*sorted(set(depths[depths >= 0].tolist())), *([-1] if len(where.outside) else [])]
    return tuple(_level(d, _some(table, depths == d), _some(paths, nodes == d), undefined=undefined) for d in listed)


def _some(table: Counts, kept: Bools) -> Counts:
    return Counts(table.tp[kept], table.fp[kept], table.fn[kept], table.tn[kept])


def _level(depth: int, own: Counts, paths: Counts, *, undefined: Undefined) -> Level:
    return Level(
        depth=None if depth < 0 else depth,
        categories=len(own),
        tp=int(own.tp.sum()),
        fp=int(own.fp.sum()),
        fn=int(own.fn.sum()),
        precision=micro("precision", own, undefined=undefined),
        recall=micro("recall", own, undefined=undefined),
        f1=micro("f1", own, undefined=undefined),
        macro_f1=macro("f1", own, undefined=undefined),
        path_precision=micro("precision", paths, undefined=undefined),
        path_recall=micro("recall", paths, undefined=undefined),
        path_f1=micro("f1", paths, undefined=undefined),
    )


@dataclass(frozen=True)
class Far:
    """Histogram of wrong decisions by the number of links to the nearest right one.

    `assigned[k]` false positives are k links from the nearest label of their document, `missed[k]` false negatives
    from the nearest category assigned to it; `assigned_alone` and `missed_alone` have nothing to be near to: no label,
    nothing assigned, or nothing of it in the hierarchy.
    """

    assigned: tuple[int, ...]
    missed: tuple[int, ...]
    assigned_alone: int
    missed_alone: int


def how_far(truth: Sparse, decided: Sparse, where: Placed) -> Far:
    """Return the histogram of distances. Cost: wrong decisions × labels of their documents, and their distances."""
    (assigned, assigned_alone), (missed, missed_alone) = (
        _histogram(wrong, where) for wrong in wrong_decisions(truth, decided)
    )
    return Far(assigned, missed, assigned_alone, missed_alone)


def _histogram(wrong: Wrong, where: Placed) -> tuple[tuple[int, ...], int]:
    a, b = where.nodes[wrong.columns[wrong.items]], where.nodes[wrong.others]
    known = (a >= 0) & (b >= 0)
    nearest = np.full(len(wrong.columns), np.iinfo(np.int64).max)
    np.minimum.at(nearest, wrong.items[known], distances(where.hierarchy, a[known], b[known]))
    met: Ints = nearest[nearest < np.iinfo(np.int64).max]
    return tuple(np.bincount(met).tolist()), len(nearest) - len(met)
