"""How many documents have each pair of codes of two systems.

Problem  The permutation test of a pair of systems depends on the documents only through what an exchange of their
         answers changes. Each system has a code for what it adds on a document; a pair of codes tells the change.
Given    the codes of both systems on each document (`first`, `second`, below `size`).
Return   `counts` (size × size, flat): documents with each pair; `seen`: the first document with it, −1 where none has.
Cost     one step per document, and size² cells.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["joint_codes"]


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
