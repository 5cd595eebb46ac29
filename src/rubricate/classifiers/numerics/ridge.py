"""(AᵀA + λI) Z = B for sparse or dense A with n columns and λ > 0.

Cholesky       n ≤ DENSE: the matrix is formed and factored. Cost n³/3 + 2 n² per column of B.
conjugate      otherwise: conjugate gradients on sixteen columns of B at once, each with its own steps, until every
gradients      residual is within TOLERANCE of its column. Cost per iteration 4 · nonzeros · columns of B, memory four
               arrays of sixteen columns; the number of iterations grows with √(1 + σ₁²/λ). golub2013, section 11.3.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse

from rubricate.native.networks import RIDGE_COLUMNS, solve_ridge_columns
from rubricate.native.sparse import Rows
from rubricate.types import Floats

__all__ = ["solve_ridge"]

DENSE = 3000
"""Columns up to which the matrix is factored."""
TOLERANCE = 1e-8
"""Residual over right side at which a column is done."""


def solve_ridge(A: Any, B: Any, ridge: float) -> Floats:
    """Return Z, n × columns of B. A zero column of B gives a zero column of Z."""
    dense = B.toarray() if sparse.issparse(B) else B
    return _by_cholesky(A, dense, ridge) if A.shape[1] <= DENSE else _by_gradients(A, dense, ridge)


def _by_cholesky(A: Any, B: Floats, ridge: float) -> Floats:
    G = A.T @ A
    G = G.toarray() if sparse.issparse(G) else G
    G[np.diag_indices_from(G)] += ridge
    return linalg.cho_solve(linalg.cho_factor(G, lower=True, check_finite=False), B, check_finite=False)


def _by_gradients(A: Any, B: Floats, ridge: float) -> Floats:
    """Solve sixteen columns at a time; compiled code leaves other threads alone."""
    rows, transposed, Z = _rows(A), _rows(A.T), np.empty(B.shape)
    limits = {"tolerance": TOLERANCE, "max_iterations": 10 * A.shape[1]}
    for start in range(0, B.shape[1], RIDGE_COLUMNS):
        part = B[:, start : start + RIDGE_COLUMNS]
        block = np.zeros((B.shape[0], RIDGE_COLUMNS))
        block[:, : part.shape[1]] = part
        solved = solve_ridge_columns(rows, transposed, block, ridge=float(ridge), **limits)
        Z[:, start : start + RIDGE_COLUMNS] = solved[:, : part.shape[1]]
    return Z


def _rows(A: Any) -> Rows:
    matrix = sparse.csr_array(A)
    return Rows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data.astype(np.float64))
