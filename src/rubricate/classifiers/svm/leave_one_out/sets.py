"""Room for the working sets of many categories, one after the other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from rubricate.kernels.lane_code import lined
from rubricate.kernels.svm_sets import LANES, CategorySets
from rubricate.types import Floats, Ints

__all__ = ["cut", "empty_sets", "enlarged"]


def empty_sets(rooms: Ints) -> CategorySets:
    """Return working sets without documents, with room for so many in each category."""
    wide = -(-rooms // LANES) * LANES
    starts, blocks = (np.concatenate([[0], np.cumsum(each)]) for each in (wide, wide**2))
    return CategorySets(
        starts=starts,
        counts=np.zeros(len(rooms), np.int64),
        rows=np.zeros(starts[-1], np.int64),
        beta=np.zeros(starts[-1]),
        share=np.zeros(starts[-1]),
        blocks=blocks,
        products=lined(int(blocks[-1]) // LANES, np.int16).reshape(-1),
    )


def enlarged(sets: CategorySets, rooms: Ints) -> CategorySets:
    """Return the same working sets with other room, for no fewer documents than they have."""
    more = empty_sets(rooms)
    more.counts[:] = sets.counts
    for k, count in enumerate(sets.counts):
        old, new = (slice(each.starts[k], each.starts[k] + count) for each in (sets, more))
        for part in ("rows", "beta", "share"):
            getattr(more, part)[new] = getattr(sets, part)[old]
        square(more, k)[:count, :count] = square(sets, k)[:count, :count]
    return more


def square(sets: CategorySets, k: int) -> Ints:
    """Return the products of a category's documents, with all the room there is."""
    room = sets.starts[k + 1] - sets.starts[k]
    products: Ints = sets.products[sets.blocks[k] : sets.blocks[k + 1]].reshape(room, room)
    return products


def cut(costs: Floats, parts: int) -> list[tuple[int, int]]:
    """Return spans (first, after the last) of tasks in a row that cost about the same, `parts` of them at most.

    >>> cut(np.array([1.0, 1.0, 1.0, 3.0]), 2)
    [(0, 3), (3, 4)]
    """
    total = np.cumsum(costs)
    ends = np.searchsorted(total, total[-1] * np.arange(1, parts) / parts, side="left") + 1 if len(total) else []
    edges = np.unique([0, *ends, len(total)])
    return list(pairwise(edges.tolist()))
