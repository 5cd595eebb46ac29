"""Number the phrases whose terms follow each other with gaps, within a window.

Given  as `kernels.phrases`, and the window: the terms of a phrase lie among so many consecutive terms.
Return as `kernels.phrases`: at each position the phrases that begin there, a phrase before those that extend it, the
       nearer extension first. A phrase counts once for every choice of places.
Cost   for each occurrence Σ_n C(window − 1, n − 1) phrases, n up to the longest: 8 for four terms among four.
Edges  as `kernels.phrases`. A phrase of n terms extends one of n − 1; where the gaps were is not kept.
"""

from __future__ import annotations

from math import comb

import numba
import numpy as np

from rubricate.kernels.phrases import FREE, PhraseTable, find_slot, grown

__all__ = ["sparse_phrases"]


def sparse_phrases(
    ids: np.ndarray, starts: np.ndarray, shortest: int, longest: int, window: int, table: PhraseTable, free: int
) -> tuple[np.ndarray, np.ndarray, PhraseTable, np.ndarray]:
    """The numbers of all phrases, where each text starts, the grown table, the pairs of the new phrases."""
    most = sum(comb(window - 1, n - 1) for n in range(1, longest + 1)) * len(ids)
    return _number(ids, starts, shortest, longest, window, table, free, most)


@numba.njit(cache=True, nogil=True)
def _number(
    ids: np.ndarray,
    starts: np.ndarray,
    shortest: int,
    longest: int,
    window: int,
    table: PhraseTable,
    free: int,
    most: int,
) -> tuple[np.ndarray, np.ndarray, PhraseTable, np.ndarray]:
    found, found_starts = np.empty(most, np.int32), np.zeros(len(starts), np.int64)
    pairs = np.empty((most, 2), np.int32)
    made, following = np.empty(longest, np.int32), np.empty(longest, np.int64)
    k = new = 0
    for d in range(len(starts) - 1):
        for i in range(starts[d], starts[d + 1]):
            end = min(i + window, starts[d + 1])
            made[0], following[0], depth = ids[i], i + 1, 0
            if shortest == 1:
                found[k] = ids[i]
                k += 1
            while depth >= 0:
                j = following[depth]
                if j >= end or depth + 1 == longest:
                    depth -= 1
                    continue
                following[depth] = j + 1
                key = np.int64(made[depth]) << 32 | np.int64(ids[j])
                p = find_slot(table[0], key)
                if table[0][p] == FREE:
                    pairs[new, 0], pairs[new, 1] = made[depth], ids[j]
                    table[0][p], table[1][p] = key, free + new
                    new += 1
                    table[2][0] += 1
                    if 2 * table[2][0] >= len(table[0]):
                        table = grown(table)
                        p = find_slot(table[0], key)
                depth += 1
                made[depth], following[depth] = table[1][p], j + 1
                if depth + 1 >= shortest:
                    found[k] = made[depth]
                    k += 1
        found_starts[d + 1] = k
    return found[:k].copy(), found_starts, table, pairs[:new].copy()
