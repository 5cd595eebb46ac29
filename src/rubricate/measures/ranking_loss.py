"""Ranking loss: the share of pairs of a true and a false label that are ordered wrongly."""

from __future__ import annotations

import numpy as np

from rubricate.measures.definition.measure import measure
from rubricate.measures.rankings.ranks import Ranks
from rubricate.types import Floats

__all__ = ["ranking_loss"]


@measure("ranking", "rloss", greater_is_better=False)
def ranking_loss(ranks: Ranks) -> Floats:
    """Return pairs (true, false) with s(false) >= s(true), over all such pairs of the ranking. tsoumakas2010.

    A tied pair counts as wrong, as in scikit-learn's `label_ranking_loss`. 0 where every label is true or none is.
    """
    true = ranks.labels
    ranked = np.where(ranks.ranked(), ranks.hits, true[ranks.row])
    wrong = np.bincount(ranks.row, weights=ranks.rank - ranked, minlength=len(ranks))
    pairs = true * (ranks.items - true)
    return np.divide(wrong, pairs, out=np.zeros(len(ranks)), where=pairs > 0)
