"""Follow links from many nodes at once, as pairs of numbers; cost: the pairs that come out, however deep the hierarchy.

Links are rows: those of node v lead to `ids[starts[v]:starts[v + 1]]`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.errors import InvalidInput, UnknownName
from rubricate.types import Edges, Ints, Sparse

__all__ = [
    "MOST_PAIRS",
    "VIRTUAL_ROOT",
    "Hierarchy",
    "Structure",
    "ancestor_pairs",
    "check_pairs",
    "climb",
    "distinct_pairs",
    "find_cycle",
    "follow_links",
    "reached_pairs",
]

MOST_PAIRS = 1 << 27
"""Pairs of a node and one above or below it that are held at once, about 2 GB; a chain of 16,383 nodes has as many."""


def follow_links(starts: Any, ids: Any, rows: Any, nodes: Any) -> tuple[Ints, Ints]:
    """Follow each (row, node) along all its links: (row, neighbour) pairs, in the order of the links."""
    firsts, ends = starts[nodes], starts[nodes + 1]
    sizes = (ends - firsts).astype(np.int64)
    before = np.cumsum(sizes) - sizes
    places = np.arange(int(sizes.sum())) - np.repeat(before, sizes) + np.repeat(firsts, sizes)
    return np.repeat(rows, sizes), ids[places]


def reached_pairs(starts: Any, ids: Any, nodes: Any, *, tree: bool) -> tuple[Ints, Ints]:
    """Return (position in `nodes`, node that links lead to from there), each node among those that it leads to.

    A pair that several paths of different length lead to comes once for each length. `tree` says that no two paths
    lead to one node.
    """
    reached: Any = np.asarray(nodes, np.int32)
    rows: Any = np.arange(len(reached), dtype=np.int32)
    steps, total = [(rows, reached)], len(rows)
    while len(rows):
        rows, reached = follow_links(starts, ids, rows, reached)
        if not tree:
            rows, reached = distinct_pairs(rows, reached, len(starts) - 1)
        steps.append((rows.astype(np.int32, copy=False), reached.astype(np.int32, copy=False)))
        total += len(rows)
        check_pairs(total)
    all_rows, all_nodes = (np.concatenate(part) for part in zip(*steps, strict=True))
    return all_rows, all_nodes


def check_pairs(count: int) -> None:
    """Refuse hierarchies whose closure does not fit into memory."""
    if count > MOST_PAIRS:
        raise InvalidInput(
            f"the hierarchy is too deep: its nodes have more than {MOST_PAIRS:,} nodes above them in all; "
            "Fix: leave out levels that do not divide documents"
        )


def distinct_pairs(rows: Any, nodes: Any, n: int) -> tuple[Ints, Ints]:
    """Return each pair once, sorted by row, then by node; nodes are below n."""
    keys = np.unique(np.asarray(rows, np.int64) * n + nodes)
    return keys // n, keys % n


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


VIRTUAL_ROOT = "(root)"
"""The name of the node that is put above several top categories."""

Structure: TypeAlias = Literal["virtual tree", "tree", "virtual DAG", "DAG"]
"""The four structures of sunlim2001: virtual where documents are at leaves only, DAG where a node has two parents."""

Nodes: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A checked hierarchy with one root. Make it with `Hierarchy.from_edges`.

    `depths` hold the fewest links from the root. `virtual_root` says that the root was added to join several tops
    and is not a category. Memory is proportional to nodes + links; no method needs recursion.

    >>> tree = Hierarchy.from_edges([("crude", "nat-gas"), ("crude", "ship"), ("grain", "corn"), ("grain", "wheat")])
    >>> tree.root, tree.children("crude"), sorted(tree.coverage("grain"))
    ('(root)', ('nat-gas', 'ship'), ['corn', 'grain', 'wheat'])
    >>> tree.structure(["crude", "ship", "corn"]), tree.structure(["ship", "corn"])
    ('tree', 'virtual tree')
    """

    names: tuple[str, ...]
    parent_starts: Nodes
    parent_ids: Nodes
    child_starts: Nodes
    child_ids: Nodes
    depths: Nodes
    virtual_root: bool

    @classmethod
    def from_edges(
        cls, edges: Iterable[tuple[str, str]], *, nodes: Iterable[str] = (), root: str | None = None
    ) -> Hierarchy:
        """Return the hierarchy of (parent, child) pairs; cost nodes + links.

        `nodes` may add categories that no pair mentions; they stand right under the root. Several tops are joined
        under a virtual root, unless `root` names the one top there must be: then every other top is an orphan and an
        error. A cycle, a pair given twice and an empty name are errors.
        """
        pairs = _checked(edges)
        tops, order = _topological(pairs, nodes)
        if root is not None:
            _check_orphans(tops, order, root)
        if len(tops) != 1 or tops == [VIRTUAL_ROOT]:
            pairs = tuple((VIRTUAL_ROOT, top) for top in tops if top != VIRTUAL_ROOT) + pairs
            order = [VIRTUAL_ROOT, *(name for name in order if name != VIRTUAL_ROOT)]
        return _build(cls, order, pairs)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._positions

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    def index(self, name: str) -> int:
        """Return the number of a node."""
        if name not in self._positions:
            raise UnknownName("category of the hierarchy", name, self.names)
        return self._positions[name]

    @property
    def root(self) -> str:
        """The one node without parents."""
        return self.names[0]

    @property
    def edges(self) -> Edges:
        """The (parent, child) pairs, parents in topological order; the links of a virtual root are among them."""
        parents = np.repeat(np.arange(len(self)), np.diff(self.child_starts))
        return tuple((self.names[p], self.names[c]) for p, c in zip(parents, self.child_ids, strict=True))

    @property
    def leaves(self) -> tuple[str, ...]:
        """The nodes without children, in topological order."""
        return self._named(np.flatnonzero(np.diff(self.child_starts) == 0))

    @property
    def is_tree(self) -> bool:
        """Whether no node has two parents."""
        return bool((np.diff(self.parent_starts) <= 1).all())

    def parents(self, name: str) -> tuple[str, ...]:
        """Return the nodes right above; none for the root."""
        return self._named(_row(self.parent_starts, self.parent_ids, self.index(name)))

    def children(self, name: str) -> tuple[str, ...]:
        """Return the nodes right below, in topological order; none for a leaf."""
        return self._named(_row(self.child_starts, self.child_ids, self.index(name)))

    def depth(self, name: str) -> int:
        """Return the fewest links from the root, which has depth 0."""
        return int(self.depths[self.index(name)])

    def coverage(self, name: str) -> tuple[str, ...]:
        """Return the category and everything below it (sunlim2001, section 2), in topological order."""
        return self._named(_reach(self.child_starts, self.child_ids, self.index(name)))

    def ancestors(self, name: str) -> tuple[str, ...]:
        """Return everything above the category, without it, the root first."""
        return self._named(_reach(self.parent_starts, self.parent_ids, self.index(name))[:-1])

    def coverage_matrix(self) -> Sparse:
        """Return all coverages at once: a boolean matrix whose row c marks coverage(c), in the order of `names`.

        Cost and memory: the sum over the nodes of the number of their ancestors, which is nodes × depth in a tree.
        """
        return coverage_of_links(self.child_starts, self.child_ids)

    def structure(self, labelled: Iterable[str]) -> Structure:
        """Return which of the four structures this is, given the categories that hold documents.

        Labelled categories outside the hierarchy say nothing about it and are passed over.
        """
        leaves = set(self.leaves)
        virtual = all(name in leaves for name in labelled if name in self)
        if self.is_tree:
            return "virtual tree" if virtual else "tree"
        return "virtual DAG" if virtual else "DAG"

    def _named(self, numbers: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.names[number] for number in numbers)


