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

from rubricate.kernels.conjugate_gradients import solve_ridge_block
from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_lanes import LANES
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
    sides, Z = (_rows(A), _rows(A.T)), np.empty(B.shape)
    for start in range(0, B.shape[1], LANES):
        part = B[:, start : start + LANES]
        block = np.zeros((B.shape[0], LANES))
        block[:, : part.shape[1]] = part
        limits = (TOLERANCE, 10 * A.shape[1])
        Z[:, start : start + LANES] = solve_ridge_block(sides, block, float(ridge), limits)[:, : part.shape[1]]
    return Z


def _rows(A: Any) -> Rows:
    matrix = sparse.csr_array(A)
    return Rows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.uint32), matrix.data.astype(np.float64))
