"""Boosted trees as plain arrays: binning, growing, scoring."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rubricate.native.trees import BINS, BoostedTrees, Boosting, grow_boosted_trees, score_boosted_trees
from rubricate.types import Floats

__all__ = ["grow_trees", "score_trees"]


def grow_trees(X: Floats, truth: Floats, settings: Boosting) -> BoostedTrees:
    """Grow trees on X, rows × features, whose values are put into at most 128 bins at quantiles."""
    limits = [_limits(column) for column in X.T]
    bins = np.empty(X.shape, np.uint8)
    for f, edges in enumerate(limits):
        bins[:, f] = np.searchsorted(edges, X[:, f], side="left")
    trees = grow_boosted_trees(bins, truth.astype(np.float64), settings)
    table = np.full((max(len(limits), 1), BINS), np.inf)
    for f, edges in enumerate(limits):
        table[f, : len(edges)] = edges
    asked = trees.features
    ends = np.where(asked >= 0, table[asked, trees.limits], 0.0)
    return trees._replace(limits=ends)


def score_trees(trees: BoostedTrees, X: Floats) -> Floats:
    """Return the log-odds of each row."""
    return score_boosted_trees(trees, np.ascontiguousarray(X))


def _limits(values: Floats) -> NDArray[np.float64]:
    """Return where bins end: between distinct values, at quantiles where there are more than BINS of them."""
    distinct = np.unique(values)
    if len(distinct) > BINS:
        ranks = np.linspace(0, len(values) - 1, BINS + 1)[1:-1].astype(np.int64)
        chosen = np.unique(np.searchsorted(distinct, np.sort(values)[ranks]))
        chosen = chosen[chosen < len(distinct) - 1]
    else:
        chosen = np.arange(len(distinct) - 1)
    low, high = distinct[chosen], distinct[chosen + 1]
    middle = low + (high - low) / 2
    return np.where(middle < high, middle, low)
