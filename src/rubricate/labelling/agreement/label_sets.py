"""Agreement on whole label sets: each distinct set is a value (nominal), or sets have a distance (Jaccard, MASI)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.native.measures import as_lists, sum_similarities
from rubricate.types import Floats, Ints, Sparse

__all__ = ["DISTANCES", "Ratings", "alpha_by_distance", "nominal_coefficients", "set_distances"]

DISTANCES = ("jaccard", "masi")
BATCH = 1 << 24
"""Most cells of a batch of resampled counts, 128 MB."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """Values given to documents: `units` is documents × annotators, -1 where one is missing; documents with any."""

    units: Ints
    values: int

    @property
    def raters(self) -> Ints:
        """How many annotators judged each document."""
        return (self.units >= 0).sum(axis=1)

    def table(self, columns: Any = slice(None)) -> Sparse:
        """Return documents × values: how many of the annotators (those of `columns`) gave each value."""
        part = self.units[:, columns].reshape(len(self.units), -1)
        rows, places = np.nonzero(part >= 0)
        shape = (len(self.units), self.values)
        return sparse.csr_array((np.ones(len(rows)), (rows, part[rows, places])), shape=shape)


def nominal_coefficients(ratings: Ratings, weights: Floats) -> dict[str, Floats]:
    """Return percent, kappa, fleiss, alpha and AC1 for each row of document weights (draws × documents).

    The formulas are those of `binary_coefficients`, with as many values as were given; kappa is Cohen's for two
    annotators and Fleiss' for more, fleiss is always Fleiss' (generalised Scott's pi).
    """
    r = ratings.raters.astype(float)
    table, several = ratings.table(), r > 1
    alike = np.asarray(table.multiply(table - _ones(table)).sum(axis=1)).ravel()
    agree = np.where(several, alike / np.where(several, r * (r - 1), 1), 0.0)
    shares = sparse.csr_array(sparse.diags_array(1 / np.maximum(r, 1)) @ table)
    pairable = sparse.csr_array(sparse.diags_array(several.astype(float)) @ table)
    with np.errstate(divide="ignore", invalid="ignore"):
        percent = weights @ agree / (weights @ several)
        pi = (weights @ shares) / (weights @ (r > 0))[:, None]
        same = (pi**2).sum(axis=1)
        judged = weights @ (r * several)
        counts = weights @ pairable
        expected = judged**2 - (counts**2).sum(axis=1)
        observed = weights @ np.where(several, (r * r - alike - r) / np.maximum(r - 1, 1), 0.0)
        values = max(ratings.values, 2)
        results = {
            "percent": percent,
            "fleiss": (percent - same) / (1 - same),
            "alpha": 1 - observed * (judged - 1) / expected,
            "ac1": 1 - (1 - percent) / (1 - (1 - same) / (values - 1)),
        }
        results["kappa"] = _cohen(ratings, weights) if ratings.units.shape[1] == 2 else results["fleiss"]
    return {name: np.where(np.isfinite(column), column, np.nan) for name, column in results.items()}


def _ones(table: Sparse) -> Sparse:
    return sparse.csr_array((np.ones_like(table.data), table.indices, table.indptr), shape=table.shape)


def _cohen(ratings: Ratings, weights: Floats) -> Floats:
    both = ratings.raters == 2
    alike = ratings.units[:, 0] == ratings.units[:, 1]
    total = weights @ both
    margins = [
        weights @ sparse.csr_array(sparse.diags_array(both.astype(float)) @ ratings.table([a])) / total[:, None]
        for a in (0, 1)
    ]
    expected = (margins[0] * margins[1]).sum(axis=1)
    return np.asarray((weights @ (both & alike) / total - expected) / (1 - expected))


def set_distances(left: Sparse, right: Sparse) -> dict[str, Floats]:
    """Return the Jaccard and MASI distance of each row of one boolean matrix to the same row of the other.

    MASI = 1 − |∩| / |∪| · m with m = 1 for equal sets, 2/3 where one holds the other, 1/3 where they overlap
    (passonneau2006). Two empty sets are equal.
    """
    common = np.asarray(left.multiply(right).sum(axis=1), float).ravel()
    a, b = (np.asarray(side.sum(axis=1), float).ravel() for side in (left, right))
    union = a + b - common
    jaccard = np.where(union > 0, common / np.maximum(union, 1), 1.0)
    kind = np.where(common == union, 1.0, np.where(common == np.minimum(a, b), 2 / 3, 1 / 3))
    return {"jaccard": 1 - jaccard, "masi": 1 - jaccard * kind}


def alpha_by_distance(units: Ints, sets: Sparse) -> dict[str, tuple[float, float]]:
    """Return Krippendorff's alpha and its standard error for label sets, by distance.

    α = 1 − O (n − 1) / (n² − cᵀSc), where O = Σ over documents of the distances of its pairs · 2 / (r − 1), n the
    judgements of documents with at least two, c how often each set was given there and S the similarities of sets. The
    standard error is the infinitesimal jackknife over documents: a bootstrap would need all pairs of sets in each draw.
    NaN where all judgements are equal.
    """
    r = (units >= 0).sum(axis=1)
    units, r = units[r > 1], r[r > 1].astype(float)
    n = float(r.sum())
    counts = np.bincount(units[units >= 0], minlength=sets.shape[0]).astype(float)
    similar = _similar(sets, counts)
    observed = {name: np.zeros(len(units)) for name in DISTANCES}
    for i, j in combinations(range(units.shape[1]), 2):
        both = (units[:, i] >= 0) & (units[:, j] >= 0)
        for name, distance in set_distances(sets[units[both, i]], sets[units[both, j]]).items():
            observed[name][both] += distance * 2 / (r[both] - 1)
    results = {}
    for place, name in enumerate(DISTANCES):
        near, own = similar[:, place], observed[name]
        total, spread = float(own.sum()), float(n * n - counts @ near)
        if spread <= 1e-9 * n:
            results[name] = (np.nan, np.nan)
            continue
        reach = np.where(units >= 0, near[units], 0.0).sum(axis=1)
        slope = own * (n - 1) + total * r - total * (n - 1) * 2 * (n * r - reach) / spread
        error = float(np.sqrt(((slope / spread) ** 2).sum()))
        results[name] = (1 - total * (n - 1) / spread, error)
    return results


def _similar(sets: Sparse, counts: Floats) -> Floats:
    """Return Σ_j c_j s(i, j) for each set and distance; the empty set is like itself alone."""
    filled = np.flatnonzero(np.diff(sets.indptr) > 0)
    rows = sparse.csr_array(sets[filled]).sorted_indices()
    turned = sparse.csr_array(rows.T)
    similar = np.repeat(counts[:, None], len(DISTANCES), axis=1)
    if len(filled):
        similar[filled] = sum_similarities(as_lists(rows), as_lists(turned), counts[filled])
    return similar
