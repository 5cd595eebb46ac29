"""Some columns of a matrix, at a cost that does not grow with the number of all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rubricate.types import Ints

__all__ = ["take_columns", "used_columns"]


def used_columns(X: Any) -> Ints:
    """The columns with a stored value, ascending; all of them for a dense X."""
    return np.unique(X.indices) if sparse.issparse(X) else np.arange(X.shape[1])


def take_columns(X: Any, columns: Ints) -> Any:
    """These columns (ascending) of a dense or csr X; what X has in others is left out.

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
