"""Count what two label matrices share, for each category or for each document.

Given  two canonical boolean matrices of the same shape (row starts and sorted, distinct column indices), and the
       number of columns.
Return the entries of both at once, of the first, and of the second, for each column; or of both at once for each row.
Cost   one merge of the rows: entries of both matrices + rows + columns. No ties, no edge cases: empty rows add nothing.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.rows import Lists
from rubricate.kernels.wrappers import FROM_PYTHON

__all__ = ["overlap", "overlap_by_row"]


def overlap(first: Lists, second: Lists, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (in both, in the first, in the second) for each column."""
    both, in_first, in_second = (np.zeros(columns, np.int64) for _ in range(3))
    _overlap(first, second, both, in_first, in_second)
    return both, in_first, in_second


@numba.njit(cache=True, nogil=True, **FROM_PYTHON)
def _overlap(first: Lists, second: Lists, both: np.ndarray, in_first: np.ndarray, in_second: np.ndarray) -> None:
    for row in range(len(first.starts) - 1):
        i, i_end = first.starts[row], first.starts[row + 1]
        j, j_end = second.starts[row], second.starts[row + 1]
        # Both rows ascend, so the smaller of the two front columns cannot come again in the other row.
        while i < i_end and j < j_end:
            a, b = first.items[i], second.items[j]
            if a == b:
                both[a] += 1
                in_first[a] += 1
                in_second[a] += 1
                i += 1
                j += 1
            elif a < b:
                in_first[a] += 1
                i += 1
            else:
                in_second[b] += 1
                j += 1
        while i < i_end:
            in_first[first.items[i]] += 1
            i += 1
        while j < j_end:
            in_second[second.items[j]] += 1
            j += 1


def overlap_by_row(first: Lists, second: Lists) -> np.ndarray:
    """Return the number of entries that both have, for each row."""
    both = np.zeros(len(first.starts) - 1, np.int64)
    _overlap_by_row(first, second, both)
    return both


@numba.njit(cache=True, nogil=True, **FROM_PYTHON)
def _overlap_by_row(first: Lists, second: Lists, both: np.ndarray) -> None:
    for row in range(len(both)):
        i, i_end = first.starts[row], first.starts[row + 1]
        j, j_end = second.starts[row], second.starts[row + 1]
        while i < i_end and j < j_end:
            # Without branches: rows are short, and a mispredicted branch costs more than these additions.
            a, b = first.items[i], second.items[j]
            both[row] += a == b
            i += a <= b
            j += b <= a
