"""Scores that are probabilities: checked, and sorted into the bins of a reliability curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.measures.definition.ratio import ratio
from rubricate.measures.rankings.scores import rankings, score_values
from rubricate.types import Floats, Ints, Sparse

__all__ = ["Reliability", "are_probabilities", "probability_values", "reliability", "reliability_by_category"]


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
