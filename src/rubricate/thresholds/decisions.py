"""Scores in any accepted form, checked once: an array, a sparse matrix, or `Scores`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.labels import CategoryGrowth, indicator
from rubricate.matrices import check_sparse_indices
from rubricate.native import measures as native
from rubricate.native.measures import as_rows, best_columns, best_stored_columns
from rubricate.types import Bools, Floats, Ints, Scores, Sparse

__all__ = [
    "BestCategories",
    "CategoryThresholds",
    "ScoreGrid",
    "above",
    "best",
    "scores_at",
    "take_labels",
    "take_scores",
    "with_expected_cuts",
]

REMEDY = "NaN cannot be ranked; give -inf for 'never', or correct the classifier"


@dataclass(frozen=True, eq=False)
class ScoreGrid:
    """Scores, documents × categories: `dense`, or else `stored` with every other score at `floor`."""

    dense: Floats | None
    stored: Sparse
    floor: float = -np.inf

    @property
    def shape(self) -> tuple[int, int]:
        """Return documents and categories."""
        rows, columns = self.stored.shape if self.dense is None else self.dense.shape
        return int(rows), int(columns)


def take_scores(scores: Any, *, categories: int | None = None) -> ScoreGrid:
    """Check scores and their number of categories.

    A vector is one category. A bare sparse matrix means what it says: what it does not store is 0.
    """
    grid = (
        _stored(scores) if sparse.issparse(check_sparse_indices(getattr(scores, "values", scores))) else _dense(scores)
    )
    if categories is not None and grid.shape[1] != categories:
        raise InvalidInput(f"the cuts were learned for {categories} categories, the scores have {grid.shape[1]}")
    return grid


def _dense(scores: Any) -> ScoreGrid:
    array = np.asarray(scores.values if isinstance(scores, Scores) else scores)
    if array.dtype.kind not in "biuf" or array.ndim not in (1, 2):
        raise InvalidInput(
            f"expected scores as numbers, documents × categories; got {array.ndim} dimension(s) of {array.dtype}"
        )
    values = np.ascontiguousarray(array if array.ndim == 2 else array[:, None], dtype=np.float64)
    wrong = np.isnan(values)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise InvalidInput(f"the score of document {row}, category {column} is NaN: {REMEDY}")
    return ScoreGrid(values, None)


def _stored(scores: Any) -> ScoreGrid:
    values, floor = (scores.values, float(scores.floor)) if isinstance(scores, Scores) else (scores, 0.0)
    stored = sparse.csr_array(values, dtype=np.float64)
    if not stored.has_canonical_format:
        stored = stored.copy()
        stored.sum_duplicates()
    if np.isnan(floor) or np.isnan(stored.data).any():
        raise InvalidInput(f"the scores hold NaN: {REMEDY}")
    if stored.data.min(initial=np.inf) < floor:
        raise InvalidInput(
            f"a stored score, {stored.data.min()}, lies under the floor {floor} of the scores that are not stored; "
            "give the floor with the scores: rb.thresholds.Scores(values, categories, documents, floor=…)"
        )
    return ScoreGrid(None, stored, floor)


def take_labels(labels: Any, shape: tuple[int, int] | None = None) -> Sparse:
    """Return the label matrix, of the shape of the scores; a vector is one category."""
    matrix = indicator(labels if sparse.issparse(labels) or np.ndim(labels) == 2 else np.asarray(labels)[:, None])
    if shape is not None and matrix.shape != shape:
        raise InvalidInput(
            f"the labels are {matrix.shape[0]} × {matrix.shape[1]}, the scores {shape[0]} × {shape[1]}; "
            "give one row per document and one column per category in both"
        )
    return matrix


def scores_at(grid: ScoreGrid, cells: Sparse) -> Floats:
    """Return the score of each stored cell of a boolean matrix, in its order."""
    if grid.dense is not None:
        return grid.dense[np.repeat(np.arange(cells.shape[0]), np.diff(cells.indptr)), cells.indices]
    return native.scores_at(native.as_rows(grid.stored), native.as_lists(cells), grid.floor)


LOWEST = float(np.finfo(np.float64).min)
"""No cut lies under it, so that a score of -inf is never assigned."""


class CategoryThresholds:
    """A threshold for each category: what learns them (`Threshold`) and a model file share it."""

    cuts_: Floats

    def decide(self, scores: Any) -> Sparse:
        """Return the decisions, documents × categories: boolean, sparse."""
        return above(take_scores(scores, categories=len(self.cuts_)), self.cuts_)


class BestCategories:
    """The `t` best categories of each document, as a model file names them; `Rcut` explains them."""

    t: int = 1

    def decide(self, scores: Any) -> Sparse:
        """Return the decisions, documents × categories: boolean, sparse."""
        return best(take_scores(scores), int(self.t))


def above(grid: ScoreGrid, cuts: Floats) -> Sparse:
    """Return every cell whose score is at least the cut of its category; -inf never, +inf always.

    Cost documents × categories for dense scores; for sparse ones the stored scores, and the documents for each
    category whose cut is not above the floor.
    """
    cuts = np.maximum(cuts, LOWEST)
    if grid.dense is not None:
        return _stored_decisions(grid.dense >= cuts)
    stored, flooded = grid.stored, cuts <= grid.floor
    kept = stored.data >= cuts[stored.indices]
    rows = np.repeat(np.arange(stored.shape[0]), np.diff(stored.indptr))
    everyone = np.arange(stored.shape[0])
    return _cells(
        np.r_[rows[kept], np.repeat(everyone, flooded.sum())],
        np.r_[stored.indices[kept], np.tile(np.flatnonzero(flooded), len(everyone))],
        grid.shape,
    )


def best(grid: ScoreGrid, t: int) -> Sparse:
    """Return the t best categories of each document; equal scores go to the earlier category, -inf never counts."""
    documents, categories = grid.shape
    t = min(t, categories)
    if grid.dense is not None and t == 1:  # the common case needs no compiled code
        columns = np.argmax(grid.dense, axis=1)[:, None]
        kept = (np.take_along_axis(grid.dense, columns, axis=1)[:, 0] > -np.inf).astype(np.int64)
    elif grid.dense is not None:
        columns, kept = best_columns(grid.dense, t)
    else:
        columns, kept = best_stored_columns(as_rows(grid.stored), categories, grid.floor, t)
    counts: Bools = np.arange(t) < kept[:, None]
    return _cells(np.repeat(np.arange(documents), kept), columns[counts], grid.shape)


def _stored_decisions(decided: Bools) -> Sparse:
    """Return a dense matrix of decisions as a sparse one; SciPy's own way is several times slower for one document."""
    columns = np.nonzero(decided)[1].astype(np.int32)
    starts = np.zeros(len(decided) + 1, np.int64)
    np.cumsum(np.count_nonzero(decided, axis=1), out=starts[1:])
    if len(columns) <= np.iinfo(np.int32).max:
        starts = starts.astype(np.int32)
    return sparse.csr_array((np.ones(len(columns), bool), columns, starts), shape=decided.shape)


