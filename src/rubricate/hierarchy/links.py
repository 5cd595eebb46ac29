"""Follow links from many nodes at once, as pairs of numbers; cost: the pairs that come out, however deep the hierarchy.

Links are rows: those of node v lead to `ids[starts[v]:starts[v + 1]]`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.types import Ints

__all__ = ["MOST_PAIRS", "check_pairs", "distinct_pairs", "follow_links", "reached_pairs"]

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
