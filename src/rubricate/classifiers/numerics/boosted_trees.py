"""Boosted trees as plain arrays: binning, growing, scoring."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rubricate.kernels.boosting import BINS, add_trees, boost
from rubricate.types import Floats, Ints

__all__ = ["Trees", "grow_trees", "score_trees"]


class Trees(NamedTuple):
    """The log-odds before the first tree, and the trees, rounds × nodes (see `kernels.boosting`)."""

    base: float
    features: Ints
    limits: Floats
    lefts: Ints
    values: Floats


def grow_trees(X: Floats, truth: Floats, *, rounds: int, rate: float, leaves: int, least: int, penalty: float) -> Trees:
    """Boost on X, rows × features; its values are binned at quantiles, 128 bins at most."""
    limits = [_limits(column) for column in X.T]
    bins = np.empty(X.shape, np.uint8)
    for f, edges in enumerate(limits):
        bins[:, f] = np.searchsorted(edges, X[:, f], side="left")
    base, asked, lasts, lefts, values = boost(bins, truth.astype(np.float64), rounds, rate, leaves, least, penalty)
    table = np.full((max(len(limits), 1), BINS), np.inf)
    for f, edges in enumerate(limits):
        table[f, : len(edges)] = edges
    return Trees(float(base), asked, np.where(asked >= 0, table[asked, lasts], 0.0), lefts, values)


def score_trees(trees: Trees, X: Floats) -> Floats:
    """The log-odds of each row."""
    scores = np.full(len(X), trees.base)
    add_trees(np.ascontiguousarray(X), trees.features, trees.limits, trees.lefts, trees.values, scores)
    return scores


def _limits(values: Floats) -> NDArray[np.float64]:
    """Where bins end: between distinct values, at quantiles where there are more than BINS of them."""
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
