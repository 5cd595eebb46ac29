"""Where two systems disagree about documents × categories, found by merging sorted rows.

Given  three boolean matrices in CSR form with sorted columns (truth t, decisions a, decisions b): row starts
       (int64) and columns (int32).
Return `disagreements`: for each category, the decisions on which only a is right, only b is right, both are wrong.
       `codes`: every cell that some matrix holds, as a CSR matrix of the code t + 2a + 4b (1 to 7).
Cost   one step for each stored entry of the three, whatever the number of documents × categories.
Ties   none. An empty matrix gives zeros and an empty matrix.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["codes", "disagreements"]

_END = np.int32(2**31 - 1)


@numba.njit(cache=True, nogil=True)
def disagreements(
    t_starts: np.ndarray,
    t_columns: np.ndarray,
    a_starts: np.ndarray,
    a_columns: np.ndarray,
    b_starts: np.ndarray,
    b_columns: np.ndarray,
    categories: int,
) -> np.ndarray:
    """3 × categories: only a right, only b right, both wrong."""
    found = np.zeros((3, categories), np.int64)
    for d in range(len(t_starts) - 1):
        i, j, k = t_starts[d], a_starts[d], b_starts[d]
        i_end, j_end, k_end = t_starts[d + 1], a_starts[d + 1], b_starts[d + 1]
        while i < i_end or j < j_end or k < k_end:
            t = t_columns[i] if i < i_end else _END
            a = a_columns[j] if j < j_end else _END
            b = b_columns[k] if k < k_end else _END
            c = min(t, a, b)
            i, j, k = i + (t == c), j + (a == c), k + (b == c)
            a_wrong, b_wrong = (t == c) != (a == c), (t == c) != (b == c)
            if a_wrong and b_wrong:
                found[2, c] += 1
            elif b_wrong:
                found[0, c] += 1
            elif a_wrong:
                found[1, c] += 1
    return found


@numba.njit(cache=True, nogil=True)
def codes(
    t_starts: np.ndarray,
    t_columns: np.ndarray,
    a_starts: np.ndarray,
    a_columns: np.ndarray,
    b_starts: np.ndarray,
    b_columns: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row starts, columns and codes t + 2a + 4b of every cell that one of the three holds."""
    most = len(t_columns) + len(a_columns) + len(b_columns)
    starts = np.zeros(len(t_starts), np.int64)
    columns, values = np.empty(most, np.int32), np.empty(most, np.int8)
    at = 0
    for d in range(len(t_starts) - 1):
        i, j, k = t_starts[d], a_starts[d], b_starts[d]
        i_end, j_end, k_end = t_starts[d + 1], a_starts[d + 1], b_starts[d + 1]
        while i < i_end or j < j_end or k < k_end:
            t = t_columns[i] if i < i_end else _END
            a = a_columns[j] if j < j_end else _END
            b = b_columns[k] if k < k_end else _END
            c = min(t, a, b)
            columns[at] = c
            values[at] = (t == c) + 2 * (a == c) + 4 * (b == c)
            i, j, k, at = i + (t == c), j + (a == c), k + (b == c), at + 1
        starts[d + 1] = at
    return starts, columns[:at].copy(), values[:at].copy()
