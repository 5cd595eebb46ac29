"""Inner products of sparse rows, and one SVM solved by the matrix of them.

Problem: K_ij = x_i·x_j for the rows i of one list and j of another; and for an SVM on one list of rows
         max over 0 <= y_i β_i <= C_i of  Σ |β_i| − ½ Σ β_i β_j K_ij,
         with a free bias also Σ β_i = 0, with a penalised one less (Σ β_i)² / 2λ.

Given  `set_products`: the `ProductRows`, two lists of them, and room for the products. `sum_products`: documents and β.
       `sweep_products`: K, `Coded`, and a `Dual` whose w is f = Kβ, as long as K has rows, or up to 15 longer.
Return K, and β, f, b in place; of the sweeps (the largest KKT violation met in the last sweep, sweeps).
Cost   of a × b products: 2 · 128 · a · b operations of a matrix product, and for rare terms the sum over them of
       occurrences in the first times in the second list; nothing but copies where all products are there.
       `sum_products`: the stored values. A sweep: n and n for each row that moves.
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
from rubricate.kernels.wrappers import NO_REFERENCES

__all__ = [
    "Coded",
    "ProductRows",
    "Right",
    "as_right",
    "code",
    "mirror",
    "set_panel",
    "set_products",
    "set_square",
    "split_terms",
    "sum_products",
    "sweep_products",
]

PANEL = 256
"""Rows of a matrix that are computed together, in single precision: a quarter of a megabyte for each 256 columns."""
TILE = 64
"""Side of the tiles in which a matrix is mirrored: two of them fit the first cache."""
FLAT = 1e-12
"""Stands for a curvature of zero."""


class ProductRows(NamedTuple):
    """Documents as their products are made.

    `rows` have all terms, in single precision, `exact` the same in double precision, `rare` only those that are not
    among the most frequent, which are the columns of `frequent`. `all` are the products of all documents with each
    other, or has no rows; a product is a whole number of 16 bits in units of `unit`. `squares` are |x|²; terms are
    below `width`.
    """

    rows: Rows
    exact: Rows
    rare: Rows
    frequent: np.ndarray
    all: np.ndarray
    squares: np.ndarray
    unit: float
    width: int


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


@numba.njit(cache=True, nogil=True, error_model="numpy", **NO_REFERENCES)
def _take_part(K: np.ndarray, left: np.ndarray, right: np.ndarray, part: np.ndarray, column: int) -> None:
    """Set `part`, from a column on, to the rows `left` and columns `right` of a matrix."""
    for a in range(len(left)):
        row, own = K[left[a]], part[a, column:]
        for c in range(len(right)):
            own[c] = row[right[c]]


@numba.njit(cache=True, nogil=True, error_model="numpy", **NO_REFERENCES)
def code(K: np.ndarray, unit: float, coded: np.ndarray, column: int) -> None:
    """Set the first rows of `coded`, from a column on, to those of a matrix in whole units."""
    units = np.float32(1 / unit)
    for a in range(len(K)):
        row, own = K[a], coded[a, column:]
        for c in range(len(row)):
            own[c] = np.int16(np.rint(row[c] * units))


@numba.njit(cache=True, nogil=True, error_model="numpy", **NO_REFERENCES)
def mirror(K: np.ndarray, first: int, last: int) -> None:
    """Copy what is below the diagonal of a square matrix to above it, of some rows, in tiles that fit the cache."""
    for top in range(first, last, TILE):
        end = min(top + TILE, last)
        for side in range(0, end, TILE):
            for a in range(top, end):
                for c in range(side, min(side + TILE, a)):
                    K[c, a] = K[a, c]


class Right(NamedTuple):
    """The documents of columns: their frequent terms, and the postings of their rare terms, as `_postings` has them."""

    frequent: np.ndarray
    first: np.ndarray
    post: np.ndarray
    weight: np.ndarray


@numba.njit(cache=True, nogil=True, error_model="numpy")
def split_terms(rows: Rows, dense: int) -> tuple[np.ndarray, Rows]:
    """Return the first terms of rows as `dense` columns, and rows of the others."""
    starts, terms, values = rows
    frequent, at = np.zeros((len(starts) - 1, dense), np.float32), 0
    rare_starts, rare_terms, rare_values = np.zeros_like(starts), np.empty_like(terms), np.empty_like(values)
    for i in range(len(starts) - 1):
        for p in range(starts[i], starts[i + 1]):
            if terms[p] < dense:
                frequent[i, terms[p]] = values[p]
            else:
                rare_terms[at], rare_values[at] = terms[p], values[p]
                at += 1
        rare_starts[i + 1] = at
    return frequent, Rows(rare_starts, rare_terms[:at], rare_values[:at])


@numba.njit(cache=True, nogil=True, error_model="numpy")
def as_right(documents: ProductRows, right: np.ndarray) -> Right:
    """Return documents as those of columns."""
    first, post, weight = _postings(documents.rare, right, documents.width)
    return Right(documents.frequent[right], first, post, weight)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _set_rows(
    documents: ProductRows, left: np.ndarray, right: Right, columns: int, out: np.ndarray, column: int
) -> None:
    """Set the products of some documents with the first `columns` of others, in `out` from a column on."""
    (starts, terms, values), (_, first, post, weight) = documents.rare, right
    products = np.dot(documents.frequent[left], right.frequent[:columns].T)
    # One row at a time stays in the cache, whatever documents it meets.
    for a in range(len(left)):
        row = products[a]
        for p in range(starts[left[a]], starts[left[a] + 1]):
            for q in range(first[terms[p]], first[terms[p] + 1]):
                # Postings of a term are in the order of the columns.
                if post[q] >= columns:
                    break
                row[post[q]] += values[p] * weight[q]
    code(products, documents.unit, out, column)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def set_panel(documents: ProductRows, all: Right, first: int, last: int, out: np.ndarray) -> None:
    """Set rows of the products of all documents with each other, up to the diagonal and a little beyond."""
    _set_rows(documents, np.arange(first, last), all, last, out[first:last], 0)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def set_products(documents: ProductRows, left: np.ndarray, right: np.ndarray, out: np.ndarray, column: int) -> None:
    """Set the products of some documents with some others, in `out` from a column on."""
    if len(documents.all):
        _take_part(documents.all, left, right, out, column)
        return
    columns = as_right(documents, right)
    for top in range(0, len(left), PANEL):
        last = min(top + PANEL, len(left))
        _set_rows(documents, left[top:last], columns, len(right), out[top:last], column)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def set_square(documents: ProductRows, chosen: np.ndarray, out: np.ndarray) -> None:
    """Set the products of documents with each other; half of them are computed."""
    if len(documents.all):
        _take_part(documents.all, chosen, chosen, out, 0)
        return
    columns = as_right(documents, chosen)
    for top in range(0, len(chosen), PANEL):
        last = min(top + PANEL, len(chosen))
        _set_rows(documents, chosen[top:last], columns, last, out[top:last], 0)
    mirror(out, 0, len(chosen))


@numba.njit(cache=True, nogil=True, error_model="numpy")
def sum_products(documents: ProductRows, chosen: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """Return w·x of all documents in double precision, w = Σ β_j x_j over the chosen ones."""
    starts, terms, values = documents.exact
    w, products = np.zeros(documents.width), np.empty(len(starts) - 1)
    # By way of w: stored values, not pairs of documents.
    for j in range(len(chosen)):
        if beta[j] != 0:
            for p in range(starts[chosen[j]], starts[chosen[j] + 1]):
                w[terms[p]] += beta[j] * values[p]
    for i in range(len(products)):
        total = 0.0
        for p in range(starts[i], starts[i + 1]):
            total += w[terms[p]] * values[p]
        products[i] = total
    return products


@numba.njit(cache=True, nogil=True, error_model="numpy", **NO_REFERENCES)
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
