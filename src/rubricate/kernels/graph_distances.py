"""Fewest links between pairs of nodes of a graph, links taken in both directions.

Given  rows of parents and rows of children of every node (starts and numbers), and pairs (source, target) sorted by
       source.
Return the number of links of the shortest path of each pair; −1 where there is none (never in one hierarchy).
Cost   one breadth-first search a distinct source, stopped when its last target is met: at most nodes + links each.
       Equal nodes are 0 apart.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["bounded_search"]


@numba.njit(cache=True, nogil=True)
def _spread(node: int, starts: np.ndarray, ids: np.ndarray, far: np.ndarray, queue: np.ndarray, tail: int) -> int:
    """Queue the neighbours of a node that were not met before; the new end of the queue."""
    for place in range(starts[node], starts[node + 1]):
        other = ids[place]
        if far[other] < 0:
            far[other] = far[node] + 1
            queue[tail] = other
            tail += 1
    return tail


@numba.njit(cache=True, nogil=True)
def bounded_search(
    parent_starts: np.ndarray,
    child_starts: np.ndarray,
    parent_ids: np.ndarray,
    child_ids: np.ndarray,
    sources: np.ndarray,
    targets: np.ndarray,
) -> np.ndarray:
    """The distance of each pair."""
    nodes = len(parent_starts) - 1
    far = np.full(nodes, -1, np.int64)
    wanted = np.zeros(nodes, np.bool_)
    queue = np.empty(nodes, np.int64)
    found = np.full(len(sources), -1, np.int64)
    first = 0
    while first < len(sources):
        source, last, left = sources[first], first, 0
        while last < len(sources) and sources[last] == source:
            if not wanted[targets[last]]:
                wanted[targets[last]] = True
                left += 1
            last += 1
        head, tail = 0, 1
        queue[0], far[source] = source, 0
        while head < tail and left > 0:
            node = queue[head]
            head += 1
            left -= wanted[node]
            tail = _spread(node, parent_starts, parent_ids, far, queue, tail)
            tail = _spread(node, child_starts, child_ids, far, queue, tail)
        for pair in range(first, last):
            found[pair] = far[targets[pair]]
            wanted[targets[pair]] = False
        for place in range(tail):
            far[queue[place]] = -1
        first = last
    return found