def _cells(rows: Ints, columns: Ints, shape: tuple[int, int]) -> Sparse:
    decided = sparse.coo_array((np.ones(len(rows), dtype=bool), (rows, columns)), shape=shape).tocsr()
    decided.sort_indices()
    return decided


FEWEST = 3
"""Categories that a line is fitted to, at least: through two it would follow their noise."""


def with_expected_cuts(cuts: Floats, growth: CategoryGrowth) -> Floats:
    """Return the cuts of known categories, and of those that get their first documents the expected ones.

    A category without documents is cut at +inf, as is every new one where no cut is known.
    """
    grown: Floats = growth.placed(cuts, np.inf)
    known, new = (growth.held > 0) & np.isfinite(grown), growth.new
    grown[new] = _expected(np.log1p(growth.held[known]), grown[known], np.log1p(growth.more[new]))
    return grown


def _expected(sizes: Floats, cuts: Floats, wanted: Floats) -> Floats:
    if not len(cuts):
        return np.full(len(wanted), np.inf)
    spread = sizes - sizes.mean()
    if len(cuts) < FEWEST or not spread.any():
        return np.full(len(wanted), np.median(cuts))
    b = (spread @ (cuts - cuts.mean())) / (spread @ spread)
    return np.clip(cuts.mean() + b * (wanted - sizes.mean()), cuts.min(), cuts.max())
