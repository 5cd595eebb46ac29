"""Scores in any accepted form, checked once: an array, a sparse matrix, or `Scores`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.labels import indicator
from rubricate.matrices import sound
from rubricate.native import measures as native
from rubricate.types import Floats, Scores, Sparse

__all__ = ["ScoreGrid", "scores_at", "take_labels", "take_scores"]

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
    grid = _stored(scores) if sparse.issparse(sound(getattr(scores, "values", scores))) else _dense(scores)
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
