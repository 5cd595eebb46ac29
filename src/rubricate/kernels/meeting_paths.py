"""The least graphs that connect the true and the assigned labels of documents.

Given  the true and the assigned labels of the same documents as nodes, and the connections between them.
Return for each document the nodes in both sets, in the assigned set alone and in the true set alone. A set holds the
       labels of its side and the nodes of the ways taken. Every label that the other side has not takes one way of
       one of its nearest partners, so that the two sets together are least; of those choices the one with the most
       shared nodes, then the one with the fewest assigned, so that numbers of nodes decide nothing.
Cost   of a document: choices × nodes on the ways. With more than `limit` choices all nearest ways are taken.
Edges  a label without a partner (nothing on the other side, or no connection) stands for itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Lists

__all__ = ["Connections", "TreeWays", "least_graphs", "tree_ways"]


class TreeWays(NamedTuple):
    """The one way between each pair of nodes of a tree: its links (−1: none) and the nodes on either side.

    The meeting point is on both sides.
    """

    far: np.ndarray
    x: Lists
    y: Lists


class Connections(NamedTuple):
    """How the true and the assigned labels of documents are connected.

    `pairs` numbers the connection of each pair of a true and an assigned label of a document, in that order. A
    connection has `far` links (−1: none) and the ways `way_starts[c]` to `way_starts[c + 1]`; `x` and `y` are the nodes
    of each way on the side of the true and of the assigned label, the meeting point on both. `nodes` is the number of
    nodes; with more than `limit` choices in a document all nearest ways are taken.
    """

    pairs: np.ndarray
    far: np.ndarray
    way_starts: np.ndarray
    x: Lists
    y: Lists
    nodes: int
    limit: int


class _Side(NamedTuple):
    """The set of nodes of one side, as stamps, beside that of the other; `sizes` counts both, assigned, true."""

    own: np.ndarray
    other: np.ndarray
    sizes: np.ndarray
    place: int


@numba.njit(cache=True, nogil=True)
def tree_ways(pairs: tuple[np.ndarray, np.ndarray], parents: np.ndarray, depths: np.ndarray) -> TreeWays:
    """Return the way between each pair of nodes of a tree.

    `parents` has −1 for the root; nodes from len(parents) on are outside and meet nothing but themselves.
    """
    xs, ys = pairs
    n = len(xs)
    far, x_starts, y_starts = np.full(n, -1, np.int64), np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    x_nodes, y_nodes = np.empty(16, np.int64), np.empty(16, np.int64)
    for i in range(n):
        x, y, at_x, at_y = xs[i], ys[i], x_starts[i], y_starts[i]
        if x == y or (x < len(parents) and y < len(parents)):
            far[i] = 0
            # The deeper of two nodes is never their meeting point: so it climbs until both are the same.
            while x != y:
                if depths[x] >= depths[y]:
                    x_nodes, x, at_x = _put(x_nodes, at_x, x), parents[x], at_x + 1
                else:
                    y_nodes, y, at_y = _put(y_nodes, at_y, y), parents[y], at_y + 1
                far[i] += 1
            x_nodes, y_nodes, at_x, at_y = _put(x_nodes, at_x, x), _put(y_nodes, at_y, x), at_x + 1, at_y + 1
        x_starts[i + 1], y_starts[i + 1] = at_x, at_y
    return TreeWays(far, Lists(x_starts, x_nodes[: x_starts[n]]), Lists(y_starts, y_nodes[: y_starts[n]]))


@numba.njit(cache=True, nogil=True)
def _put(nodes: np.ndarray, at: int, node: int) -> np.ndarray:
    """Return the array with a node at a place; twice as long where the place is beyond its end."""
    if at == len(nodes):
        longer = np.empty(2 * at, np.int64)
        longer[:at] = nodes
        nodes = longer
    nodes[at] = node
    return nodes


@numba.njit(cache=True, nogil=True)
def _mark(nodes: np.ndarray, stamp: int, side: _Side) -> None:
    """Put nodes into the set of one side, each once."""
    for node in nodes:
        if side.own[node] != stamp:
            side.own[node] = stamp
            side.sizes[side.place] += 1
            side.sizes[0] += side.other[node] == stamp


@numba.njit(cache=True, nogil=True)
def _needs(labels: tuple[np.ndarray, np.ndarray], own: np.ndarray, connections: Connections) -> Lists:
    """Return for each label that one side alone has the ways of its nearest connections.

    `own` are the connections of the document's pairs.
    """
    t, a = labels
    far, way_starts = connections.far, connections.way_starts
    starts, ways, used, at = np.zeros(len(t) + len(a) + 1, np.int64), np.empty(16, np.int64), 0, 0
    for side in range(2):
        mine, theirs = (t, a) if side == 0 else (a, t)
        for i in range(len(mine)):
            best, shared = -1, False
            for j in range(len(theirs)):
                links = far[own[i * len(a) + j] if side == 0 else own[j * len(a) + i]]
                shared |= mine[i] == theirs[j]
                if links >= 0 and (best < 0 or links < best):
                    best = links
            # A label that both sides have needs no way; one without any connection stands for itself.
            if shared or best < 0:
                continue
            for j in range(len(theirs)):
                pair = own[i * len(a) + j] if side == 0 else own[j * len(a) + i]
                if far[pair] == best:
                    for way in range(way_starts[pair], way_starts[pair + 1]):
                        ways, at = _put(ways, at, way), at + 1
            used += 1
            starts[used] = at
    return Lists(starts[: used + 1], ways[:at])


@numba.njit(cache=True, nogil=True)
def _taken(starts: np.ndarray, need: int, digits: int) -> tuple[int, int]:
    """Return the ways that a need takes, from and to: one by the last digit of the choice; all with `digits` −1."""
    low, high = starts[need], starts[need + 1]
    return (low, high) if digits < 0 else (low + digits % (high - low), low + digits % (high - low) + 1)


@numba.njit(cache=True, nogil=True)
def _is_better(sizes: np.ndarray, best: np.ndarray) -> bool:
    """Compare: fewer nodes in all; of as many, more shared; of as many shared, fewer assigned."""
    total, least = sizes[1] + sizes[2], best[1] + best[2]
    if total != least:
        return bool(total < least)
    return bool(sizes[0] > best[0] or (sizes[0] == best[0] and sizes[1] < best[1]))


@numba.njit(cache=True, nogil=True)
def least_graphs(truth: Lists, assigned: Lists, connections: Connections) -> np.ndarray:
    """Return 3 × documents: nodes in both, assigned alone, true alone."""
    documents, stamp, first, limit = len(truth.starts) - 1, 0, 0, connections.limit
    counts, sizes, best = np.zeros((3, documents), np.int64), np.zeros(3, np.int64), np.zeros(3, np.int64)
    # A node is in a set where its mark is the current stamp: sets are emptied by the next stamp alone.
    on_true, on_assigned = np.full(connections.nodes, -1, np.int64), np.full(connections.nodes, -1, np.int64)
    true_side, assigned_side = _Side(on_true, on_assigned, sizes, 2), _Side(on_assigned, on_true, sizes, 1)
    x, y = connections.x, connections.y
    for d in range(documents):
        t = truth.items[truth.starts[d] : truth.starts[d + 1]]
        a = assigned.items[assigned.starts[d] : assigned.starts[d + 1]]
        starts, ways = _needs((t, a), connections.pairs[first : first + len(t) * len(a)], connections)
        first, choices = first + len(t) * len(a), 1
        # The product of the numbers of ways, cut off above the limit so that it cannot overflow.
        for k in range(len(starts) - 1):
            choices = min(choices * (starts[k + 1] - starts[k]), limit + 1)
        for choice in range(choices if choices <= limit else 1):
            sizes[:] = 0
            _mark(t, stamp, true_side)
            _mark(a, stamp, assigned_side)
            # A choice is a number in mixed radix: its digit k is the way that need k takes.
            digits = choice if choices <= limit else -1
            for k in range(len(starts) - 1):
                low, high = _taken(starts, k, digits)
                for way in ways[low:high]:
                    _mark(x.items[x.starts[way] : x.starts[way + 1]], stamp, true_side)
                    _mark(y.items[y.starts[way] : y.starts[way + 1]], stamp, assigned_side)
                digits = digits if digits < 0 else digits // (starts[k + 1] - starts[k])
            stamp += 1
            if choice == 0 or _is_better(sizes, best):
                best[:] = sizes
        counts[0, d], counts[1, d], counts[2, d] = best[0], best[1] - best[0], best[2] - best[0]
    return counts
