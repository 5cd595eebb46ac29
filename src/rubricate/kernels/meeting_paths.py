"""The least graphs that connect the true and the assigned labels of documents.

Given  two label matrices of the same documents as rows of nodes (starts and numbers); for each pair of a true and an
       assigned label of a document, in that order, the number of its connection; and the connections: how many links
       each has (−1: none), its ways, and the nodes of each way on either side, the meeting point on both.
Return for each document the nodes in both sets, in the assigned set alone and in the true set alone. A set holds the
       labels of its side and the nodes of the ways taken. Every label that the other side has not takes one way of
       one of its nearest partners, so that the two sets together are least; of those choices the one with the most
       shared nodes, then the one with the fewest assigned, so that numbers of nodes decide nothing.
Cost   of a document: choices × nodes on the ways. With more than `limit` choices all nearest ways are taken.
Edges  a label without a partner (nothing on the other side, or no connection) stands for itself.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["least_graphs", "tree_ways"]


@numba.njit(cache=True, nogil=True)
def tree_ways(
    xs: np.ndarray, ys: np.ndarray, parents: np.ndarray, depths: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The one way between nodes xs[i] and ys[i] of a tree: links, starts and nodes on the side of x, and of y.

    `parents` has −1 for the root; nodes from len(parents) on are outside and meet nothing but themselves.
    """
    n = len(xs)
    far, x_starts, y_starts = np.full(n, -1, np.int64), np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    x_nodes, y_nodes = np.empty(16, np.int64), np.empty(16, np.int64)
    for i in range(n):
        x, y, at_x, at_y = xs[i], ys[i], x_starts[i], y_starts[i]
        if x == y or (x < len(parents) and y < len(parents)):
            far[i] = 0
            while x != y:
                if depths[x] >= depths[y]:
                    x_nodes, x, at_x = _put(x_nodes, at_x, x), parents[x], at_x + 1
                else:
                    y_nodes, y, at_y = _put(y_nodes, at_y, y), parents[y], at_y + 1
                far[i] += 1
            x_nodes, y_nodes, at_x, at_y = _put(x_nodes, at_x, x), _put(y_nodes, at_y, x), at_x + 1, at_y + 1
        x_starts[i + 1], y_starts[i + 1] = at_x, at_y
    return far, x_starts, x_nodes[: x_starts[n]], y_starts, y_nodes[: y_starts[n]]


@numba.njit(cache=True, nogil=True)
def _put(nodes: np.ndarray, at: int, node: int) -> np.ndarray:
    """The array with a node at a place; twice as long where the place is beyond its end."""
    if at == len(nodes):
        longer = np.empty(2 * at, np.int64)
        longer[:at] = nodes
        nodes = longer
    nodes[at] = node
    return nodes


@numba.njit(cache=True, nogil=True)
def _mark(node: int, stamp: int, own: np.ndarray, other: np.ndarray, sizes: np.ndarray, side: int) -> None:
    """Put a node into the set of one side; `sizes` counts both, assigned, true."""
    if own[node] != stamp:
        own[node] = stamp
        sizes[side] += 1
        sizes[0] += other[node] == stamp


@numba.njit(cache=True, nogil=True)
def _needs(
    t: np.ndarray, a: np.ndarray, own: np.ndarray, far: np.ndarray, way_starts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """For each label of one side only the ways of its nearest connections, one label after the other: starts, ways."""
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
            if shared or best < 0:
                continue
            for j in range(len(theirs)):
                pair = own[i * len(a) + j] if side == 0 else own[j * len(a) + i]
                if far[pair] == best:
                    for way in range(way_starts[pair], way_starts[pair + 1]):
                        ways, at = _put(ways, at, way), at + 1
            used += 1
            starts[used] = at
    return starts[: used + 1], ways[:at]


@numba.njit(cache=True, nogil=True)
def _taken(starts: np.ndarray, need: int, digits: int) -> tuple[int, int]:
    """The ways that a need takes, from and to: one by the last digit of the choice; all where `digits` is −1."""
    low, high = starts[need], starts[need + 1]
    return (low, high) if digits < 0 else (low + digits % (high - low), low + digits % (high - low) + 1)


@numba.njit(cache=True, nogil=True)
def _mark_all(nodes: np.ndarray, stamp: int, own: np.ndarray, other: np.ndarray, sizes: np.ndarray, side: int) -> None:
    for node in nodes:
        _mark(node, stamp, own, other, sizes, side)


@numba.njit(cache=True, nogil=True)
def _is_better(sizes: np.ndarray, best: np.ndarray) -> bool:
    """Fewer nodes in all; of as many, more shared; of as many shared, fewer assigned."""
    total, least = sizes[1] + sizes[2], best[1] + best[2]
    if total != least:
        return bool(total < least)
    return bool(sizes[0] > best[0] or (sizes[0] == best[0] and sizes[1] < best[1]))


@numba.njit(cache=True, nogil=True)
def least_graphs(
    t_starts: np.ndarray,
    t_nodes: np.ndarray,
    a_starts: np.ndarray,
    a_nodes: np.ndarray,
    pairs: np.ndarray,
    far: np.ndarray,
    way_starts: np.ndarray,
    x_starts: np.ndarray,
    x_nodes: np.ndarray,
    y_starts: np.ndarray,
    y_nodes: np.ndarray,
    nodes: int,
    limit: int,
) -> np.ndarray:
    """3 × documents: in both, assigned alone, true alone."""
    documents, stamp, first = len(t_starts) - 1, 0, 0
    found, sizes, best = np.zeros((3, documents), np.int64), np.zeros(3, np.int64), np.zeros(3, np.int64)
    on_true, on_assigned = np.full(nodes, -1, np.int64), np.full(nodes, -1, np.int64)
    for d in range(documents):
        t, a = t_nodes[t_starts[d] : t_starts[d + 1]], a_nodes[a_starts[d] : a_starts[d + 1]]
        starts, ways = _needs(t, a, pairs[first : first + len(t) * len(a)], far, way_starts)
        first, choices = first + len(t) * len(a), 1
        for k in range(len(starts) - 1):
            choices = min(choices * (starts[k + 1] - starts[k]), limit + 1)
        for choice in range(choices if choices <= limit else 1):
            sizes[:] = 0
            _mark_all(t, stamp, on_true, on_assigned, sizes, 2)
            _mark_all(a, stamp, on_assigned, on_true, sizes, 1)
            digits = choice if choices <= limit else -1
            for k in range(len(starts) - 1):
                low, high = _taken(starts, k, digits)
                for way in ways[low:high]:
                    _mark_all(x_nodes[x_starts[way] : x_starts[way + 1]], stamp, on_true, on_assigned, sizes, 2)
                    _mark_all(y_nodes[y_starts[way] : y_starts[way + 1]], stamp, on_assigned, on_true, sizes, 1)
                digits = digits if digits < 0 else digits // (starts[k + 1] - starts[k])
            stamp += 1
            if choice == 0 or _is_better(sizes, best):
                best[:] = sizes
        found[0, d], found[1, d], found[2, d] = best[0], best[1] - best[0], best[2] - best[0]
    return found
