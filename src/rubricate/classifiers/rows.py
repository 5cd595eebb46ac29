"""Rows and columns of dense and sparse matrices: canonical form, length 1, some or more of them, a safe scale."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rubricate.native.sparse import unit_values
from rubricate.types import Floats, Ints, Sparse

__all__ = ["binary_scale", "canonical_rows", "extended", "take_columns", "unit_centroids", "unit_rows", "used_columns"]


def used_columns(X: Any) -> Ints:
    """Return the columns with a stored value, ascending; all of them for a dense X."""
    return np.unique(X.indices) if sparse.issparse(X) else np.arange(X.shape[1])


def take_columns(X: Any, columns: Ints) -> Any:
    """Return these columns (ascending) of a dense or csr X.

    >>> take_columns(sparse.csr_array([[1.0, 2.0, 3.0]]), np.array([0, 2])).toarray()
    array([[1., 3.]])
    """
    if len(columns) == X.shape[1]:
        return X
    if not sparse.issparse(X):
        return X[:, columns]
    at = np.minimum(np.searchsorted(columns, X.indices), max(0, len(columns) - 1))
    known = columns[at] == X.indices if len(columns) else np.zeros(X.nnz, bool)
    starts = np.r_[0, np.cumsum(known)][X.indptr]
    return sparse.csr_array((X.data[known], at[known], starts), shape=(X.shape[0], len(columns)))


def canonical_rows(X: Any) -> Any:
    """Return a sparse matrix as a canonical `csr_array`, a dense one as it is."""
    if not sparse.issparse(X):
        return X
    X = sparse.csr_array(X)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def extended(matrix: Sparse, shape: tuple[int, int]) -> Sparse:
    """Return a csr matrix with further rows and columns of zeros.

    >>> extended(sparse.csr_array([[1.0, 2.0]]), (2, 3)).toarray().tolist()
    [[1.0, 2.0, 0.0], [0.0, 0.0, 0.0]]
    """
    starts = np.pad(matrix.indptr, (0, shape[0] - matrix.shape[0]), mode="edge")
    return sparse.csr_array((matrix.data, matrix.indices, starts), shape=shape)


def unit_centroids(X: Sparse, labels: Sparse, weights: Floats) -> Sparse:
    """Return the weighted sum of the documents of each category, made length 1; categories × columns.

    >>> unit_centroids(sparse.csr_array([[3.0, 0], [0, 4.0]]), sparse.csr_array([[1], [1]]), np.ones(2)).toarray()
    array([[0.6, 0.8]])
    """
    marks = labels.astype(np.float64)
    marks.data = np.repeat(weights, np.diff(marks.indptr))
    sums = sparse.csr_array(marks.T @ X)
    lengths = np.sqrt(np.asarray(sums.multiply(sums).sum(axis=1)).ravel())
    sums.data /= np.repeat(_or_one(lengths), np.diff(sums.indptr))
    return sums


def unit_rows(X: Any) -> Any:
    """Return the rows divided by their Euclidean length; a row of zeros stays.

    Each row is first divided by its largest magnitude, so that no square overflows or vanishes.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0], [3e-200, 4e-200]])).tolist()
    [[0.6, 0.8], [0.0, 0.0], [0.6, 0.8]]
    """
    if not sparse.issparse(X):
        scaled = X / _or_one(np.abs(X).max(axis=1, initial=0.0))[:, None]
        return scaled / _or_one(np.sqrt(np.square(scaled).sum(axis=1)))[:, None]
    unit = sparse.csr_array(X, dtype=np.float64, copy=True)
    unit.sum_duplicates()
    unit.data = unit_values(unit.indptr.astype(np.int64), unit.data)
    return unit


def _or_one(lengths: Floats) -> Floats:
    return np.where(lengths > 0, lengths, 1.0)


def binary_scale(values: Floats) -> float:
    """Return the power of two at or just below the largest absolute value; dividing by it changes no digit. 1 for 0.

    >>> binary_scale(np.array([3.0, -5.0])), binary_scale(np.zeros(2))
    (4.0, 1.0)
    """
    largest = float(np.abs(values).max(initial=0.0))
    return 2.0 ** (int(np.frexp(largest)[1]) - 1) if largest > 0 else 1.0
