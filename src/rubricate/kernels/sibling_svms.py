"""Linear SVMs of the categories below one parent: the same few documents, one machine per category.

Problem: that of `svm_local`, for k categories over the same rows. The rows are copied once, with terms renumbered
0, 1, …, so that every weight vector is short and near in memory; then each category is solved alone.

Where a group has fewer rows than a row has stored values, its rows are first written in another basis: with the rows
L_i of the Cholesky factor of the products x_i·x_j = L_i·L_j the problem has the same β, on rows of at most n values.

Ties, order and convergence are those of `svm_local.solve_rows`; results do not depend on other groups.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_local import Dual, Search, add_row, dot_row, solve_exactly

__all__ = [
    "Gathered",
    "GroupProblem",
    "GroupWeights",
    "Renumbering",
    "gather_rows",
    "group_scores",
    "solve_group",
    "triangular",
]


PER_CATEGORY = 20
"""Rows per category up to which the other basis pays: products cost n² / 2 passes over a row, sweeps some 40 n per
category."""
RANK = 1e-12
"""Pivots up to this share of the largest |x|² are 0: such a row is a sum of rows before it."""


class Renumbering(NamedTuple):
    """Scratch space with −1 for every term, before and after, and one flag per term to keep (empty: all are kept)."""

    place: np.ndarray
    kept: np.ndarray


class Gathered(NamedTuple):
    """Rows with terms renumbered 0, 1, …, and the old number of each new term."""

    rows: Rows
    own: np.ndarray


class GroupProblem(NamedTuple):
    """What the machines of a group learn.

    `labels` is rows × categories, `weights` what each row counts for (above 0), `costs` 2 × categories (of negatives,
    of positives): the cost of a row is the product. `terms` is the number of terms.
    """

    labels: np.ndarray
    weights: np.ndarray
    costs: np.ndarray
    terms: int


class GroupWeights(NamedTuple):
    """The machines of a group: the terms that they have weights for, weights (terms × categories) and biases."""

    own: np.ndarray
    weights: np.ndarray
    bias: np.ndarray


@numba.njit(cache=True, nogil=True, error_model="numpy")
def gather_rows(rows: Rows, chosen: np.ndarray, renumbering: Renumbering) -> Gathered:
    """Copy chosen rows and renumber their terms. Cost: the stored values of the rows."""
    (starts, terms, values), (place, kept) = rows, renumbering
    size = 0
    for r in chosen:
        size += starts[r + 1] - starts[r]
    new_starts, new_terms, new_values = np.zeros(len(chosen) + 1, np.int64), np.empty(size, np.uint32), np.empty(size)
    seen, used, at = np.empty(size, np.int32), 0, 0
    # Terms are numbered in the order in which they are first met, so that near rows have near weights.
    for a in range(len(chosen)):
        for p in range(starts[chosen[a]], starts[chosen[a] + 1]):
            t = terms[p]
            if len(kept) and not kept[t]:
                continue
            if place[t] < 0:
                place[t] = used
                seen[used] = t
                used += 1
            new_terms[at], new_values[at] = place[t], values[p]
            at += 1
        new_starts[a + 1] = at
    # Only the terms that were met are reset: the cost does not depend on the number of all terms.
    for t in seen[:used]:
        place[t] = -1
    return Gathered(Rows(new_starts, new_terms[:at], new_values[:at]), seen[:used].copy())


@numba.njit(cache=True, nogil=True, error_model="numpy")
def triangular(rows: Rows, squares: np.ndarray, terms: int) -> Rows:
    """Return rows of the Cholesky factor of all products, in the order of the rows: row i has i + 1 values.

    Cost: n² / 2 products of rows and n³ / 6 operations.
    """
    n, dense = len(squares), np.zeros(terms)
    L, largest = np.zeros((n, n)), 0.0
    for i in range(n):
        add_row(rows, i, 1.0, dense)
        for j in range(i + 1):
            L[i, j] = dot_row(rows, j, dense)
        add_row(rows, i, -1.0, dense)
        largest = max(largest, squares[i])
    for j in range(n):
        pivot = L[j, j]
        for m in range(j):
            pivot -= L[j, m] * L[j, m]
        root = np.sqrt(pivot) if pivot > RANK * largest else 0.0
        L[j, j] = root
        for i in range(j + 1, n):
            value = L[i, j]
            for m in range(j):
                value -= L[i, m] * L[j, m]
            L[i, j] = value / root if root > 0 else 0.0
    size = n * (n + 1) // 2
    starts, columns, values = np.zeros(n + 1, np.int64), np.empty(size, np.uint32), np.empty(size)
    for i in range(n):
        starts[i + 1] = starts[i] + i + 1
        for j in range(i + 1):
            columns[starts[i] + j], values[starts[i] + j] = j, L[i, j]
    return Rows(starts, columns, values)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def solve_group(rows: Rows, problem: GroupProblem, search: Search) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Solve all categories: weights (terms × categories), biases, and the relative duality gap of each.

    A category that none of the rows has gets the bias −1, one that all have 1, and no weights. Cost: sweeps ×
    categories × stored values.
    """
    (starts, _, values), (labels, weights, costs, terms) = rows, problem
    n, k = labels.shape
    W, bias, gaps = np.zeros((terms, k)), np.zeros(k), np.zeros(k)
    squares = np.zeros(n)
    for r in range(n):
        for p in range(starts[r], starts[r + 1]):
            squares[r] += values[p] * values[p]
    y, cap = np.empty(n), np.empty(n)
    small = n <= PER_CATEGORY * k and n * n <= len(values)
    basis, width = (triangular(rows, squares, terms), n) if small else (rows, terms)
    for c in range(k):
        inside = 0
        for r in range(n):
            positive = labels[r, c]
            inside += positive
            y[r], cap[r] = (1.0, costs[1, c]) if positive else (-1.0, costs[0, c])
            cap[r] *= weights[r]
        # Nothing to tell apart: a constant says what all rows are.
        if inside == 0 or inside == n:
            bias[c] = 1.0 if inside else -1.0
            continue
        dual = Dual(y, cap, squares, np.zeros(n), np.zeros(width), bias[c : c + 1])
        # The seed depends on the place in the group alone: other groups change nothing.
        own = Search(search.penalty, search.tol, search.sweeps, search.seed + c)
        gap, primal, _ = solve_exactly(basis, dual, own)
        gaps[c] = gap / max(primal, 1e-300)
        for t in range(0 if small else terms):
            W[t, c] = dual.w[t]
        for r in range(n if small else 0):
            for p in range(starts[r], starts[r + 1] if dual.beta[r] != 0 else starts[r]):
                W[rows.terms[p], c] += dual.beta[r] * values[p]
    return W, bias, gaps


@numba.njit(cache=True, nogil=True, error_model="numpy")
def group_scores(rows: Rows, chosen: np.ndarray, machines: tuple[GroupWeights, np.ndarray]) -> np.ndarray:
    """Return the scores of chosen rows, rows × categories; terms without weights count 0.

    Beside the weights, `machines` has scratch space with −1 for every term, before and after. Cost: terms of the group
    + stored values × categories.
    """
    (starts, terms, values), ((own, weights, bias), place) = rows, machines
    k = len(bias)
    for t in range(len(own)):
        place[own[t]] = t
    scores = np.empty((len(chosen), k))
    for a in range(len(chosen)):
        for c in range(k):
            scores[a, c] = bias[c]
        for p in range(starts[chosen[a]], starts[chosen[a] + 1]):
            t = place[terms[p]]
            if t >= 0:
                for c in range(k):
                    scores[a, c] += values[p] * weights[t, c]
    for t in own:
        place[t] = -1
    return scores
