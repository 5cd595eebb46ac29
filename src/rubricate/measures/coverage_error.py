"""Coverage error of rankings: how far down one must go to meet all true labels."""

from __future__ import annotations

import numpy as np

from rubricate.measures.definition.measure import measure
from rubricate.measures.rankings.ranks import Ranks
from rubricate.types import Floats

__all__ = ["coverage_error"]


@measure("ranking", "coverage", greater_is_better=False)
def coverage_error(ranks: Ranks) -> Floats:
    """Return the place of the lowest true label; ties count in full. tsoumakas2010 (there with − 1).

    0 for a ranking without a true label. Agrees with scikit-learn's `coverage_error`. A label that is not ranked
    stands at the end.
    """
    deepest = np.zeros(len(ranks))
    np.maximum.at(deepest, ranks.row, ranks.rank.astype(np.float64))
    return deepest
