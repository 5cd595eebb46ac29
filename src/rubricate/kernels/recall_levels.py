"""Precision at the eleven recall levels 0, .1, …, 1 of many rankings.

Given  points of rankings: the ranking (`row`), the true items down to the point (`hits`), its place (`rank`), and the
       true items of the whole ranking (`labels`); all whole numbers, so that intervals are decided exactly.
Return tables rankings × 11. Cost: points + 11 × rankings. Ties need no rule: only maxima are taken.
Edges  an interval without a point has 0; a ranking without points has 0 everywhere.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["LEVELS", "best_in_intervals", "last_points", "running_maximum"]

LEVELS = 11


@numba.njit(cache=True, nogil=True)
def best_in_intervals(
    row: np.ndarray, hits: np.ndarray, rank: np.ndarray, labels: np.ndarray, rankings: int
) -> np.ndarray:
    """The highest precision with recall in [i/10, (i + 1)/10), for i < 10; the last column stays 0."""
    table = np.zeros((rankings, LEVELS))
    for k in range(len(row)):
        interval = (LEVELS - 1) * hits[k] // labels[k]
        precision = hits[k] / rank[k]
        if interval < LEVELS - 1 and precision > table[row[k], interval]:
            table[row[k], interval] = precision
    return table


@numba.njit(cache=True, nogil=True)
def last_points(row: np.ndarray, hits: np.ndarray, rank: np.ndarray, rankings: int) -> np.ndarray:
    """The precision at the point with most hits of each ranking."""
    most = np.zeros(rankings, np.int64)
    found = np.zeros(rankings)
    for k in range(len(row)):
        if hits[k] >= most[row[k]]:
            most[row[k]] = hits[k]
            found[row[k]] = hits[k] / rank[k]
    return found


@numba.njit(cache=True, nogil=True)
def running_maximum(table: np.ndarray) -> np.ndarray:
    """Each entry replaced by the highest in its row from there to the right."""
    found = table.copy()
    for row in range(len(found)):
        for level in range(found.shape[1] - 2, -1, -1):
            if found[row, level + 1] > found[row, level]:
                found[row, level] = found[row, level + 1]
    return found
