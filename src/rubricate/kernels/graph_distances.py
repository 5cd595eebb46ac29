"""Fewest links between pairs of nodes of a graph, links taken in both directions.

Given  the parents and the children of every node, and pairs (source, target) sorted by source.
Return the number of links of the shortest path of each pair; −1 where there is none (never in one hierarchy).
Cost   one breadth-first search per distinct source, stopped when its last target is met: at most nodes + links each.
       Equal nodes are 0 apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Lists

__all__ = ["NodePairs", "bounded_search"]


class NodePairs(NamedTuple):
    """NodePairs of nodes (sources[i], targets[i])."""

    sources: np.ndarray
    targets: np.ndarray


class _Search(NamedTuple):
    """The distance of each node from the source (−1: not met), the nodes met in order, and their number."""

    far: np.ndarray
    queue: np.ndarray
    met: np.ndarray


@numba.njit(cache=True, nogil=True)
def _spread(search: _Search, node: int, links: Lists) -> None:
    """Queue the neighbours of a node that were not met before."""
    tail = search.met[0]
    for place in range(links.starts[node], links.starts[node + 1]):
        other = links.items[place]
        if search.far[other] < 0:
            search.far[other] = search.far[node] + 1
            search.queue[tail] = other
            tail += 1
    search.met[0] = tail


@numba.njit(cache=True, nogil=True)
def bounded_search(parents: Lists, children: Lists, pairs: NodePairs) -> np.ndarray:
    """Return the distance of each pair."""
    sources, targets = pairs
    nodes = len(parents.starts) - 1
    search = _Search(np.full(nodes, -1, np.int64), np.empty(nodes, np.int64), np.zeros(1, np.int64))
    wanted = np.zeros(nodes, np.bool_)
    distances = np.full(len(sources), -1, np.int64)
    first = 0
    while first < len(sources):
        source, last, left = sources[first], first, 0
        while last < len(sources) and sources[last] == source:
            if not wanted[targets[last]]:
                wanted[targets[last]] = True
                left += 1
            last += 1
        head, search.met[0] = 0, 1
        search.queue[0], search.far[source] = source, 0
        # `left` counts the distinct targets of this source that the search has not taken from the queue yet.
        while head < search.met[0] and left > 0:
            node = search.queue[head]
            head += 1
            left -= wanted[node]
            _spread(search, node, parents)
            _spread(search, node, children)
        for pair in range(first, last):
            distances[pair] = search.far[targets[pair]]
            wanted[targets[pair]] = False
        # Only nodes that were met are reset: a short search costs no pass over all nodes.
        for place in range(search.met[0]):
            search.far[search.queue[place]] = -1
        first = last
    return distances
