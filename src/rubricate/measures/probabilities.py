"""Measures of probabilities: Brier score, log loss, expected calibration error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.measures.definition import measure, ratio
from rubricate.measures.tables import canonical
from rubricate.measures.true_ranks import BLOCK, rankings, score_values
from rubricate.native.measures import as_lists, as_rows, scores_at
from rubricate.types import Floats, Ints, Sparse

__all__ = [
    "Reliability",
    "are_probabilities",
    "brier",
    "calibration_error",
    "class_log_loss",
    "log_loss",
    "probability_values",
    "reliability",
    "reliability_by_category",
]


@dataclass(frozen=True, eq=False)
class Reliability:
    """A reliability curve: for each bin of probability, the pairs in it, their mean probability, and how many are true.

    `counts`, `predicted` and `observed` have one column per bin; predicted and observed are NaN in an empty bin.
    """

    edges: Floats
    counts: Ints
    predicted: Floats
    observed: Floats


def are_probabilities(scores: Any) -> bool:
    """Tell whether all scores lie in [0, 1], with a sparse floor of -inf taken as 0."""
    values, floor = score_values(scores)
    stored = values.data if sparse.issparse(values) else values
    in_range = bool(stored.size == 0 or (stored.min() >= 0 and stored.max() <= 1))
    return in_range and (not sparse.issparse(values) or floor == -np.inf or 0 <= floor <= 1)


def probability_values(scores: Any) -> tuple[Any, float]:
    """Return the matrix and its floor after checking that they are probabilities; a floor of -inf counts as 0."""
    if not are_probabilities(scores):
        raise InvalidInput("these scores are not probabilities (they leave [0, 1]); give calibrated scores")
    values, floor = score_values(scores)
    return values, 0.0 if floor == -np.inf else floor


def reliability(scores: Any, truth: Sparse, *, bins: int = 10) -> Reliability:
    """Draw the curve over all pairs of document and category. Cost: stored scores and labels.

    Bin k holds the probabilities in (k/bins, (k + 1)/bins], the first also 0, as in guo2017 and scikit-learn.
    """
    sizes, sums, true = _bins(scores, truth, bins)
    return _curve(sizes.sum(axis=0), sums.sum(axis=0), true.sum(axis=0))


def reliability_by_category(scores: Any, truth: Sparse, *, bins: int = 10) -> Reliability:
    """Return the curve of each category: as `reliability`, one row per category."""
    return _curve(*_bins(scores, truth, bins))


def _curve(sizes: Ints, sums: Floats, true: Ints) -> Reliability:
    edges = np.linspace(0.0, 1.0, sizes.shape[-1] + 1)
    return Reliability(edges, sizes, ratio(sums, sizes, "omit"), ratio(true, sizes, "omit"))


def _bins(scores: Any, truth: Sparse, bins: int) -> tuple[Ints, Floats, Ints]:
    """Count pairs, sum of probabilities and true pairs of each category and bin."""
    if bins < 1:
        raise InvalidInput(f"a reliability curve needs at least one bin, got {bins}")
    _, floor = probability_values(scores)
    tables = [_block_bins(block, floor, bins) for block in rankings(scores, truth, "category")]
    if not tables:
        return np.zeros((0, bins), np.int64), np.zeros((0, bins)), np.zeros((0, bins), np.int64)
    sizes, sums, true = (np.concatenate(parts) for parts in zip(*tables, strict=True))
    return sizes, sums, true


def _block_bins(block: Any, floor: float, bins: int) -> tuple[Ints, Floats, Ints]:
    inner = np.linspace(0.0, 1.0, bins + 1)[1:-1]
    rows = len(block.starts) - 1

    def tally(values: Floats, starts: Ints, weights: Floats | None) -> Any:
        place = np.repeat(np.arange(rows), np.diff(starts)) * bins + np.searchsorted(inner, values)
        return np.bincount(place, weights=weights, minlength=rows * bins).reshape(rows, bins)

    labels = np.where(block.labels == -np.inf, floor, block.labels)
    sizes, sums = tally(block.values, block.starts, None), tally(block.values, block.starts, block.values)
    missing, at = block.items - np.diff(block.starts), int(np.searchsorted(inner, floor))
    sums = sums.astype(np.float64)  # an empty tally is of whole numbers
    sizes[:, at] += missing
    sums[:, at] += missing * floor
    return sizes, sums, tally(labels, block.label_starts, None)


@measure("brier", "probability", "Brier", greater_is_better=False)
def brier(scores: Any, truth: Sparse) -> Floats:
    """Return the mean of (p − y)² over the documents, of each category. brier1950, for two outcomes (half his sum).

    Agrees with scikit-learn's `brier_score_loss`. A pair that has no score counts as probability 0 (or the floor of
    the scores). NaN when there is no document. Cost: stored scores and labels.
    """
    values, floor = probability_values(scores)
    labels = canonical(truth)
    documents = values.shape[0]
    if not documents:
        return np.full(values.shape[1], np.nan)
    squares = _sparse_squares(values, labels, floor) if sparse.issparse(values) else _dense_squares(values, labels)
    return squares / documents


def _dense_squares(values: Any, labels: Sparse) -> Floats:
    """Sum (p − y)² of each category, one block of documents at a time."""
    squares = np.zeros(labels.shape[1])
    step = max(BLOCK // max(labels.shape[1], 1), 1)
    for first in range(0, labels.shape[0], step):
        part = slice(first, first + step)
        squares += ((values[part] - labels[part].toarray()) ** 2).sum(axis=0)
    return squares


def _sparse_squares(values: Sparse, labels: Sparse, floor: float) -> Floats:
    """Sum the same from what is stored: every other pair has the probability of the floor."""
    documents, categories = labels.shape
    true = scores_at(as_rows(labels), as_lists(values), 0.0)
    stored = np.bincount(values.indices, weights=(values.data - true) ** 2, minlength=categories)
    scored = np.bincount(values.indices, minlength=categories)
    positives = np.bincount(labels.indices, minlength=categories)
    missed = positives - np.bincount(values.indices, weights=true, minlength=categories)
    return stored + missed * (1 - floor) ** 2 + (documents - scored - missed) * floor**2


LEAST = float(np.finfo(np.float64).eps)
"""Probabilities are kept this far from 0 and 1, as in scikit-learn."""


@measure("log_loss", "probability", "log loss", greater_is_better=False)
def log_loss(scores: Any, truth: Sparse) -> Floats:
    """Return the mean of −y log p − (1 − y) log(1 − p) over the documents, of each category.

    Agrees with scikit-learn's `log_loss` of each category. A pair that has no score counts as probability 0 (or the
    floor of the scores). NaN when there is no document. Cost: stored scores and labels.
    """
    values, floor = probability_values(scores)
    labels = canonical(truth)
    documents, categories = labels.shape
    if not documents:
        return np.full(categories, np.nan)
    if not sparse.issparse(values):
        p = np.clip(values, LEAST, 1 - LEAST)
        true = labels.toarray()
        return np.asarray(-np.where(true, np.log(p), np.log1p(-p)).mean(axis=0))
    p, low = np.clip(values.data, LEAST, 1 - LEAST), min(max(floor, LEAST), 1 - LEAST)
    true = scores_at(as_rows(labels), as_lists(values), 0.0) > 0
    stored = np.bincount(values.indices, weights=-np.where(true, np.log(p), np.log1p(-p)), minlength=categories)
    positives = np.bincount(labels.indices, minlength=categories)
    missed = positives - np.bincount(values.indices, weights=true, minlength=categories)
    rest = documents - np.bincount(values.indices, minlength=categories) - missed
    return np.asarray((stored - missed * np.log(low) - rest * np.log1p(-low)) / documents)


@measure("calibration_error", "probability", "ECE", greater_is_better=False)
def calibration_error(scores: Any, truth: Sparse, *, bins: int = 10, pooled: bool = False) -> Floats:
    """Sum (pairs in the bin / pairs) · |observed − mean probability| over the bins, per category. guo2017, section 2.

    guo2017 takes the confidence of the predicted class; here each pair of document and category is a case of its
    own, as multi-label decisions are. `pooled=True` gives the one value of all pairs. NaN when there is no document.
    """
    if pooled:
        return np.atleast_1d(_error(reliability(scores, truth, bins=bins)))
    return _error(reliability_by_category(scores, truth, bins=bins))


def _error(curve: Reliability) -> Floats:
    gaps = np.abs(np.nan_to_num(curve.observed) - np.nan_to_num(curve.predicted)) * curve.counts
    pairs = curve.counts.sum(axis=-1)
    return np.divide(gaps.sum(axis=-1), pairs, out=np.full(pairs.shape, np.nan), where=pairs > 0)


CLASS_LOSS_LEAST = float(np.finfo(np.float64).eps)
"""Probabilities are kept this far from 0 and 1, as in scikit-learn."""


def class_log_loss(scores: Any, truth: Sparse) -> float:
    """Return the mean of −log p(true class) where each document has one label; probabilities are made to sum to 1."""
    values, floor = probability_values(scores)
    labels = canonical(truth)
    dense = values
    if sparse.issparse(values):
        dense = np.full(values.shape, floor)
        rows = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
        dense[rows, values.indices] = values.data
    own = dense[np.arange(len(dense)), labels.indices]
    sums = dense.sum(axis=1)
    share = np.divide(own, sums, out=np.zeros_like(own), where=sums > 0)
    return float(-np.log(np.clip(share, CLASS_LOSS_LEAST, 1 - CLASS_LOSS_LEAST)).mean())
