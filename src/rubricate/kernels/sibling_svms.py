"""Linear SVMs of the categories below one parent: the same few documents, one machine a category.

Problem: that of `svm_local`, for k categories over the same rows. The rows are copied once, with terms renumbered
0, 1, …, so that every weight vector is short and near in memory; then each category is solved alone.

Ties, order and convergence are those of `svm_local.solve_rows`; results do not depend on other groups.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_local import Dual, Search, solve_exactly

__all__ = ["gather_rows", "group_scores", "solve_group"]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def gather_rows(
    starts: np.ndarray, terms: np.ndarray, values: np.ndarray, rows: np.ndarray, place: np.ndarray, kept: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Copy rows and renumber their terms: (starts, terms, values, the old number of each new term).

    Only terms with `kept` (one flag a term; an empty array keeps all). `place` holds −1 for every term, before and
    after. Cost: the stored values of the rows.
    """
    size = 0
    for r in rows:
        size += starts[r + 1] - starts[r]
    own, mine, copy = np.zeros(len(rows) + 1, np.int64), np.empty(size, np.uint32), np.empty(size)
    seen, used, at = np.empty(size, np.int32), 0, 0
    for a in range(len(rows)):
        for p in range(starts[rows[a]], starts[rows[a] + 1]):
            t = terms[p]
            if len(kept) and not kept[t]:
                continue
            if place[t] < 0:
                place[t] = used
                seen[used] = t
                used += 1
            mine[at], copy[at] = place[t], values[p]
            at += 1
        own[a + 1] = at
    for t in seen[:used]:
        place[t] = -1
    return own, mine[:at], copy[:at], seen[:used].copy()


@numba.njit(cache=True, nogil=True, error_model="numpy")
def solve_group(
    starts: np.ndarray,
    terms: np.ndarray,
    values: np.ndarray,
    used: int,
    labels: np.ndarray,
    weights: np.ndarray,
    costs: np.ndarray,
    penalty: float,
    tol: float,
    sweeps: int,
    seed: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights (terms × categories), biases, and the relative duality gap of each as last measured.

    `labels` is rows × categories, `weights` what each row counts for (above 0), `costs` 2 × categories (of negatives,
    of positives): the cost of a row is the product. A category that none of the
    rows has gets the bias −1, one that all have 1, and no weights. Cost: sweeps × categories × stored values.
    """
    n, k = labels.shape
    W, bias, gaps = np.zeros((used, k)), np.zeros(k), np.zeros(k)
    squares = np.zeros(n)
    for r in range(n):
        for p in range(starts[r], starts[r + 1]):
            squares[r] += values[p] * values[p]
    y, cap = np.empty(n), np.empty(n)
    for c in range(k):
        inside = 0
        for r in range(n):
            positive = labels[r, c]
            inside += positive
            y[r], cap[r] = (1.0, costs[1, c]) if positive else (-1.0, costs[0, c])
            cap[r] *= weights[r]
        if inside == 0 or inside == n:
            bias[c] = 1.0 if inside else -1.0
            continue
        dual = Dual(y, cap, squares, np.zeros(n), np.zeros(used), bias[c : c + 1])
        gap, primal, _ = solve_exactly(Rows(starts, terms, values), dual, Search(penalty, tol, sweeps, seed + c))
        gaps[c] = gap / max(primal, 1e-300)
        for t in range(used):
            W[t, c] = dual.w[t]
    return W, bias, gaps


@numba.njit(cache=True, nogil=True, error_model="numpy")
def group_scores(
    starts: np.ndarray,
    terms: np.ndarray,
    values: np.ndarray,
    rows: np.ndarray,
    own: np.ndarray,
    weights: np.ndarray,
    bias: np.ndarray,
    place: np.ndarray,
) -> np.ndarray:
    """Scores of these rows, rows × categories; `own` are the terms of the rows of `weights`, the others count 0.

    `place` holds −1 for every term, before and after. Cost: terms of the group + stored values × categories.
    """
    k = len(bias)
    for t in range(len(own)):
        place[own[t]] = t
    found = np.empty((len(rows), k))
    for a in range(len(rows)):
        for c in range(k):
            found[a, c] = bias[c]
        for p in range(starts[rows[a]], starts[rows[a] + 1]):
            t = place[terms[p]]
            if t >= 0:
                for c in range(k):
                    found[a, c] += values[p] * weights[t, c]
    for t in own:
        place[t] = -1
    return found
