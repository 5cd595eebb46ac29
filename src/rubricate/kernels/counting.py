"""From occurrences of terms to counts per document.

Given  term numbers in order of occurrence, and where each document starts among them.
Return the rows of a sparse matrix documents × terms; `translate`, `unfold` and `arrange` give occurrences again.
Cost   one pass each; `settle` sorts every row.
Edges  an empty document gives an empty row. A term mapped to -1 is left out.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.rows import ZERO, Lists, Rows
from rubricate.kernels.wrappers import FROM_KERNELS, FROM_PYTHON

SHORT = 16
"""Up to this many keys insertion is as fast as digits; measured on rows of 16 to 1,000 random columns of 70,000."""
HALF = np.int64(32)
DIGIT = np.int64(8)

__all__ = ["arrange", "count", "settle", "translate", "unfold"]


def translate(ids: np.ndarray, starts: np.ndarray, new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Renumber the occurrences; those with new number -1 are left out."""
    kept, kept_starts = np.empty(len(ids), np.int32), np.zeros(len(starts), np.int64)
    _translate(Lists(starts, ids), new, Lists(kept_starts, kept))
    return kept[: kept_starts[-1]].copy(), kept_starts


@numba.njit(cache=True, nogil=True, **FROM_PYTHON)
def _translate(texts: Lists, new: np.ndarray, filled: Lists) -> None:
    (starts, ids), (kept_starts, kept) = texts, filled
    k = np.uint64(0)
    for d in range(len(starts) - 1):
        for i in range(starts[d], starts[d + 1]):
            term = new[np.uint64(ids[i])]
            # Written always, counted only if kept: no branch to mispredict.
            kept[k] = term
            k += np.uint64(term >= 0)
        kept_starts[d + 1] = k


def unfold(texts: Lists, runs: Lists) -> Lists:
    """Replace each run of some texts by its terms; terms numbered -1 are left out."""
    total = int(np.diff(runs.starts)[texts.items].sum())
    filled = Lists(np.zeros(len(texts.starts), np.int64), np.empty(total, np.int32))
    _unfold(texts, runs, filled)
    return Lists(filled.starts, filled.items[: filled.starts[-1]].copy())


@numba.njit(cache=True, nogil=True, **FROM_PYTHON)
def _unfold(texts: Lists, runs: Lists, filled: Lists) -> None:
    (starts, ids), (run_starts, terms), (item_starts, items) = texts, runs, filled
    k = 0
    for d in range(len(starts) - 1):
        for i in range(starts[d], starts[d + 1]):
            for j in range(run_starts[ids[i]], run_starts[ids[i] + 1]):
                items[k] = terms[j]
                k += terms[j] >= 0
        item_starts[d + 1] = k


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


def count(ids: np.ndarray, starts: np.ndarray, terms: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return row starts, terms and counts; the terms of a row in the order of their first occurrence."""
    columns, counts = np.empty(len(ids), np.int32), np.empty(len(ids), np.int32)
    row_starts = np.zeros(len(starts), np.int64)
    _count(Lists(starts, ids), np.full(terms, -1, np.int64), Rows(row_starts, columns, counts))
    return row_starts, columns[: row_starts[-1]].copy(), counts[: row_starts[-1]].copy()


@numba.njit(cache=True, nogil=True, **FROM_PYTHON)
def _count(texts: Lists, seen: np.ndarray, filled: Rows) -> None:
    """Fill in the rows; `seen`, one place per term, has −1 on entry."""
    (starts, ids), (row_starts, columns, counts) = texts, filled
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


@numba.njit(cache=True, nogil=True, **FROM_KERNELS)
def _insert(keys: np.ndarray, length: int) -> None:
    """Sort the first keys by insertion."""
    for i in range(1, length):
        key, j = keys[i], i
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key


@numba.njit(cache=True, nogil=True, **FROM_KERNELS)
def _sort_by_digits(keys: np.ndarray, length: int, spare: np.ndarray, starts: np.ndarray) -> None:
    """Sort the first keys by their upper half, eight bits at a time from the lowest; `starts` has room for 257."""
    largest = np.int64(0)
    for i in range(length):
        if keys[i] > largest:
            largest = keys[i]
    shift, source, target = HALF, keys, spare
    while largest >> shift > 0:
        for digit in range(257):
            starts[digit] = 0
        for i in range(length):
            starts[((source[i] >> shift) & 0xFF) + 1] += 1
        for digit in range(256):
            starts[digit + 1] += starts[digit]
        for i in range(length):
            digit = (source[i] >> shift) & 0xFF
            target[starts[digit]] = source[i]
            starts[digit] += 1
        shift, source, target = shift + DIGIT, target, source
    if (shift - HALF) // DIGIT % 2:  # after an odd number of passes the result is in the spare array
        for i in range(length):
            keys[i] = spare[i]


def settle(rows: Rows, new: np.ndarray, filled: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Renumber the columns of rows and sort them, filling columns and counts; return the length of each row."""
    lengths, entries = np.empty(len(rows.starts) - 1, np.int64), len(rows.terms)
    keys, spare, digits = np.empty(entries, np.int64), np.empty(entries, np.int64), np.empty(257, np.int64)
    _settle(rows, new, Rows(lengths, *filled), (keys, spare, digits))
    return lengths


@numba.njit(cache=True, nogil=True, **FROM_PYTHON)
def _settle(rows: Rows, new: np.ndarray, filled: Rows, room: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """Fill in lengths, columns and counts; `room` is for the keys of a row, twice, and for 257 digits."""
    row_starts, columns, counts = rows
    lengths, new_columns, new_counts = filled
    keys, spare, digits = room
    at = 0
    for d in range(len(row_starts) - 1):
        length = ZERO
        for i in range(row_starts[d], row_starts[d + 1]):
            column = new[np.uint64(columns[i])]
            # Column and count in one number: one sort of whole numbers orders the row.
            keys[length] = np.int64(column) << 32 | np.int64(counts[i])
            length += column >= 0
        if length <= SHORT:
            _insert(keys, length)
        else:
            _sort_by_digits(keys, length, spare, digits)
        for i in range(length):
            new_columns[at], new_counts[at] = keys[i] >> 32, keys[i] & 0x7FFFFFFF
            at += 1
        lengths[d] = length
