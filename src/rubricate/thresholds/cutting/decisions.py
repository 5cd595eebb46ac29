"""Decisions from scores: at a cut for each category, or the best categories of each document."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rubricate.native.measures import as_rows, best_columns, best_stored_columns
from rubricate.thresholds.cutting.grid import ScoreGrid, take_scores
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = ["BestCategories", "CategoryThresholds", "above", "best"]

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
        return _stored(grid.dense >= cuts)
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


def _stored(decided: Bools) -> Sparse:
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
