"""The votes of neighbours for their categories.

Given  for each query the documents near it and their weights, queries × k; the labels of all documents by row.
Return scores, queries × categories: the sum of the weights of the neighbours that have the category.
Cost   one addition a label of a neighbour. The nearest is added first.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["vote"]


@numba.njit(cache=True, nogil=True)
def vote(
    found: np.ndarray, near: np.ndarray, label_starts: np.ndarray, label_columns: np.ndarray, categories: int
) -> np.ndarray:
    """Each neighbour adds its weight to its categories."""
    queries, k = found.shape
    scores = np.zeros((queries, categories))
    for q in range(queries):
        for i in range(k):
            for j in range(label_starts[found[q, i]], label_starts[found[q, i] + 1]):
                scores[q, label_columns[j]] += near[q, i]
    return scores
