"""Where two systems disagree about documents × categories, by merging sorted rows.

Given  three boolean matrices with sorted columns (truth t, decisions a, decisions b): row starts (int64) and columns
       (int32).
Return `disagreements`: for each category, the decisions on which only a is right, only b is right, both are wrong.
       `codes`: every cell that some matrix holds, as a CSR matrix of the code t + 2a + 4b (1 to 7).
Cost   one step for each stored entry of the three, whatever the number of documents × categories.
Ties   none. An empty matrix gives zeros and an empty matrix.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Lists

__all__ = ["PairDecisions", "codes", "disagreements"]

_END = np.int32(2**31 - 1)
"""Stands behind the last column of a row; no column is as large."""


class PairDecisions(NamedTuple):
    """The decisions of two systems beside the truth."""

    truth: Lists
    a: Lists
    b: Lists


@numba.njit(cache=True, nogil=True)
def _front(cells: Lists, place: int, end: int) -> Any:
    """Return the column at the front of a row."""
    return cells.items[place] if place < end else _END


@numba.njit(cache=True, nogil=True)
def disagreements(judged: PairDecisions, categories: int) -> np.ndarray:
    """Return 3 × categories: only a right, only b right, both wrong."""
    truth, of_a, of_b = judged
    tally = np.zeros((3, categories), np.int64)
    for d in range(len(truth.starts) - 1):
        i, j, k = truth.starts[d], of_a.starts[d], of_b.starts[d]
        i_end, j_end, k_end = truth.starts[d + 1], of_a.starts[d + 1], of_b.starts[d + 1]
        while i < i_end or j < j_end or k < k_end:
            t, a, b = _front(truth, i, i_end), _front(of_a, j, j_end), _front(of_b, k, k_end)
            # The least front column is the next cell that any of the three holds; the others do not hold it.
            c = min(t, a, b)
            i, j, k = i + (t == c), j + (a == c), k + (b == c)
            a_wrong, b_wrong = (t == c) != (a == c), (t == c) != (b == c)
            if a_wrong and b_wrong:
                tally[2, c] += 1
            elif b_wrong:
                tally[0, c] += 1
            elif a_wrong:
                tally[1, c] += 1
    return tally


@numba.njit(cache=True, nogil=True)
def codes(judged: PairDecisions) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return row starts, columns and codes t + 2a + 4b of every cell that one of the three holds."""
    truth, of_a, of_b = judged
    most = len(truth.items) + len(of_a.items) + len(of_b.items)
    starts = np.zeros(len(truth.starts), np.int64)
    columns, values = np.empty(most, np.int32), np.empty(most, np.int8)
    at = 0
    for d in range(len(truth.starts) - 1):
        i, j, k = truth.starts[d], of_a.starts[d], of_b.starts[d]
        i_end, j_end, k_end = truth.starts[d + 1], of_a.starts[d + 1], of_b.starts[d + 1]
        while i < i_end or j < j_end or k < k_end:
            t, a, b = _front(truth, i, i_end), _front(of_a, j, j_end), _front(of_b, k, k_end)
            c = min(t, a, b)
            columns[at] = c
            values[at] = (t == c) + 2 * (a == c) + 4 * (b == c)
            i, j, k, at = i + (t == c), j + (a == c), k + (b == c), at + 1
        starts[d + 1] = at
    return starts, columns[:at].copy(), values[:at].copy()
