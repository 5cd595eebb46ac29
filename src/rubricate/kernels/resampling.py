"""Measures of rankings of documents when each document counts as often as it was drawn.

Problem  Resampling documents changes their weights, not their order: sorted once, each ranking is measured anew by
         sums of weights.
Given    the rankings one after the other (`starts`), best first: the document of each item (`documents`), whether it
         is true (`true`), whether it is the last of its tie (`last`); the weight of each document.
Return   for each ranking: average precision, R-precision, 11-point average precision, break-even point, optimal F1.
         NaN where the weighted ranking has no true item.
Rules    those of the measures for a weight of 1 each: a tie is cut as a whole; items that are not listed are never
         assigned but, where true, belong to the number of true items (`missed`, by ranking).
Cost     listed items of all rankings, in each call.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

__all__ = ["RankedItems", "weighted_rankings"]

LEVELS = 11


class RankedItems(NamedTuple):
    """Rankings one after the other, best item first; ranking r is `starts[r]` to `starts[r + 1]`."""

    starts: np.ndarray
    documents: np.ndarray
    true: np.ndarray
    last: np.ndarray


@numba.njit(cache=True, nogil=True)
def weighted_rankings(items: RankedItems, missed: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return (AP, R-precision, 11-point, BEP, optimal F1) of each ranking; `missed` weighs true items not listed."""
    rankings = len(items.starts) - 1
    values = np.full((rankings, 5), np.nan)
    for r in range(rankings):
        part = slice(items.starts[r], items.starts[r + 1])
        documents, true, n = items.documents[part], items.true[part], missed[r]
        for i in range(len(documents)):
            n += weights[documents[i]] * true[i]
        if n > 0:
            values[r] = _measure((documents, true, items.last[part]), weights, n)
    return values


@numba.njit(cache=True, nogil=True)
def _nearer(nearest: tuple[float, float], hits: int, assigned: int, n: int) -> tuple[float, float]:
    """Return the distance and the mean of the pair of precision and recall that is nearest so far."""
    p, r = hits / assigned, hits / n
    distance, middle = abs(p - r), (p + r) / 2
    if hits > 0 and (distance < nearest[0] or (distance == nearest[0] and middle > nearest[1])):
        return distance, middle
    return nearest


@numba.njit(cache=True, nogil=True)
def _measure(ranking: tuple[np.ndarray, np.ndarray, np.ndarray], weights: np.ndarray, n: int) -> np.ndarray:
    """Measure one ranking (`documents`, `true`, `last`), in which items of weight n are true."""
    documents, true, last = ranking
    levels = np.zeros(LEVELS)
    assigned, hits, before, hits_before = 0, 0, 0, 0
    precision_sum, inside, best_f1, exact = 0.0, 0.0, 0.0, -1.0
    nearest = (np.inf, 0.0)
    for i in range(len(documents)):
        weight = weights[documents[i]]
        assigned += weight
        hits += weight * true[i]
        # No cut parts a tie: everything is read at its last item.
        if not last[i]:
            continue
        # Between two hits |P − R| falls towards the cut at n, so only cuts beside hits and beside n can be nearest.
        if hits > hits_before or before < n < assigned:
            if before > 0:
                nearest = _nearer(nearest, hits_before, before, n)
            nearest = _nearer(nearest, hits, assigned, n)
        if hits > hits_before:
            p = hits / assigned
            precision_sum += (hits - hits_before) * p
            # The interval [level/10, (level + 1)/10) of recall, in integers; the last hit also stands at recall 1.
            level = (LEVELS - 1) * hits // n
            levels[level] = max(levels[level], p) if level < LEVELS - 1 else p
            levels[LEVELS - 1] = p
            # The share of the tie that stands at rank n or before it, over all orders of the tie.
            inside += (hits - hits_before) * min(max((n - before) / (assigned - before), 0.0), 1.0)
            best_f1 = max(best_f1, 2 * hits / (assigned + n))
        if assigned == n:
            exact = hits / n
        before, hits_before = assigned, hits
    if before > 0:
        nearest = _nearer(nearest, hits, before, n)
    # Interpolation: each level gets the highest precision at it and to the right of it.
    for level in range(LEVELS - 2, -1, -1):
        levels[level] = max(levels[level], levels[level + 1])
    break_even = exact if exact >= 0 else nearest[1]
    return np.array([precision_sum / n, inside / n, np.mean(levels), break_even, best_f1])