def coverage_of_links(child_starts: Nodes | Ints, child_ids: Nodes | Ints) -> Sparse:
    """Return all coverages, from the rows of children of each node: see `Hierarchy.coverage_matrix`."""
    n, tree = len(child_starts) - 1, bool((np.bincount(child_ids, minlength=1) <= 1).all())
    rows, nodes = reached_pairs(child_starts, child_ids, np.arange(n), tree=tree)
    covered = sparse.csr_array((np.ones(len(rows), dtype=bool), (rows, nodes)), shape=(n, n))
    covered.sort_indices()
    return covered


def _checked(edges: Iterable[tuple[str, str]]) -> Edges:
    seen: dict[tuple[str, str], None] = {}
    for parent, child in edges:
        if not parent or not child:
            raise InvalidInput(f"taxonomy: the pair {(parent, child)!r} has an empty name; name both categories")
        if (parent, child) in seen:
            raise InvalidInput(f"taxonomy: the pair {parent!r} → {child!r} comes twice; give each pair once")
        if child == VIRTUAL_ROOT:
            raise InvalidInput(
                f"taxonomy: {parent!r} stands above {VIRTUAL_ROOT!r}, a name reserved for the root; rename it"
            )
        seen[parent, child] = None
    return tuple(seen)


def _topological(pairs: Edges, nodes: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the tops, and all nodes with parents before children; ties in the order of first mention."""
    waiting = dict.fromkeys((name for pair in pairs for name in pair), 0)
    waiting |= {name: 0 for name in nodes if name not in waiting}
    if not waiting:
        raise InvalidInput("taxonomy: no categories; give at least one (parent, child) pair")
    children: dict[str, list[str]] = {name: [] for name in waiting}
    for parent, child in pairs:
        waiting[child] += 1
        children[parent].append(child)
    tops = [name for name, count in waiting.items() if count == 0]
    order, ready = [], deque(tops)
    while ready:
        order.append(name := ready.popleft())
        for child in children[name]:
            waiting[child] -= 1
            if waiting[child] == 0:
                ready.append(child)
    if len(order) < len(waiting):
        cycle = " → ".join(find_cycle(pairs) or ())
        raise InvalidInput(f"taxonomy: a category cannot be below itself: {cycle}; remove one of these pairs")
    return tops, order


def find_cycle(pairs: Edges) -> tuple[str, ...] | None:
    """Return the names along one cycle, the first again at the end, or None; cost nodes + links.

    >>> find_cycle((("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")))
    ('a', 'b', 'c', 'a')
    """
    children: dict[str, list[str]] = {}
    for parent, child in pairs:
        children.setdefault(parent, []).append(child)
    done: set[str] = set()
    for start in children:
        if start not in done and (cycle := _descend(start, children, done)):
            return cycle
    return None


def _descend(start: str, children: dict[str, list[str]], done: set[str]) -> tuple[str, ...] | None:
    """Search depth first from one node: return the first cycle, or None when everything reached is done."""
    position, rows = {start: 0}, [iter(children[start])]  # position holds the path from start, in order
    while rows:
        child = next(rows[-1], None)
        if child is None:
            rows.pop()
            done.add(position.popitem()[0])
        elif child in position:
            return (*list(position)[position[child] :], child)
        elif child not in done:
            position[child] = len(position)
            rows.append(iter(children.get(child, ())))
    return None


def _check_orphans(tops: Sequence[str], names: Sequence[str], root: str) -> None:
    if root not in tops:
        why = "has a parent" if root in names else "is not among the categories"
        raise InvalidInput(f"taxonomy: the root {root!r} {why}; the tops are {', '.join(map(repr, tops[:5]))}")
    orphans = [name for name in tops if name != root]
    if orphans:
        shown = ", ".join(map(repr, orphans[:5]))
        raise InvalidInput(f"taxonomy: no path from the root {root!r} to {shown}; give each a parent")


def _build(cls: type[Hierarchy], order: list[str], pairs: Edges) -> Hierarchy:
    position = {name: number for number, name in enumerate(order)}
    links = np.array([(position[p], position[c]) for p, c in pairs], dtype=np.int32).reshape(-1, 2)
    parent_starts, parent_ids = _rows(links[:, 1], links[:, 0], len(order))
    child_starts, child_ids = _rows(links[:, 0], links[:, 1], len(order))
    return cls(
        names=tuple(order),
        parent_starts=parent_starts,
        parent_ids=parent_ids,
        child_starts=child_starts,
        child_ids=child_ids,
        depths=_depths(parent_starts, parent_ids),
        virtual_root=order[0] == VIRTUAL_ROOT,
    )


def _rows(row: Nodes, values: Nodes, n: int) -> tuple[Nodes, Nodes]:
    """Gather links by row, the values of a row in ascending order."""
    starts = np.zeros(n + 1, dtype=np.int32)
    np.cumsum(np.bincount(row, minlength=n), out=starts[1:])
    return starts, values[np.lexsort((values, row))]


def _row(starts: Nodes, ids: Nodes, number: int) -> Nodes:
    return ids[starts[number] : starts[number + 1]]


def _depths(parent_starts: Nodes, parent_ids: Nodes) -> Nodes:
    starts, parents, depths = parent_starts.tolist(), parent_ids.tolist(), [0]
    for node in range(1, len(starts) - 1):
        depths.append(1 + min(depths[p] for p in parents[starts[node] : starts[node + 1]]))
    return np.array(depths, dtype=np.int32)


def _reach(starts: Nodes, ids: Nodes, number: int) -> list[int]:
    """Return every node that links lead to, the first one too, in ascending order."""
    seen, stack = {number}, [number]
    while stack:
        for other in _row(starts, ids, stack.pop()).tolist():
            if other not in seen:
                seen.add(other)
                stack.append(other)
    return sorted(seen)
