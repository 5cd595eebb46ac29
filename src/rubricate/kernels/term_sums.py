"""Linear scores from weights most of which follow a pattern.

Problem  score(x, c) = a_c + Σ_t x_t (b_t + s_c + w_tc), where w is sparse (terms × categories).
Given    documents by row (`starts`, `terms`, `values`); a, s, b; w by term (`weight_starts`, `columns`, `weights`).
Return   documents × categories.
Cost     one multiplication and addition a stored weight of the document's terms, and three a category.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["linear_scores"]


@numba.njit(cache=True, nogil=True)
def linear_scores(
    starts: np.ndarray,
    terms: np.ndarray,
    values: np.ndarray,
    a: np.ndarray,
    s: np.ndarray,
    b: np.ndarray,
    weight_starts: np.ndarray,
    columns: np.ndarray,
    weights: np.ndarray,
) -> np.ndarray:
    """The score of each document for each category."""
    documents = len(starts) - 1
    scores = np.empty((documents, len(a)))
    for d in range(documents):
        row, length, shared = scores[d], 0.0, 0.0
        row[:] = 0.0
        for i in range(starts[d], starts[d + 1]):
            x, begin, end = values[i], weight_starts[terms[i]], weight_starts[terms[i] + 1]
            length += x
            shared += x * b[terms[i]]
            held, extra = columns[begin:end], weights[begin:end]
            for j in range(len(held)):
                row[held[j]] += x * extra[j]
        for c in range(len(a)):
            row[c] += a[c] + length * s[c] + shared
    return scores
