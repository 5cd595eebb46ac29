"""Where each word of a stream of words occurs.

Given   word numbers in order of occurrence, all below `words`.
Return  (starts, places): word w occurs at `places[starts[w]:starts[w + 1]]`, ascending.
Cost    two passes, a counting sort; memory: one number per occurrence and one per word.
Edges   a word that does not occur has no places; an empty stream has none at all.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["occurrences"]


@numba.njit(cache=True, nogil=True)
def occurrences(ids: np.ndarray, words: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where the places of each word start, and the places, ascending within each word."""
    starts = np.zeros(words + 1, np.int64)
    for word in ids:
        starts[word + 1] += 1
    for word in range(words):
        starts[word + 1] += starts[word]
    # free[w] is where the next place of word w goes; places are visited in order, so each list ascends.
    free, places = starts[:-1].copy(), np.empty(len(ids), np.int64)
    for place in range(len(ids)):
        word = ids[place]
        places[free[word]] = place
        free[word] += 1
    return starts, places
