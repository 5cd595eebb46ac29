"""Pairs of codes that two systems have on the documents: how many, and how far their slopes are apart.

Problem  The permutation test of a pair of systems depends on the documents only through what an exchange of their
         answers changes. Each system has a code for what it adds on a document; a pair of codes tells the change.
Given    the codes of both systems on each document (`first`, `second`, below `size`); for `code_spread` a slope of each
         code.
Return   `joint_codes`: documents with each pair (size × size, flat), and the first document with it, −1 where none has.
         `code_spread`: Σ over documents of (difference of the slopes)², and the documents whose codes differ.
Cost     one step per document; `joint_codes` also size² cells.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["code_spread", "joint_codes"]


@numba.njit(cache=True, nogil=True)
def joint_codes(first: np.ndarray, second: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return how many documents have each pair of codes, and the first document that has it."""
    counts, seen = np.zeros(size * size, np.int64), np.full(size * size, -1, np.int64)
    for d in range(len(first)):
        cell = first[d] * size + second[d]
        if counts[cell] == 0:
            seen[cell] = d
        counts[cell] += 1
    return counts, seen


@numba.njit(cache=True, nogil=True)
def code_spread(first: np.ndarray, second: np.ndarray, slopes: np.ndarray) -> tuple[float, int]:
    """Return the sum of squared differences of the slopes, and how many documents have different codes."""
    total, differ = 0.0, 0
    for d in range(len(first)):
        if first[d] != second[d]:
            gap = slopes[first[d]] - slopes[second[d]]
            total += gap * gap
            differ += 1
    return total, differ
