"""Measures of rankings, from average precision to the area under the ROC curve."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rubricate.measures.averages import mean
from rubricate.measures.definition import measure
from rubricate.measures.tables import canonical
from rubricate.measures.true_ranks import Ranks, score_values
from rubricate.native.measures import LEVELS, recall_levels
from rubricate.native.measures import RecallPoints as Points
from rubricate.types import Floats, Sparse

__all__ = [
    "Points",
    "at_full_recall",
    "average_precision",
    "coverage_error",
    "eleven_point",
    "global_average",
    "interpolate",
    "per_interval_average",
    "points",
    "r_precision",
    "ranking_loss",
    "representatives",
    "roc_auc",
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


@measure("average_precision", "ranking", "AP")
def average_precision(ranks: Ranks) -> Floats:
    """Return the mean of the precision at each true item of a ranking: Σ (R_k − R_(k−1)) P_k over the thresholds k.

    Items of one score are cut together, so it agrees with scikit-learn's `average_precision_score` (by category)
    and `label_ranking_average_precision_score` (by document) for any ties. A label that is not ranked adds 0.
    NaN for a ranking without a true label.
    """
    precision = np.divide(ranks.hits, ranks.rank, out=np.zeros(len(ranks.rank)), where=ranks.ranked())
    return ranks.mean(precision)


@measure("eleven_point", "ranking", "11pt")
def eleven_point(ranks: Ranks, *, limit: int | None = None) -> Floats:
    """Return the mean of the interpolated precision at recall 0, .1, …, 1 in each ranking. yang1999, section 3.1.

    The mean over the rankings is yang1999's number: their step 5 averages over documents before step 6 averages
    over the 11 thresholds, which is the same sum. Over ranked documents of each category: evaluation2011,
    section 4. NaN for a ranking without a true label. `limit` is TR, the length of the ranked list (10 in
    yang1999's table 4, none in table 5): what stands behind it is not found; a tie that crosses it stands behind it.
    Cost: labels + 11 × rankings.

    >>> from rubricate.labels import indicator
    >>> from rubricate.measures.true_ranks import ranks
    >>> eleven_point(ranks([[0.9, 0.8, 0.1]], indicator([[1, 0, 1]]))).round(4).tolist()
    [0.8485]
    """
    seen = points(ranks, limit=limit)
    table = interpolate(at_full_recall(seen, representatives(seen)))
    values = np.full(len(ranks), np.nan)
    values[ranks.labels > 0] = table.mean(axis=1)
    return values


@measure("r_precision", "ranking", "Rprec")
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


@measure("coverage_error", "ranking", "coverage", greater_is_better=False)
def coverage_error(ranks: Ranks) -> Floats:
    """Return the place of the lowest true label; ties count in full. tsoumakas2010 (there with − 1).

    0 for a ranking without a true label. Agrees with scikit-learn's `coverage_error`. A label that is not ranked
    stands at the end.
    """
    deepest = np.zeros(len(ranks))
    np.maximum.at(deepest, ranks.row, ranks.rank.astype(np.float64))
    return deepest


@measure("ranking_loss", "ranking", "rloss", greater_is_better=False)
def ranking_loss(ranks: Ranks) -> Floats:
    """Return pairs (true, false) with s(false) >= s(true), over all such pairs of the ranking. tsoumakas2010.

    A tied pair counts as wrong, as in scikit-learn's `label_ranking_loss`. 0 where every label is true or none is.
    """
    true = ranks.labels
    ranked = np.where(ranks.ranked(), ranks.hits, true[ranks.row])
    wrong = np.bincount(ranks.row, weights=ranks.rank - ranked, minlength=len(ranks))
    pairs = true * (ranks.items - true)
    return np.divide(wrong, pairs, out=np.zeros(len(ranks)), where=pairs > 0)


@measure("roc_auc", "scores", "AUC")
def roc_auc(scores: Any, truth: Sparse) -> Floats:
    """Return the chance that a true document scores above another one, ties counting half. hanley1982.

    Agrees with scikit-learn's `roc_auc_score` of each category. NaN for a category that is true of all documents or of
    none. Cost: documents · log documents per category.
    """
    from scipy.stats import rankdata  # half a second, which most evaluations need not pay

    values, floor = score_values(scores)
    labels = sparse.csc_array(canonical(truth))
    documents, categories = labels.shape
    areas = np.full(categories, np.nan)
    stored = sparse.csc_array(values) if sparse.issparse(values) else None
    for c in range(categories):
        rows = labels.indices[labels.indptr[c] : labels.indptr[c + 1]]
        if not 0 < len(rows) < documents:
            continue
        if stored is None:
            column = values[:, c]
        else:
            column = np.full(documents, floor)
            part = slice(stored.indptr[c], stored.indptr[c + 1])
            column[stored.indices[part]] = stored.data[part]
        ranks, n = rankdata(column), len(rows)
        areas[c] = (ranks[rows].sum() - n * (n + 1) / 2) / (n * (documents - n))
    return areas
