"""The t best categories of each document.

Given  scores, dense or stored (columns ascending in each row; a score that is not stored equals `floor`), and t.
Return the columns, t a document in no particular order, and how many of them count.
Cost   one comparison a cell, and log2(t) more for a cell that displaces another; memory documents × t.
Ties   equal scores go to the earlier category.
Edges  a score of -inf is never among the best, so a document may have fewer than t. NaN must not occur.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["best_dense", "best_stored"]


@numba.njit(cache=True, nogil=True)
def _worse(a: float, a_column: int, b: float, b_column: int) -> bool:
    return a < b or (a == b and a_column > b_column)


@numba.njit(cache=True, nogil=True)
def _offer(value: float, column: int, kept: int, scores: np.ndarray, columns: np.ndarray) -> int:
    """Put a cell into a heap with the worst of the best on top, if it is good enough; the new number kept."""
    if value == -np.inf:
        return kept
    if kept < len(columns):
        at, kept = kept, kept + 1
        while at > 0 and _worse(value, column, scores[(at - 1) // 2], columns[(at - 1) // 2]):
            scores[at], columns[at] = scores[(at - 1) // 2], columns[(at - 1) // 2]
            at = (at - 1) // 2
    elif kept > 0 and _worse(scores[0], columns[0], value, column):
        at = 0
        while 2 * at + 1 < kept:
            child = 2 * at + 1
            if child + 1 < kept and _worse(scores[child + 1], columns[child + 1], scores[child], columns[child]):
                child += 1
            if not _worse(scores[child], columns[child], value, column):
                break
            scores[at], columns[at] = scores[child], columns[child]
            at = child
    else:
        return kept
    scores[at], columns[at] = value, column
    return kept


@numba.njit(cache=True, nogil=True)
def best_dense(values: np.ndarray, t: int) -> tuple[np.ndarray, np.ndarray]:
    """The columns (documents × t) and their number in each row, from documents × categories."""
    documents, categories = values.shape
    columns, kept = np.zeros((documents, t), np.int64), np.zeros(documents, np.int64)
    scores = np.empty(t)
    for d in range(documents):
        for c in range(categories):
            kept[d] = _offer(values[d, c], c, kept[d], scores, columns[d])
    return columns, kept


@numba.njit(cache=True, nogil=True)
def best_stored(
    starts: np.ndarray, stored: np.ndarray, data: np.ndarray, categories: int, floor: float, t: int
) -> tuple[np.ndarray, np.ndarray]:
    """As `best_dense`, from stored scores; only the first t categories that are not stored can be among the best."""
    documents = len(starts) - 1
    columns, kept = np.zeros((documents, t), np.int64), np.zeros(documents, np.int64)
    scores = np.empty(t)
    for d in range(documents):
        i, offered = starts[d], 0
        for c in range(categories):
            if offered == t or floor == -np.inf:
                break
            if i < starts[d + 1] and stored[i] == c:
                i += 1
            else:
                kept[d] = _offer(floor, c, kept[d], scores, columns[d])
                offered += 1
        for j in range(starts[d], starts[d + 1]):
            kept[d] = _offer(data[j], stored[j], kept[d], scores, columns[d])
    return columns, kept
