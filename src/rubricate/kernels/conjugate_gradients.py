"""(AᵀA + λI) Z = B for sixteen columns of B at once, by conjugate gradients.

Given  A and Aᵀ as `Rows` (terms uint32, float64), B (columns of A × 16, C order), λ > 0, the residual over right side
       at which a column is done, and the most iterations.
Return Z, in the shape of B.
Cost   per iteration two passes over the stored values, each one or two vector operations for all columns (`svm_lanes`),
       and three over the arrays of the method. golub2013, algorithm 11.3.3; columns share the passes, not the steps.
Edges  a zero column of B gives a zero column of Z. A column that is done goes on with the others and only gets better.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_lanes import LANES, lanes_dot

__all__ = ["solve_ridge_block"]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _product(rows: Rows, P: np.ndarray, result: np.ndarray) -> None:
    for i in range(len(result)):
        lanes_dot(rows, i, P, result[i])


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _ratios(a: np.ndarray, b: np.ndarray, result: np.ndarray) -> None:
    """Set the result to a / b, 0 for 0 / 0: a column that is solved exactly stays as it is."""
    for c in range(LANES):
        result[c] = a[c] / b[c] if b[c] > 0 else 0.0


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _bend(G: np.ndarray, P: np.ndarray, ridge: float, curve: np.ndarray) -> None:
    """Add λP to G = AᵀAP, and set `curve` to Σ P·G of each column."""
    curve[:] = 0.0
    for i in range(len(P)):
        for c in range(LANES):
            G[i, c] += ridge * P[i, c]
            curve[c] += P[i, c] * G[i, c]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _move(Z: np.ndarray, R: np.ndarray, directions: tuple[np.ndarray, np.ndarray], moving: np.ndarray) -> None:
    """Step along P, in Z and in the residuals R; row 0 of `moving` are the steps, row 1 becomes Σ R² of each column."""
    P, G = directions
    moving[1] = 0.0
    for i in range(len(P)):
        for c in range(LANES):
            Z[i, c] += moving[0, c] * P[i, c]
            R[i, c] -= moving[0, c] * G[i, c]
            moving[1, c] += R[i, c] * R[i, c]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _turn(P: np.ndarray, R: np.ndarray, share: np.ndarray) -> None:
    """Set P to R + share · P."""
    for i in range(len(P)):
        for c in range(LANES):
            P[i, c] = R[i, c] + share[c] * P[i, c]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def solve_ridge_block(sides: tuple[Rows, Rows], B: np.ndarray, ridge: float, limits: tuple[float, int]) -> np.ndarray:
    """Return Z; `sides` are A and Aᵀ, `limits` the relative residual and the most iterations."""
    forth, back = sides
    tolerance, most = limits
    Z, R, P, G = np.zeros(B.shape), B.copy(), B.copy(), np.empty(B.shape)
    Q = np.empty((len(forth.starts) - 1, LANES))
    square, goal, curve, moving = np.zeros(LANES), np.empty(LANES), np.empty(LANES), np.zeros((2, LANES))
    for i in range(len(B)):
        for c in range(LANES):
            square[c] += B[i, c] * B[i, c]
    for c in range(LANES):
        goal[c] = tolerance * tolerance * square[c]
    for _ in range(most):
        done = True
        for c in range(LANES):
            done &= square[c] <= goal[c]
        if done:
            break
        _product(forth, P, Q)
        _product(back, Q, G)
        _bend(G, P, ridge, curve)
        _ratios(square, curve, moving[0])
        _move(Z, R, (P, G), moving)
        _ratios(moving[1], square, curve)  # the share of the old direction in the new one
        _turn(P, R, curve)
        square[:] = moving[1]
    return Z
