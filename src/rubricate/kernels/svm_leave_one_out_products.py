"""Inner products of sparse rows, and one SVM solved by the matrix of them.

Problem: K_ij = x_i·x_j for the rows i of one list and j of another; and for an SVM on one list of rows
         max over 0 <= y_i β_i <= C_i of  Σ |β_i| − ½ Σ β_i β_j K_ij,
         with a free bias also Σ β_i = 0, with a penalised one less (Σ β_i)² / 2λ.

Given  `add_products`: the rows in CSR form (for the rare terms; frequent ones are multiplied as dense columns), two
       lists of rows, and K, float32. `products_with`: all rows and β. `sweep_products`: K, y, `cap` C_i, β and
       f = Kβ, b.
Return K and β, f in place; of the sweeps (b, the largest KKT violation met in the last sweep, sweeps).
Cost   `add_products`: Σ over terms of occurrences in the first times in the second list. `products_with`: the stored
       values. A sweep: n and n for each row that moves.
Ties   rows are visited in order.
Edge   C_i = 0 leaves a row out; K_ii = 0 sends β_i to the bound that its gradient points to.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["add_products", "mirror", "products_with", "respond", "sweep_products"]

RESIST = 0.2
"""As in `svm_local`: the share of free rows by which a change of the bias is damped."""


@numba.njit(cache=True, nogil=True, error_model="numpy")
def add_products(
    starts: np.ndarray,
    terms: np.ndarray,
    values: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    width: int,
    K: np.ndarray,
) -> None:
    """K[a, c] += x_left[a] · x_right[c], by the postings of the right rows; terms are below `width`."""
    first = np.zeros(width + 1, np.int64)
    for c in range(len(right)):
        for p in range(starts[right[c]], starts[right[c] + 1]):
            first[terms[p] + 1] += 1
    for t in range(width):
        first[t + 1] += first[t]
    place, post, weight = first[:-1].copy(), np.empty(first[-1], np.uint32), np.empty(first[-1], np.float32)
    for c in range(len(right)):
        for p in range(starts[right[c]], starts[right[c] + 1]):
            post[place[terms[p]]], weight[place[terms[p]]] = c, values[p]
            place[terms[p]] += 1
    for a in range(len(left)):
        row = K[a]
        for p in range(starts[left[a]], starts[left[a] + 1]):
            for q in range(first[terms[p]], first[terms[p] + 1]):
                row[post[q]] += values[p] * weight[q]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def mirror(K: np.ndarray) -> None:
    """Copy what is below the diagonal of a square matrix to above it, in tiles that fit the cache."""
    for top in range(0, len(K), 64):
        for side in range(0, top + 1, 64):
            for a in range(top, min(top + 64, len(K))):
                for c in range(side, min(side + 64, a)):
                    K[c, a] = K[a, c]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def products_with(
    starts: np.ndarray, terms: np.ndarray, values: np.ndarray, beta: np.ndarray, width: int
) -> np.ndarray:
    """w·x_i of every row, w = Σ β_j x_j over the rows with β ≠ 0."""
    w, found = np.zeros(width), np.empty(len(beta))
    for j in range(len(beta)):
        if beta[j] != 0:
            for p in range(starts[j], starts[j + 1]):
                w[terms[p]] += beta[j] * values[p]
    for i in range(len(beta)):
        total = 0.0
        for p in range(starts[i], starts[i + 1]):
            total += w[terms[p]] * values[p]
        found[i] = total
    return found


@numba.njit(cache=True, nogil=True, error_model="numpy")
def respond(values: np.ndarray, row: np.ndarray, step: float) -> None:
    """values += step · row, in float32."""
    factor = np.float32(step)
    for a in range(len(values)):
        values[a] += factor * row[a]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _sweep(
    K: np.ndarray, y: np.ndarray, cap: np.ndarray, beta: np.ndarray, f: np.ndarray, b: float, pull: float, flat: float
) -> tuple[float, float, int]:
    """Visit every row once: (b, largest violation, free rows)."""
    worst, free = 0.0, 0
    for a in range(len(y)):
        curve = max(K[a, a] + pull, 1e-12)
        new = y[a] * min(max(y[a] * (beta[a] - (f[a] + b - y[a]) / curve), 0.0), cap[a])
        free += new != 0 and abs(new) < cap[a]
        step = new - beta[a]
        worst = max(worst, abs(step) * curve)
        if abs(step) * curve > flat:
            beta[a] = new
            b += pull * step
            respond(f, K[a], step)
    return b, worst, free


@numba.njit(cache=True, nogil=True, error_model="numpy")
def sweep_products(
    K: np.ndarray,
    y: np.ndarray,
    cap: np.ndarray,
    beta: np.ndarray,
    f: np.ndarray,
    b: float,
    penalty: float,
    level: float,
    sweeps: int,
) -> tuple[float, float, int]:
    """Sweep until no KKT condition, Σ β = λ b included, is off by more than `level`: (b, worst violation, sweeps).

    `penalty` is the λ of ½ λ b²: 0 for a free bias, ∞ for none.
    """
    free, size, worst, done = 0, 0.0, np.inf, 0
    for a in range(len(y)):
        free += beta[a] != 0 and abs(beta[a]) < cap[a]
        size += K[a, a] / len(y)
    while done < sweeps:
        pull = 1 / (penalty + RESIST * max(free, 5) / max(size, 1e-12)) if penalty < np.inf else 0.0
        b, worst, free = _sweep(K, y, cap, beta, f, b, pull, 0.1 * level)
        done += 1
        lean = -penalty * b if penalty < np.inf else 0.0
        for value in beta:
            lean += value
        worst = max(worst, abs(lean) * pull)
        if worst <= level:
            break
        b += pull * lean
    return b, worst, done
