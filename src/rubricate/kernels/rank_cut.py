"""The t best categories of each document.

Given  scores, dense or stored (columns ascending in each row; a score that is not stored equals `floor`), and t.
Return the columns, t per document in no particular order, and how many of them count.
Cost   one comparison per cell, and log2(t) more for a cell that displaces another; memory documents × t.
Ties   equal scores go to the earlier category.
Edges  a score of -inf is never among the best, so a document may have fewer than t. NaN must not occur.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.best import offer
from rubricate.kernels.rows import Rows

__all__ = ["FlooredScores", "best_dense", "best_stored"]


class FlooredScores(NamedTuple):
    """Stored scores of documents × `categories`; every score that is not stored equals `floor`."""

    stored: Rows
    categories: int
    floor: float


@numba.njit(cache=True, nogil=True)
def _offer(value: float, column: int, kept: int, scores: np.ndarray, columns: np.ndarray) -> int:
    """Offer a score to the heap, unless it is -inf, which is never among the best."""
    return kept if value == -np.inf else offer(value, column, kept, scores, columns)


@numba.njit(cache=True, nogil=True)
def best_dense(values: np.ndarray, t: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the columns (documents × t) and their number in each row, from documents × categories."""
    documents, categories = values.shape
    columns, kept = np.zeros((documents, t), np.int64), np.zeros(documents, np.int64)
    scores = np.empty(t)
    for d in range(documents if t > 0 else 0):
        row, k = columns[d], kept[d]  # not the literal 0, for which the functions below would be compiled again
        for c in range(categories):
            # The top of the heap is the worst kept; an equal score of a later category stands below it.
            if k < t or values[d, c] > scores[0]:
                k = _offer(values[d, c], c, k, scores, row)
        kept[d] = k
    return columns, kept


@numba.njit(cache=True, nogil=True)
def best_stored(floored: FlooredScores, t: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what `best_dense` returns, from stored scores."""
    starts, stored, values = floored.stored
    documents = len(starts) - 1
    columns, kept = np.zeros((documents, t), np.int64), np.zeros(documents, np.int64)
    scores = np.empty(t)
    for d in range(documents):
        i, offered, row, k = starts[d], 0, columns[d], kept[d]
        # Scores that are not stored tie at the floor, so only the first t of their categories can be among the best.
        for c in range(floored.categories):
            if offered == t or floored.floor == -np.inf:
                break
            if i < starts[d + 1] and stored[i] == c:
                i += 1
            else:
                k = _offer(floored.floor, c, k, scores, row)
                offered += 1
        for j in range(starts[d], starts[d + 1]):
            k = _offer(values[j], stored[j], k, scores, row)
        kept[d] = k
    return columns, kept
