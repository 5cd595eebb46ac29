"""Interpolated 11-point average precision of rankings."""

from __future__ import annotations

import numpy as np

from rubricate.measures.definition.measure import measure
from rubricate.measures.rankings.eleven_steps import at_full_recall, interpolate, points, representatives
from rubricate.measures.rankings.ranks import Ranks
from rubricate.types import Floats

__all__ = ["eleven_point"]


@measure("ranking", "11pt")
def eleven_point(ranks: Ranks, *, limit: int | None = None) -> Floats:
    """Return the mean of the interpolated precision at recall 0, .1, …, 1 in each ranking. yang1999, section 3.1.

    The mean over the rankings is yang1999's number: their step 5 averages over documents before step 6 averages
    over the 11 thresholds, which is the same sum. Over ranked documents of each category: evaluation2011,
    section 4. NaN for a ranking without a true label. `limit` is TR, the length of the ranked list (10 in
    yang1999's table 4, none in table 5): what stands behind it is not found; a tie that crosses it stands behind it.
    Cost: labels + 11 × rankings.

    >>> from rubricate.labels import indicator
    >>> from rubricate.measures.rankings.ranks import ranks
    >>> eleven_point(ranks([[0.9, 0.8, 0.1]], indicator([[1, 0, 1]]))).round(4).tolist()
    [0.8485]
    """
    seen = points(ranks, limit=limit)
    table = interpolate(at_full_recall(seen, representatives(seen)))
    values = np.full(len(ranks), np.nan)
    values[ranks.labels > 0] = table.mean(axis=1)
    return values
