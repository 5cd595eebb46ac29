"""From occurrences of terms to counts per document.

Given  term numbers in order of occurrence, and where each document starts among them.
Return the rows of a sparse matrix documents × terms; `translate` and `arrange` give occurrences again.
Cost   one pass each; `settle` sorts every row.
Edges  an empty document gives an empty row. A term mapped to -1 is left out.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["arrange", "count", "settle", "translate"]


@numba.njit(cache=True, nogil=True)
def translate(ids: np.ndarray, starts: np.ndarray, new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each occurrence under its new number, those with new number -1 left out."""
    kept = np.empty(len(ids), np.int32)
    kept_starts = np.zeros(len(starts), np.int64)
    k = np.uint64(0)
    for d in range(len(starts) - 1):
        for i in range(starts[d], starts[d + 1]):
            term = new[np.uint64(ids[i])]
            kept[k] = term
            k += np.uint64(term >= 0)
        kept_starts[d + 1] = k
    return kept[:k].copy(), kept_starts


@numba.njit(cache=True, nogil=True)
def arrange(ids: np.ndarray, starts: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Documents made of segments: row d of `order` lists the segments that make up document d."""
    documents = len(order)
    new_starts = np.zeros(documents + 1, np.int64)
    for d in range(documents):
        length = 0
        for s in order[d]:
            length += starts[s + 1] - starts[s]
        new_starts[d + 1] = new_starts[d] + length
    new_ids = np.empty(new_starts[-1], np.int32)
    at = 0
    for d in range(documents):
        for s in order[d]:
            for i in range(starts[s], starts[s + 1]):
                new_ids[at] = ids[i]
                at += 1
    return new_ids, new_starts


@numba.njit(cache=True, nogil=True)
def count(ids: np.ndarray, starts: np.ndarray, terms: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row starts, terms and counts; the terms of a row in the order of their first occurrence."""
    columns, counts = np.empty(len(ids), np.int32), np.empty(len(ids), np.int32)
    row_starts = np.zeros(len(starts), np.int64)
    seen = np.full(terms, -1, np.int64)
    k = 0
    for d in range(len(starts) - 1):
        first = k
        for i in range(starts[d], starts[d + 1]):
            term = np.uint64(ids[i])
            at = seen[term]
            if at >= first:
                counts[np.uint64(at)] += 1
            else:
                seen[term], columns[k], counts[k] = k, ids[i], 1
                k += 1
        row_starts[d + 1] = k
    return row_starts, columns[:k].copy(), counts[:k].copy()


@numba.njit(cache=True, nogil=True)
def settle(
    row_starts: np.ndarray,
    columns: np.ndarray,
    counts: np.ndarray,
    new: np.ndarray,
    new_columns: np.ndarray,
    new_counts: np.ndarray,
) -> np.ndarray:
    """Rows under new column numbers, sorted, written to the last two arrays; returns the length of each row."""
    lengths = np.empty(len(row_starts) - 1, np.int64)
    keys = np.empty(len(columns), np.int64)
    at = 0
    for d in range(len(row_starts) - 1):
        length = 0
        for i in range(row_starts[d], row_starts[d + 1]):
            column = new[np.uint64(columns[i])]
            keys[length] = np.int64(column) << 32 | np.int64(counts[i])
            length += column >= 0
        row = keys[:length]
        row.sort()
        for key in row:
            new_columns[at], new_counts[at] = key >> 32, key & 0x7FFFFFFF
            at += 1
        lengths[d] = length
    return lengths
