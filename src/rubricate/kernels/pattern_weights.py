"""How often each pattern of documents occurs in resamples of the documents.

Problem  Systems are resampled together: each draw weighs the documents, the same weights for every system. What a draw
         adds to a system's counts depends only on how much weight each of its patterns gets.
Given    the pattern of each document (`codes`), the weights of the documents in each draw (documents × draws), the
         number of patterns.
Return   patterns × draws: the summed weights. Exact, as all weights are whole numbers.
Cost     draws × documents additions, many draws per instruction.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["pattern_weights"]

BLOCK = 256
"""Draws at a time: the sums of a few hundred patterns then stay in the cache of a core."""


@numba.njit(cache=True, nogil=True)
def pattern_weights(codes: np.ndarray, weights: np.ndarray, patterns: int) -> np.ndarray:
    """Return the weight of each pattern in each draw."""
    documents, draws = weights.shape
    summed = np.zeros((patterns, draws), np.int32)
    for start in range(0, draws, BLOCK):
        end = min(start + BLOCK, draws)
        for d in range(documents):
            own, more = summed[codes[d], start:end], weights[d, start:end]
            # Neighbours in memory, so that the compiler adds many at once.
            for b in range(end - start):
                own[b] += more[b]
    return summed
