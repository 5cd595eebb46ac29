"""From occurrences of terms to counts per document.

Given  term numbers in order of occurrence, and where each document starts among them.
Return the rows of a sparse matrix documents × terms; `translate`, `unfold` and `arrange` give occurrences again.
Cost   one pass each; `settle` sorts every row.
Edges  an empty document gives an empty row. A term mapped to -1 is left out.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.rows import Lists, Rows

__all__ = ["arrange", "count", "settle", "translate", "unfold"]


@numba.njit(cache=True, nogil=True)
def translate(ids: np.ndarray, starts: np.ndarray, new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Renumber the occurrences; those with new number -1 are left out."""
    kept = np.empty(len(ids), np.int32)
    kept_starts = np.zeros(len(starts), np.int64)
    k = np.uint64(0)
    for d in range(len(starts) - 1):
        for i in range(starts[d], starts[d + 1]):
            term = new[np.uint64(ids[i])]
            # Written always, counted only if kept: no branch to mispredict.
            kept[k] = term
            k += np.uint64(term >= 0)
        kept_starts[d + 1] = k
    return kept[:k].copy(), kept_starts


@numba.njit(cache=True, nogil=True)
def unfold(texts: Lists, runs: Lists) -> Lists:
    """Replace each run of some texts by its terms; terms numbered -1 are left out."""
    (starts, ids), (run_starts, terms) = texts, runs
    total = 0
    for i in range(len(ids)):
        total += run_starts[ids[i] + 1] - run_starts[ids[i]]
    items, item_starts = np.empty(total, np.int32), np.zeros(len(starts), np.int64)
    k = 0
    for d in range(len(starts) - 1):
        for i in range(starts[d], starts[d + 1]):
            for j in range(run_starts[ids[i]], run_starts[ids[i] + 1]):
                items[k] = terms[j]
                k += terms[j] >= 0
        item_starts[d + 1] = k
    return Lists(item_starts, items[:k].copy())


@numba.njit(cache=True, nogil=True)
def arrange(ids: np.ndarray, starts: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Join segments to documents: row d of `order` lists the segments that make up document d."""
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
    """Return row starts, terms and counts; the terms of a row in the order of their first occurrence."""
    columns, counts = np.empty(len(ids), np.int32), np.empty(len(ids), np.int32)
    row_starts = np.zeros(len(starts), np.int64)
    seen = np.full(terms, -1, np.int64)
    k = 0
    for d in range(len(starts) - 1):
        first = k
        for i in range(starts[d], starts[d + 1]):
            term = np.uint64(ids[i])
            at = seen[term]
            # A place before this document's first is from an earlier one, so `seen` is never cleared.
            if at >= first:
                counts[np.uint64(at)] += 1
            else:
                seen[term], columns[k], counts[k] = k, ids[i], 1
                k += 1
        row_starts[d + 1] = k
    return row_starts, columns[:k].copy(), counts[:k].copy()


@numba.njit(cache=True, nogil=True)
def _sort(keys: np.ndarray, length: int) -> None:
    """Sort the first keys by Shell's method, which compiles faster than Numba's quicksort."""
    gap = 1
    while gap < length // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, length):
            key, j = keys[i], i
            while j >= gap and keys[j - gap] > key:
                keys[j] = keys[j - gap]
                j -= gap
            keys[j] = key
        gap //= 3


@numba.njit(cache=True, nogil=True)
def settle(rows: Rows, new: np.ndarray, filled: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Renumber the columns of rows and sort them, filling columns and counts; return the length of each row."""
    row_starts, columns, counts = rows
    new_columns, new_counts = filled
    lengths = np.empty(len(row_starts) - 1, np.int64)
    keys = np.empty(len(columns), np.int64)
    at = 0
    for d in range(len(row_starts) - 1):
        length = 0
        for i in range(row_starts[d], row_starts[d + 1]):
            column = new[np.uint64(columns[i])]
            # Column and count in one number: one sort of whole numbers orders the row.
            keys[length] = np.int64(column) << 32 | np.int64(counts[i])
            length += column >= 0
        _sort(keys, length)
        for i in range(length):
            new_columns[at], new_counts[at] = keys[i] >> 32, keys[i] & 0x7FFFFFFF
            at += 1
        lengths[d] = length
    return lengths
