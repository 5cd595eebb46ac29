"""R-precision of rankings."""

from __future__ import annotations

import numpy as np

from rubricate.measures.definition.measure import measure
from rubricate.measures.rankings.ranks import Ranks
from rubricate.types import Floats

__all__ = ["r_precision"]


@measure("ranking", "Rprec")
def r_precision(ranks: Ranks) -> Floats:
    """Return the precision (and recall) at rank R, the number of true items of the ranking.

    Where the cut goes through a tie, its expected value over all orders of the tie: a label with `above` items
    before it and `rank` up to the end of its tie is inside with probability (R − above) / (rank − above), clipped
    to [0, 1]. Without a tie there it is the break-even point of the ranking (yang1999, section 3.3). A label that is
    not ranked is not inside. NaN for a ranking without a true label.
    """
    size = ranks.rank - ranks.above
    inside = np.clip((ranks.labels[ranks.row] - ranks.above) / size, 0.0, 1.0)
    return ranks.mean(np.where(ranks.ranked(), inside, 0.0))
