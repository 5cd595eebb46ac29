"""The k best of a stream of items, in a heap whose top is the worst of those kept.

Given  two arrays of k places (values and items) and how many places are taken; items come one at a time.
Return `offer`: the new number of places taken; `ranked`: the places put in order, best first.
Cost   one comparison per item, and log2(k) more for an item that is kept; nothing is allocated.
Ties   equal values go to the smaller item, in whichever order they come.
Edges  NaN must not occur. An item is offered at most once. With k = 0 nothing is kept.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["offer", "ranked", "worse"]


@numba.njit(cache=True, nogil=True, inline="always")
def worse(a: float, a_item: int, b: float, b_item: int) -> bool:
    """Tell whether a stands below b."""
    return a < b or (a == b and a_item > b_item)


@numba.njit(cache=True, nogil=True)
def _sink(value: float, item: int, kept: int, values: np.ndarray, items: np.ndarray) -> None:
    """Put an item in place of the top, and down to where nothing worse is below it."""
    at = 0
    while 2 * at + 1 < kept:
        child = 2 * at + 1
        # The worse child: it becomes the top of its part of the heap.
        if child + 1 < kept and worse(values[child + 1], items[child + 1], values[child], items[child]):
            child += 1
        if not worse(values[child], items[child], value, item):
            break
        values[at], items[at] = values[child], items[child]
        at = child
    values[at], items[at] = value, item


@numba.njit(cache=True, nogil=True)
def offer(value: float, item: int, kept: int, values: np.ndarray, items: np.ndarray) -> int:
    """Keep the item if a place is free or if it is better than the worst; the number of places taken."""
    if kept == len(values):
        if kept > 0 and worse(values[0], items[0], value, item):
            _sink(value, item, kept, values, items)
        return kept
    at = kept
    while at > 0:
        above = (at - 1) // 2
        if not worse(value, item, values[above], items[above]):
            break
        values[at], items[at] = values[above], items[above]
        at = above
    values[at], items[at] = value, item
    return kept + 1


@numba.njit(cache=True, nogil=True)
def ranked(kept: int, values: np.ndarray, items: np.ndarray) -> None:
    """Put the places taken in order, best first."""
    for last in range(kept - 1, 0, -1):
        value, item = values[last], items[last]
        values[last], items[last] = values[0], items[0]
        _sink(value, item, last, values, items)
