"""Documents in another order, terms renumbered, and the terms that only one document has folded into one.

Given  the rows, the order of the documents, the new number of each term, and how many terms are kept: terms whose new
       number is beyond belong to one document each.
Return the rows (terms uint32): the kept terms in their order, then, where a document i (counted in the new order) has
       others, one term numbered kept + i, whose value is the root of the sum of their squares.
Cost   two passes over the stored values.

All products x_i·x_j stay as they are, so that the dual of an SVM has the same solutions on fewer stored values.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.rows import Rows

__all__ = ["fold_rows"]


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
