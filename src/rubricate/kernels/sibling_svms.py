"""Linear SVMs of the categories below one parent: the same few documents, one machine per category.

Problem: that of `svm_local`, for k categories over the same rows. The rows are copied once, with terms renumbered
0, 1, …, so that every weight vector is short and near in memory; then each category is solved alone.

Ties, order and convergence are those of `svm_local.solve_rows`; results do not depend on other groups.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_local import Dual, Search, solve_exactly

__all__ = ["Gathered", "GroupProblem", "GroupWeights", "Renumbering", "gather_rows", "group_scores", "solve_group"]


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
        dual = Dual(y, cap, squares, np.zeros(n), np.zeros(terms), bias[c : c + 1])
        # The seed depends on the place in the group alone: other groups change nothing.
        own = Search(search.penalty, search.tol, search.sweeps, search.seed + c)
        gap, primal, _ = solve_exactly(rows, dual, own)
        gaps[c] = gap / max(primal, 1e-300)
        for t in range(terms):
            W[t, c] = dual.w[t]
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
