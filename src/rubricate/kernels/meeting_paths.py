"""Nodes on the paths that connect the true and the assigned labels of documents in a tree.

Given  two label matrices of the same documents as rows of nodes (starts and numbers), the parent of each node of the
       tree (−1 for the root) and its depth. Nodes from len(parents) on are outside the tree.
Return for each document the nodes in both sets, in the assigned set alone and in the true set alone. The sets hold the
       labels and, for every true and assigned label of which one is a nearest partner of the other, the nodes from
       each up to where they meet, the meeting point in both.
Cost   true × assigned labels × links between them, document by document. Ties: all nearest partners take part. A node
       outside meets itself only; a document with labels on one side only has nothing to connect.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["meeting_paths"]


@numba.njit(cache=True, nogil=True)
def _links(x: int, y: int, parents: np.ndarray, depths: np.ndarray) -> int:
    """The links between two nodes; −1 where there is no path."""
    if x == y:
        return 0
    if x >= len(parents) or y >= len(parents):
        return -1
    far = 0
    while x != y:
        if depths[x] >= depths[y]:
            x = parents[x]
        else:
            y = parents[y]
        far += 1
    return far


@numba.njit(cache=True, nogil=True)
def _put(node: int, d: int, own: np.ndarray, other: np.ndarray, sizes: np.ndarray, side: int) -> None:
    """Put a node into the set of one side of document d; `sizes` counts both, assigned, true."""
    if own[node] != d:
        own[node] = d
        sizes[side] += 1
        sizes[0] += other[node] == d


@numba.njit(cache=True, nogil=True)
def _nearest(t: np.ndarray, a: np.ndarray, parents: np.ndarray, depths: np.ndarray) -> np.ndarray:
    """For each true and assigned label, whether one is a nearest partner of the other."""
    none = np.iinfo(np.int64).max
    far = np.full((len(t), len(a)), none)
    best_t, best_a = np.full(len(t), none), np.full(len(a), none)
    for i in range(len(t)):
        for j in range(len(a)):
            links = _links(t[i], a[j], parents, depths)
            if links >= 0:
                far[i, j] = links
                best_t[i], best_a[j] = min(best_t[i], links), min(best_a[j], links)
    near = np.zeros((len(t), len(a)), np.bool_)
    for i in range(len(t)):
        for j in range(len(a)):
            near[i, j] = far[i, j] < none and (far[i, j] == best_t[i] or far[i, j] == best_a[j])
    return near


@numba.njit(cache=True, nogil=True)
def _connect(
    x: int,
    y: int,
    d: int,
    parents: np.ndarray,
    depths: np.ndarray,
    on_true: np.ndarray,
    on_assigned: np.ndarray,
    sizes: np.ndarray,
) -> None:
    """Put the nodes from x and y up to where they meet into the two sets, the meeting point into both."""
    while x != y:
        if depths[x] >= depths[y]:
            x = parents[x]
            _put(x, d, on_true, on_assigned, sizes, 2)
        else:
            y = parents[y]
            _put(y, d, on_assigned, on_true, sizes, 1)
    _put(x, d, on_true, on_assigned, sizes, 2)
    _put(x, d, on_assigned, on_true, sizes, 1)


@numba.njit(cache=True, nogil=True)
def meeting_paths(
    t_starts: np.ndarray,
    t_nodes: np.ndarray,
    a_starts: np.ndarray,
    a_nodes: np.ndarray,
    parents: np.ndarray,
    depths: np.ndarray,
    nodes: int,
) -> np.ndarray:
    """3 × documents: in both, assigned alone, true alone."""
    documents = len(t_starts) - 1
    found = np.zeros((3, documents), np.int64)
    on_true, on_assigned = np.full(nodes, -1, np.int64), np.full(nodes, -1, np.int64)
    sizes = np.zeros(3, np.int64)
    for d in range(documents):
        t, a = t_nodes[t_starts[d] : t_starts[d + 1]], a_nodes[a_starts[d] : a_starts[d + 1]]
        sizes[:] = 0
        for node in t:
            _put(node, d, on_true, on_assigned, sizes, 2)
        for node in a:
            _put(node, d, on_assigned, on_true, sizes, 1)
        near = _nearest(t, a, parents, depths)
        for i in range(len(t)):
            for j in range(len(a)):
                if near[i, j]:
                    _connect(t[i], a[j], d, parents, depths, on_true, on_assigned, sizes)
        found[0, d], found[1, d], found[2, d] = sizes[0], sizes[1] - sizes[0], sizes[2] - sizes[0]
    return found
