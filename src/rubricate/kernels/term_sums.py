"""Linear scores from weights most of which follow a pattern.

Problem  score(x, c) = a_c + Σ_t x_t (b_t + s_c + w_tc), where w is sparse (terms × categories).
Given    documents by row; a, s, b; w by term (its `terms` are categories).
Return   documents × categories.
Cost     one multiplication and addition per stored weight of the document's terms, and three per category.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Rows

__all__ = ["Pattern", "linear_scores"]


class Pattern(NamedTuple):
    """What the weights have in common: a and s per category, b per term."""

    a: np.ndarray
    s: np.ndarray
    b: np.ndarray


@numba.njit(cache=True, nogil=True)
def linear_scores(rows: Rows, pattern: Pattern, weights: Rows) -> np.ndarray:
    """Return the score of each document for each category."""
    starts, terms, values = rows
    a, s, b = pattern
    documents = len(starts) - 1
    scores = np.empty((documents, len(a)))
    for d in range(documents):
        row, length, shared = scores[d], 0.0, 0.0
        row[:] = 0.0
        for i in range(starts[d], starts[d + 1]):
            x, begin, end = values[i], weights.starts[terms[i]], weights.starts[terms[i] + 1]
            # Σ x_t and Σ x_t b_t are the same for all categories: only w is summed category by category.
            length += x
            shared += x * b[terms[i]]
            held, extra = weights.terms[begin:end], weights.values[begin:end]
            for j in range(len(held)):
                row[held[j]] += x * extra[j]
        for c in range(len(a)):
            row[c] += a[c] + length * s[c] + shared
    return scores
