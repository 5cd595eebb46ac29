"""The measures of categories' rankings in resamples of the documents: each category is sorted once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.measures.counting.averages import mean
from rubricate.measures.counting.tables import canonical
from rubricate.measures.definition.ratio import undefined_value
from rubricate.measures.rankings.scores import score_values
from rubricate.native.measures import as_lists, as_rows, scores_at
from rubricate.native.resampling import RankedItems, weighted_rankings
from rubricate.types import Bools, Floats, Ints, Sparse, Undefined

__all__ = ["SortedRankings"]

NAMES = ("average_precision", "r_precision", "eleven_point", "break_even", "optimal_f1")


@dataclass(frozen=True, eq=False)
class SortedRankings:
    """The documents of each category, best first; `missed` are the (document, category) of labels that score -inf."""

    starts: Ints
    documents: Ints
    true: Bools
    last: Bools
    missed: tuple[Ints, Ints]

    @classmethod
    def of(cls, scores: Any, truth: Sparse, *, pooled: bool = False) -> SortedRankings:
        """Sort every category once, or with `pooled` all pairs as one ranking, for a global threshold.

        Cost: n log n for n scores above -inf; a sparse matrix with a finite floor is filled up.
        """
        listed, labels = _listed(*score_values(scores)), canonical(truth)
        true = scores_at(as_rows(labels), as_lists(listed), 0.0) > 0
        missed = scores_at(as_rows(listed), as_lists(labels), -np.inf) == -np.inf
        places, categories = (np.zeros_like(listed.indices), 1) if pooled else (listed.indices, listed.shape[1])
        order = np.lexsort((-listed.data, places))
        category, value = places[order], listed.data[order]
        last = np.ones(len(order), bool)
        last[:-1] = (category[1:] != category[:-1]) | (value[1:] != value[:-1])
        starts = np.searchsorted(category, np.arange(categories + 1))
        columns = labels.indices[missed] * (not pooled)
        return cls(starts, _rows(listed)[order].astype(np.int32), true[order], last, (_rows(labels)[missed], columns))

    def values(self, weights: Ints) -> dict[str, Floats]:
        """Return the measures of each category when document d counts `weights[d]` times; NaN where nothing is true."""
        categories = len(self.starts) - 1
        rows, columns = self.missed
        missed = np.bincount(columns, weights=weights[rows], minlength=categories).astype(np.int64)
        values = weighted_rankings(RankedItems(self.starts, self.documents, self.true, self.last), missed, weights)
        return dict(zip(NAMES, values.T, strict=True))

    def means(self, weights: Ints, undefined: Undefined) -> dict[str, float]:
        """Return the means over the categories; break-even point and optimal F1 follow the convention for 0/0."""
        by_name = self.values(weights)
        settled = {
            name: np.where(np.isnan(by_name[name]), undefined_value(undefined), by_name[name]) for name in NAMES[3:]
        }
        return {name: mean(values) for name, values in {**by_name, **settled}.items()}


def _rows(matrix: Sparse) -> Ints:
    """Return the row of each stored entry."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def _listed(values: Any, floor: float) -> Sparse:
    """Return a sparse matrix that stores exactly the scores above -inf."""
    if sparse.issparse(values) and floor > -np.inf:
        dense = np.full(values.shape, floor)
        dense[_rows(values), values.indices] = values.data
        values = dense
    if not sparse.issparse(values):
        kept = values > -np.inf
        starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
        return sparse.csr_array((values[kept].astype(np.float64), np.nonzero(kept)[1], starts), shape=values.shape)
    kept = values.data > -np.inf
    starts = np.concatenate([[0], np.cumsum(kept)])[values.indptr]
    return sparse.csr_array((values.data[kept].astype(np.float64), values.indices[kept], starts), shape=values.shape)
