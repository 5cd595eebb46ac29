"""Inner products of sparse rows, and one SVM solved by the matrix of them.

Problem: K_ij = x_i·x_j for the rows i of one list and j of another; and for an SVM on one list of rows
         max over 0 <= y_i β_i <= C_i of  Σ |β_i| − ½ Σ β_i β_j K_ij,
         with a free bias also Σ β_i = 0, with a penalised one less (Σ β_i)² / 2λ.

Given  `add_products`: the rows (only their rare terms; frequent ones are multiplied as dense columns), two lists of
       rows, and K, float32. `products_with`: all rows and β. `sweep_products`: K, `Coded`, and a `Dual` whose w is
       f = Kβ, as long as a row of K.
Return K, and β, f, b in place; of the sweeps (the largest KKT violation met in the last sweep, sweeps).
Cost   `add_products`: Σ over terms of occurrences in the first times in the second list. `products_with`: the stored
       values. A sweep: n and n for each row that moves.
Ties   rows are visited in order.
Edge   C_i = 0 leaves a row out; K_ii = 0 sends β_i to the bound that its gradient points to.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.row_lanes import lanes_move
from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_local import Dual, Search, bias_step

__all__ = ["Coded", "add_products", "code", "mirror", "products_with", "sweep_products", "take_part"]

TILE = 64
"""Side of the tiles in which a matrix is mirrored: two of them fit the first cache."""
FLAT = 1e-12
"""Stands for a curvature of zero."""


class Coded(NamedTuple):
    """A matrix of products as whole numbers of 16 bits, in units of `unit`; rows have a multiple of 16 numbers."""

    K: np.ndarray
    unit: float


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _postings(rows: Rows, chosen: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the occurrences of each term in the chosen rows: (starts, places in `chosen`, values)."""
    starts, terms, values = rows
    first = np.zeros(width + 1, np.int64)
    for c in range(len(chosen)):
        for p in range(starts[chosen[c]], starts[chosen[c] + 1]):
            first[terms[p] + 1] += 1
    # Counting sort by term: counts, then starts, then places.
    for t in range(width):
        first[t + 1] += first[t]
    place, post, weight = first[:-1].copy(), np.empty(first[-1], np.uint32), np.empty(first[-1], np.float32)
    for c in range(len(chosen)):
        for p in range(starts[chosen[c]], starts[chosen[c] + 1]):
            post[place[terms[p]]], weight[place[terms[p]]] = c, values[p]
            place[terms[p]] += 1
    return first, post, weight


@numba.njit(cache=True, nogil=True, error_model="numpy")
def add_products(rows: Rows, left: np.ndarray, right: np.ndarray, width: int, K: np.ndarray) -> None:
    """Add x_left[a] · x_right[c] to K[a, c], by the postings of the right rows; terms are below `width`."""
    starts, terms, values = rows
    first, post, weight = _postings(rows, right, width)
    # One row of K at a time stays in the cache, whatever rows it meets.
    for a in range(len(left)):
        row = K[a]
        for p in range(starts[left[a]], starts[left[a] + 1]):
            for q in range(first[terms[p]], first[terms[p] + 1]):
                row[post[q]] += values[p] * weight[q]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def take_part(K: np.ndarray, left: np.ndarray, right: np.ndarray, part: np.ndarray) -> None:
    """Set `part` to the rows `left` and columns `right` of a matrix."""
    for a in range(len(left)):
        row, own = K[left[a]], part[a]
        for c in range(len(right)):
            own[c] = row[right[c]]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def code(K: np.ndarray, unit: float, coded: np.ndarray, first: int) -> None:
    """Set rows of `coded`, from `first` on, to those of a matrix in whole units."""
    units = np.float32(1 / unit)
    for a in range(len(K)):
        row, own = K[a], coded[first + a]
        for c in range(len(row)):
            own[c] = np.int16(np.rint(row[c] * units))


@numba.njit(cache=True, nogil=True, error_model="numpy")
def mirror(K: np.ndarray) -> None:
    """Copy what is below the diagonal of a square matrix to above it, in tiles that fit the cache."""
    for top in range(0, len(K), TILE):
        for side in range(0, top + 1, TILE):
            for a in range(top, min(top + TILE, len(K))):
                for c in range(side, min(side + TILE, a)):
                    K[c, a] = K[a, c]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def products_with(rows: Rows, beta: np.ndarray, width: int) -> np.ndarray:
    """Return w·x_i of every row, w = Σ β_j x_j over the rows with β ≠ 0."""
    starts, terms, values = rows
    w, products = np.zeros(width), np.empty(len(beta))
    # By way of w: stored values, not pairs of documents.
    for j in range(len(beta)):
        if beta[j] != 0:
            for p in range(starts[j], starts[j + 1]):
                w[terms[p]] += beta[j] * values[p]
    for i in range(len(beta)):
        total = 0.0
        for p in range(starts[i], starts[i + 1]):
            total += w[terms[p]] * values[p]
        products[i] = total
    return products


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _sweep(products: Coded, dual: Dual, pull: float, flat: float) -> tuple[float, int]:
    """Visit every row once: (largest violation, free rows). The step is that of `svm_local`."""
    y, cap, squares, beta, f, bias = dual
    worst, free, b = 0.0, 0, bias[0]
    for a in range(len(y)):
        curve = max(squares[a] + pull, FLAT)
        new = y[a] * min(max(y[a] * (beta[a] - (f[a] + b - y[a]) / curve), 0.0), cap[a])
        free += new != 0 and abs(new) < cap[a]
        step = new - beta[a]
        worst = max(worst, abs(step) * curve)
        if abs(step) * curve > flat:
            beta[a] = new
            b += pull * step
            lanes_move(f, products.K, a, np.float32(step * products.unit))
    bias[0] = b
    return worst, free


@numba.njit(cache=True, nogil=True, error_model="numpy")
def sweep_products(products: Coded, dual: Dual, search: Search) -> tuple[float, int]:
    """Sweep until no KKT condition, Σ β = λ b included, is off by more than `tol`: (worst violation, sweeps)."""
    cap, squares, beta, bias, penalty = dual.cap, dual.squares, dual.beta, dual.bias, search.penalty
    free, size, worst, done = 0, 0.0, np.inf, 0
    for a in range(len(beta)):
        free += beta[a] != 0 and abs(beta[a]) < cap[a]
        size += squares[a] / len(beta)
    while done < search.sweeps:
        pull = bias_step(penalty, free, size)
        # Steps below a tenth of the tolerance cannot matter and would cost a row of K each.
        worst, free = _sweep(products, dual, pull, 0.1 * search.tol)
        done += 1
        # Σ β − λ b, measured as what it would move the bias by, so that it compares with violations of f.
        lean = -penalty * bias[0] if penalty < np.inf else 0.0
        for value in beta:
            lean += value
        worst = max(worst, abs(lean) * pull)
        if worst <= search.tol:
            break
        bias[0] += pull * lean
    return worst, done
