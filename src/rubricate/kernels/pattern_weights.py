"""How often each pattern of documents occurs in resamples of the documents.

Problem  Systems are resampled together: each draw weighs the documents, the same weights for every system. What a draw
         adds to a system's counts depends only on how much weight each of its patterns gets.
Given    the pattern of each document (`codes`), the weights of the documents in each draw (draws × documents), the
         number of patterns.
Return   draws × patterns: the summed weights. Exact, as all weights are whole numbers.
Cost     draws × documents additions; draws are dealt to the threads.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["pattern_weights"]


@numba.njit(cache=True, nogil=True, parallel=True)
def pattern_weights(codes: np.ndarray, weights: np.ndarray, patterns: int) -> np.ndarray:
    """Return the weight of each pattern in each draw."""
    draws, documents = weights.shape
    summed = np.zeros((draws, patterns), np.int64)
    for b in numba.prange(draws):
        for d in range(documents):
            summed[b, codes[d]] += weights[b, d]
    return summed
