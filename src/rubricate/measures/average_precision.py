"""Average precision of rankings."""

from __future__ import annotations

import numpy as np

from rubricate.measures.definition.measure import measure
from rubricate.measures.rankings.ranks import Ranks
from rubricate.types import Floats

__all__ = ["average_precision"]


@measure("ranking", "AP")
def average_precision(ranks: Ranks) -> Floats:
    """Return the mean of the precision at each true item of a ranking: Σ (R_k − R_(k−1)) P_k over the thresholds k.

    Items of one score are cut together, so it agrees with scikit-learn's `average_precision_score` (by category)
    and `label_ranking_average_precision_score` (by document) for any ties. A label that is not ranked adds 0.
    NaN for a ranking without a true label.
    """
    precision = np.divide(ranks.hits, ranks.rank, out=np.zeros(len(ranks.rank)), where=ranks.ranked())
    return ranks.mean(precision)
