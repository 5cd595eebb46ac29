"""The votes of neighbours for their categories.

Given  for each query the documents near it and their weights, queries × k; the labels of all documents; how many
       categories there are.
Return scores, queries × categories: the sum of the weights of the neighbours that have the category.
Cost   one addition per label of a neighbour. The nearest is added first.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Lists

__all__ = ["Neighbours", "vote"]


class Neighbours(NamedTuple):
    """The documents near each query and their weights, queries × k."""

    documents: np.ndarray
    weights: np.ndarray


@numba.njit(cache=True, nogil=True)
def vote(neighbours: Neighbours, labels: Lists, categories: int) -> np.ndarray:
    """Add the weight of each neighbour to its categories."""
    queries, k = neighbours.documents.shape
    scores = np.zeros((queries, categories))
    for q in range(queries):
        for i in range(k):
            document, weight = neighbours.documents[q, i], neighbours.weights[q, i]
            for j in range(labels.starts[document], labels.starts[document + 1]):
                scores[q, labels.items[j]] += weight
    return scores
