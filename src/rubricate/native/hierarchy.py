"""Distances in hierarchies, and the smallest graphs that connect labels (native/hierarchy.c)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rubricate.native.library import check_lengths, core
from rubricate.native.measures import check_indices, check_lists, check_starts, run_long
from rubricate.native.sparse import Lists

__all__ = ["Connections", "count_smallest_graphs", "graph_distances", "tree_paths"]


def graph_distances(parents: Lists, children: Lists, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the fewest links between x[i] and y[i], in both directions; −1 without a path. x ascends."""
    nodes = parents.length
    check_lists(nodes, parents, children)
    check_indices(nodes, len(x), x=x, y=y)
    distances = np.empty(len(x), np.int64)
    work = min(len(x), nodes) * (nodes + len(parents.items))
    run_long("rb_graph_distances", work, parents, children, len(x), x, y, distances)
    return distances


def tree_paths(
    parents: np.ndarray, depths: np.ndarray, x: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, Lists, Lists]:
    """Return the links between x[i] and y[i] (−1: none), and the nodes on the side of x and of y, each from its end.

    The meeting point is on both sides. Parents come before their children; node 0 is the root, with the parent −1.
    Nodes from the size of the tree on are outside of it and meet nothing but themselves.
    """
    size, above = len(parents), parents[1:]
    check_lengths(size, depths=depths)
    check_indices(2**31 - 1, len(x), x=x, y=y)
    good = size > 0 and depths[0] == 0 and ((above >= 0) & (above < np.arange(1, size))).all()
    if not good or (depths[1:] != depths[above] + 1).any():
        raise ValueError("every node but the root, node 0, needs a parent before it, one link less deep")
    links, starts = np.empty(len(x), np.int64), [np.zeros(len(x) + 1, np.int64) for _ in range(2)]
    most = [np.append(depths, 0)[np.minimum(side, size)] + 1 for side in (x, y)]
    nodes = [np.empty(int(side.sum()), np.int32) for side in most]
    core.rb_tree_paths(size, parents, depths, len(x), x, y, links, starts[0], nodes[0], starts[1], nodes[1])
    of_x, of_y = (Lists(first, side[: first[-1]].copy()) for first, side in zip(starts, nodes, strict=True))
    return links, of_x, of_y


class Connections(NamedTuple):
    """How the true and the assigned labels of documents are connected.

    `pairs` numbers the connection of each pair of a true and an assigned label of a document, in that order. A
    connection has `links` (−1: none) and paths `path_starts[c]` to `path_starts[c + 1]`; `x` and `y` are the nodes of
    each path on either side. With more than `limit` choices in a document all nearest paths are taken.
    """

    pairs: np.ndarray
    links: np.ndarray
    path_starts: np.ndarray
    x: Lists
    y: Lists
    nodes: int
    limit: int


def count_smallest_graphs(truth: Lists, assigned: Lists, connections: Connections) -> np.ndarray:
    """Return 3 × documents: nodes in both sets, in the assigned set alone, in the true set alone."""
    pairs, links, path_starts, x, y, nodes, limit = connections
    check_lists(nodes, truth, assigned)
    check_lists(nodes, x, y)
    check_indices(len(links), int(np.diff(truth.starts) @ np.diff(assigned.starts)), pairs=pairs)
    check_lengths(len(links) + 1, path_starts=path_starts)
    check_starts(path_starts, x.length)
    if ((links >= 0) & (np.diff(path_starts) == 0)).any() or not 0 <= limit < 2**31:
        raise ValueError("a connection has links but no path, or the limit is outside of 0 to 2^31 - 1")
    counts = np.zeros((3, truth.length), np.int64)
    work = min(limit, len(pairs)) * (len(pairs) + len(x.items))
    run_long("rb_count_smallest_graphs", work, truth, assigned, connections, counts)
    return counts
