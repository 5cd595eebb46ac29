"""Sparse matrices from outside: one pass over their indices, before a compiled loop follows them.

SciPy trusts the arrays that a matrix is made of, and so do SciPy's and scikit-learn's compiled loops: an index out of
range reads or writes foreign memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.errors import InvalidInput

__all__ = ["SparseRow", "check_compressed", "check_sparse_indices", "stacked"]


@dataclass(frozen=True, slots=True, eq=False)
class SparseRow:
    """The vector of one document: columns in rising order, and their values."""

    columns: NDArray[np.int32]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, columns: NDArray[np.int32], values: NDArray[np.float64]) -> Self:
        """Return a row of columns in any order; the values of a column that comes twice are added."""
        distinct, place = np.unique(columns, return_inverse=True)
        return cls(distinct.astype(np.int32), np.bincount(place, values, len(distinct)).astype(np.float64))

    @classmethod
    def of_dense(cls, row: NDArray[np.float64]) -> Self:
        """Return the values of a dense row that are not 0."""
        columns = np.flatnonzero(row)
        return cls(columns.astype(np.int32), np.asarray(row[columns], np.float64))


def stacked(rows: Sequence[Any], width: int | None = None) -> Any:
    """Return the rows of documents as one matrix: dense ones as an array, `SparseRow`s as csr.

    A sparse matrix has `width` columns, and further ones are left out; None: as many as occur, at least one.
    """
    if not len(rows) or not isinstance(rows[0], SparseRow):
        return np.asarray(rows)
    starts = np.concatenate([[0], np.cumsum([len(row.columns) for row in rows])])
    columns = np.concatenate([row.columns for row in rows])
    values = np.concatenate([row.values for row in rows])
    widest = int(columns.max(initial=0)) + 1
    matrix = sparse.csr_array((values, columns, starts), shape=(len(rows), max(widest, width or 0)))
    return matrix if width is None or widest <= width else matrix[:, :width]


def check_sparse_indices(X: Any) -> Any:
    """Return X as it is; InvalidInput for a sparse matrix whose indices do not fit its shape. Cost: its indices.

    >>> X = sparse.csr_array(np.eye(2)); X.indices[1] = 7
    >>> check_sparse_indices(X)
    Traceback (most recent call last):
    rubricate.errors.InvalidInput: the matrix cannot be used: an index of a sparse matrix is out of range; ...
    """
    if not sparse.issparse(X) or len(X.shape) != 2:
        return X
    try:
        if X.format in ("csr", "csc"):
            shape = X.shape if X.format == "csr" else X.shape[::-1]
            check_compressed(X.data, X.indices, X.indptr, shape=shape)
        elif X.format == "bsr":
            blocks = X.shape[0] // X.blocksize[0], X.shape[1] // X.blocksize[1]
            check_compressed(X.data, X.indices, X.indptr, shape=blocks)
        elif X.format == "coo":
            _check_coordinates(X)
    except ValueError as error:
        raise InvalidInput(
            f"the matrix cannot be used: {error}; Fix: make it again, or look at X.check_format()"
        ) from None
    return X


def check_compressed(data: Any, indices: Any, starts: Any, *, shape: tuple[int, int]) -> None:
    """Raise ValueError unless the arrays are a csr (rows, columns) or csc (columns, rows) matrix.

    SciPy's full check has gaps: it skips the indices where the last start is not above 0.
    """
    major, minor = shape
    if min(shape) < 0 or len(starts) != major + 1 or len(indices) != len(data):
        raise ValueError(
            f"a sparse matrix of {shape} with {len(starts)} starts and {len(indices)} of {len(data)} places"
        )
    if indices.dtype.kind not in "iu" or starts.dtype.kind not in "iu":
        raise ValueError("an index of a sparse matrix is not a whole number")
    if starts[0] != 0 or starts[-1] != len(indices) or np.any(starts[1:] < starts[:-1]):
        raise ValueError("the starts of a sparse matrix do not rise from 0 to the number of its values")
    if len(indices) and (indices.min() < 0 or indices.max() >= minor):
        raise ValueError("an index of a sparse matrix is out of range")


def _check_coordinates(X: Any) -> None:
    for size, places in zip(X.shape, (X.row, X.col), strict=True):
        if len(places) != len(X.data):
            raise ValueError(f"{len(places)} places for {len(X.data)} values")
        if len(places) and (places.min() < 0 or places.max() >= size):
            raise ValueError("an index of a sparse matrix is out of range")
