"""(AᵀA + λI) Z = B for sparse or dense A with n columns and λ > 0.

Cholesky       n ≤ DENSE: the matrix is formed and factored. Cost n³/3 + 2 n² per column of B.
conjugate      otherwise: conjugate gradients on all columns of B at once, each with its own steps, until every residual
gradients      is within TOLERANCE of its column. Cost per iteration 4 · nonzeros · columns of B, memory 4 such arrays;
               the number of iterations grows with √(1 + σ₁²/λ). golub2013, section 11.3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg, sparse

from rubricate.kernels.rows import Rows, multiply
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
    forth, back = _product(A), _product(A.T)
    Z, R, P = np.zeros(B.shape), np.array(B, np.float64, order="C"), np.array(B, np.float64, order="C")
    square = (R * R).sum(axis=0)
    goal = TOLERANCE**2 * square
    for _ in range(10 * A.shape[1]):
        if np.all(square <= goal):
            break
        G = back(forth(P))
        G += ridge * P
        step = _ratio(square, (P * G).sum(axis=0))
        Z += step * P
        R -= step * G
        old, square = square, (R * R).sum(axis=0)
        P = R + _ratio(square, old) * P
    return Z


def _product(A: Any) -> Callable[[Floats], Floats]:
    """Return P ↦ A P; of a sparse A by a loop that leaves other threads alone (SciPy's stops them)."""
    if not sparse.issparse(A):
        return lambda P: A @ P
    matrix = sparse.csr_array(A)
    rows = Rows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data.astype(np.float64))

    def product(P: Floats) -> Floats:
        result = np.empty((matrix.shape[0], P.shape[1]))
        multiply(rows, P, result)
        return result

    return product


def _ratio(a: Floats, b: Floats) -> Floats:
    """Return a / b, and 0 for 0 / 0: a column that is solved stays as it is."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)
