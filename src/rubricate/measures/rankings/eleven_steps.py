"""The six steps of the interpolated 11-point average precision, one function each. yang1999, section 3.1.

Recall thresholds are 0, .1, …, 1. Which interval a point falls into is decided in integers, so that a recall of
3/10 stands at .3 and not below it. Rankings without a true label are left out (yang1999 does not say; a recall of
0/0 has no place on the axis). `Ranks` says how ties and unranked labels count.
"""

from __future__ import annotations

import numpy as np

from rubricate.measures.counting.averages import mean
from rubricate.measures.rankings.ranks import Ranks
from rubricate.native.measures import LEVELS, recall_levels
from rubricate.native.measures import RecallPoints as Points
from rubricate.types import Floats

__all__ = [
    "Points",
    "at_full_recall",
    "global_average",
    "interpolate",
    "per_interval_average",
    "points",
    "representatives",
]


def points(ranks: Ranks, *, limit: int | None = None) -> Points:
    """Take step 1: recall and precision at each place where a correct category is found, down to rank `limit` (TR)."""
    labelled = np.cumsum(ranks.labels > 0) - 1
    ranked = ranks.ranked(limit)
    row = ranks.row[ranked]
    rankings = int(labelled[-1]) + 1 if len(ranks) else 0
    return Points(labelled[row], ranks.hits[ranked], ranks.rank[ranked], ranks.labels[row], rankings)


def representatives(points: Points) -> Floats:
    """Take step 2: the highest precision in [i/10, (i + 1)/10) stands at i/10; 0 in an empty interval. Rankings × 11.

    Recall 1 is left for step 3.
    """
    table = recall_levels(points)
    table[:, LEVELS - 1] = 0.0
    return table


def at_full_recall(points: Points, table: Floats) -> Floats:
    """Take step 3: at recall 1 the precision of the exact point, else of the one of highest recall; else 0."""
    full = table.copy()
    full[:, LEVELS - 1] = recall_levels(points)[:, LEVELS - 1]
    return full


def interpolate(table: Floats) -> Floats:
    """Take step 4: each threshold gets the highest precision at it and to the right of it."""
    highest = table.copy()
    for level in reversed(range(table.shape[1] - 1)):
        np.maximum(highest[:, level], highest[:, level + 1], out=highest[:, level])
    return highest


def per_interval_average(table: Floats) -> Floats:
    """Take step 5: the mean over the rankings at each threshold: 11 values, NaN when there is no ranking."""
    return table.mean(axis=0) if len(table) else np.full(LEVELS, np.nan)


def global_average(averages: Floats) -> float:
    """Take step 6: the mean of the 11 values."""
    return mean(averages)
