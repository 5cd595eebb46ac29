"""Documents in another order, terms renumbered, and the terms that only one document has folded into one.

Given  the rows, the order of the documents, the new number of each term; to fold, how many terms are kept: terms whose
       new number is beyond belong to one document each.
Return the rows (terms uint32). `arrange_rows` keeps all terms as they follow each other. `fold_rows` keeps the first
       ones; where a document i (counted in the new order) has others, they become one term numbered kept + i, whose
       value is the root of the sum of their squares.
Cost   one pass over the stored values, two to fold.

All products x_i·x_j stay as they are, so that the dual of an SVM has the same solutions, on fewer stored values where
terms are folded.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.rows import Rows
from rubricate.kernels.wrappers import FROM_PYTHON

__all__ = ["arrange_rows", "fold_rows", "term_frequencies"]

ONE = np.uint64(1)


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def term_frequencies(terms: np.ndarray, frequency: np.ndarray) -> None:
    """Count how often each term is stored, on top of what `frequency` holds."""
    for p in range(len(terms)):
        frequency[np.uint64(terms[p])] += 1


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def arrange_rows(rows: Rows, order: np.ndarray, rank: np.ndarray, arranged: Rows) -> None:
    """Set starts, terms and values of `arranged`: the rows in this order with renumbered terms."""
    starts, terms, values = rows
    own, mine, copy = arranged
    at = np.uint64(0)
    for i in range(np.uint64(len(order))):
        own[i] = at
        for p in range(np.uint64(starts[order[i]]), np.uint64(starts[order[i] + 1])):
            mine[at], copy[at] = rank[np.uint64(terms[p])], values[p]
            at += ONE
    own[np.uint64(len(order))] = at


@numba.njit(cache=True, nogil=True)
def fold_rows(rows: Rows, order: np.ndarray, rank: np.ndarray, kept: int) -> Rows:
    """Return the rows in this order with renumbered terms, lonely ones folded."""
    starts, terms, values = rows
    own = np.zeros(len(order) + 1, np.int64)
    for i in range(len(order)):
        shared, others = 0, 0
        for p in range(starts[order[i]], starts[order[i] + 1]):
            alone = rank[terms[p]] >= kept
            shared += not alone
            others += alone
        own[i + 1] = own[i] + shared + min(others, 1)
    mine, copy = np.empty(own[-1], np.uint32), np.empty(own[-1])
    for i in range(len(order)):
        at, square = own[i], 0.0
        for p in range(starts[order[i]], starts[order[i] + 1]):
            new = rank[terms[p]]
            if new >= kept:
                square += values[p] * values[p]
            else:
                mine[at], copy[at] = new, values[p]
                at += 1
        if at < own[i + 1]:
            mine[at], copy[at] = kept + i, np.sqrt(square)
    return Rows(own, mine, copy)
