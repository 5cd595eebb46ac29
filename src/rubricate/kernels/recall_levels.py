"""Precision at the eleven recall levels 0, .1, …, 1 of many rankings.

Given  points of rankings: the ranking (`row`), the true items down to the point (`hits`), its place (`rank`), and the
       true items of the whole ranking (`labels`); all whole numbers, so that intervals are decided exactly.
Return tables rankings × 11. Cost: points + 11 × rankings. Ties need no rule: only maxima are taken.
Edges  an interval without a point has 0; a ranking without points has 0 everywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

__all__ = ["LEVELS", "Points", "best_in_intervals", "last_points", "running_maximum"]

LEVELS = 11


class Points(NamedTuple):
    """Recall `hits / labels` and precision `hits / rank` of ranking `row`, one entry per true item that is ranked."""

    row: np.ndarray
    hits: np.ndarray
    rank: np.ndarray
    labels: np.ndarray
    rankings: int

    @property
    def precision(self) -> np.ndarray:
        """Return the precision at each point."""
        return self.hits / self.rank


@numba.njit(cache=True, nogil=True)
def best_in_intervals(points: Points) -> np.ndarray:
    """Return the highest precision with recall in [i/10, (i + 1)/10), for i < 10; the last column stays 0."""
    row, hits, rank, labels, rankings = points
    table = np.zeros((rankings, LEVELS))
    for k in range(len(row)):
        # ⌊10 · hits / labels⌋ in integers: a recall of 3/10 stands at .3 and not below it.
        interval = (LEVELS - 1) * hits[k] // labels[k]
        precision = hits[k] / rank[k]
        if interval < LEVELS - 1 and precision > table[row[k], interval]:
            table[row[k], interval] = precision
    return table


@numba.njit(cache=True, nogil=True)
def last_points(points: Points) -> np.ndarray:
    """Return the precision at the point with most hits of each ranking."""
    row, hits, rank, _, rankings = points
    most = np.zeros(rankings, np.int64)
    precision = np.zeros(rankings)
    for k in range(len(row)):
        if hits[k] >= most[row[k]]:
            most[row[k]] = hits[k]
            precision[row[k]] = hits[k] / rank[k]
    return precision


@numba.njit(cache=True, nogil=True)
def running_maximum(table: np.ndarray) -> np.ndarray:
    """Return the table with each entry replaced by the highest in its row from there to the right."""
    highest = table.copy()
    for row in range(len(highest)):
        for level in range(highest.shape[1] - 2, -1, -1):
            if highest[row, level + 1] > highest[row, level]:
                highest[row, level] = highest[row, level + 1]
    return highest
