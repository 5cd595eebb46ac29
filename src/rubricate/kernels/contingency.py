"""Count what two label matrices share, for each category or for each document.

Given  two canonical CSR matrices of the same shape (row starts and sorted, distinct column indices), and the
       number of columns.
Return the entries of both at once, of the first, and of the second, for each column; or of both at once for each row.
Cost   one merge of the rows: entries of both matrices + rows + columns. No ties, no edge cases: empty rows add nothing.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["overlap", "overlap_by_row"]


@numba.njit(cache=True, nogil=True)
def overlap(
    a_starts: np.ndarray, a_columns: np.ndarray, b_starts: np.ndarray, b_columns: np.ndarray, columns: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(in both, in the first, in the second) for each column."""
    both = np.zeros(columns, np.int64)
    in_a = np.zeros(columns, np.int64)
    in_b = np.zeros(columns, np.int64)
    for row in range(len(a_starts) - 1):
        i, i_end = a_starts[row], a_starts[row + 1]
        j, j_end = b_starts[row], b_starts[row + 1]
        while i < i_end and j < j_end:
            a, b = a_columns[i], b_columns[j]
            if a == b:
                both[a] += 1
                in_a[a] += 1
                in_b[a] += 1
                i += 1
                j += 1
            elif a < b:
                in_a[a] += 1
                i += 1
            else:
                in_b[b] += 1
                j += 1
        while i < i_end:
            in_a[a_columns[i]] += 1
            i += 1
        while j < j_end:
            in_b[b_columns[j]] += 1
            j += 1
    return both, in_a, in_b


@numba.njit(cache=True, nogil=True)
def overlap_by_row(
    a_starts: np.ndarray, a_columns: np.ndarray, b_starts: np.ndarray, b_columns: np.ndarray
) -> np.ndarray:
    """The entries that both have, for each row."""
    both = np.zeros(len(a_starts) - 1, np.int64)
    for row in range(len(a_starts) - 1):
        i, i_end = a_starts[row], a_starts[row + 1]
        j, j_end = b_starts[row], b_starts[row + 1]
        while i < i_end and j < j_end:
            a, b = a_columns[i], b_columns[j]
            both[row] += a == b
            i += a <= b
            j += b <= a
    return both
