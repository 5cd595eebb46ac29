"""Measures of rankings of documents when each document counts as often as it was drawn.

Problem  Resampling documents changes their weights, not their order: sorted once, each ranking is measured anew by
         sums of weights.
Given    the rankings one after the other (`starts`), best first: the document of each item (`documents`), whether it
         is true (`true`), whether it is the last of its tie (`last`); the weight of each document.
Return   for each ranking: average precision, R-precision, 11-point average precision, break-even point, optimal F1.
         NaN where the weighted ranking has no true item.
Rules    those of the measures for a weight of 1 each: a tie is cut as a whole; items that are not listed are not
         found but, where true, in the number of true items (`missed`, by ranking).
Cost     listed items of all rankings, in each call.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["weighted_rankings"]

LEVELS = 11


@numba.njit(cache=True, nogil=True)
def weighted_rankings(
    starts: np.ndarray,
    documents: np.ndarray,
    true: np.ndarray,
    last: np.ndarray,
    missed: np.ndarray,
    weights: np.ndarray,
) -> np.ndarray:
    """(AP, R-precision, 11-point, BEP, optimal F1) of each ranking; `missed` is documents of true items not listed."""
    rankings = len(starts) - 1
    found = np.full((rankings, 5), np.nan)
    for r in range(rankings):
        listed = documents[starts[r] : starts[r + 1]]
        labels = true[starts[r] : starts[r + 1]]
        n = missed[r]
        for i in range(len(listed)):
            n += weights[listed[i]] * labels[i]
        if n > 0:
            _measure(listed, labels, last[starts[r] : starts[r + 1]], weights, n, found[r])
    return found


@numba.njit(cache=True, nogil=True)
def _nearer(hits: int, assigned: int, n: int, nearest: float, value: float) -> tuple[float, float]:
    """The pair of precision and recall that is nearest so far: their distance and their mean."""
    p, r = hits / assigned, hits / n
    distance, middle = abs(p - r), (p + r) / 2
    if hits > 0 and (distance < nearest or (distance == nearest and middle > value)):
        return distance, middle
    return nearest, value


@numba.njit(cache=True, nogil=True)
def _measure(
    listed: np.ndarray, labels: np.ndarray, last: np.ndarray, weights: np.ndarray, n: int, found: np.ndarray
) -> None:
    """One ranking. Between two hits |P - R| falls towards the cut at n, so only cuts beside hits and n are tried."""
    levels = np.zeros(LEVELS)
    assigned, hits, before, hits_before = 0, 0, 0, 0
    precision_sum, inside, best_f1, nearest, bep, exact = 0.0, 0.0, 0.0, np.inf, 0.0, -1.0
    for i in range(len(listed)):
        weight = weights[listed[i]]
        assigned += weight
        hits += weight * labels[i]
        if not last[i]:
            continue
        if hits > hits_before or before < n < assigned:
            if before > 0:
                nearest, bep = _nearer(hits_before, before, n, nearest, bep)
            nearest, bep = _nearer(hits, assigned, n, nearest, bep)
        if hits > hits_before:
            p = hits / assigned
            precision_sum += (hits - hits_before) * p
            level = (LEVELS - 1) * hits // n
            levels[level] = max(levels[level], p) if level < LEVELS - 1 else p
            levels[LEVELS - 1] = p
            inside += (hits - hits_before) * min(max((n - before) / (assigned - before), 0.0), 1.0)
            best_f1 = max(best_f1, 2 * hits / (assigned + n))
        if assigned == n:
            exact = hits / n
        before, hits_before = assigned, hits
    if before > 0:
        nearest, bep = _nearer(hits, before, n, nearest, bep)
    for level in range(LEVELS - 2, -1, -1):
        levels[level] = max(levels[level], levels[level + 1])
    found[0], found[1], found[2] = precision_sum / n, inside / n, np.mean(levels)
    found[3], found[4] = exact if exact >= 0 else bep, best_f1
