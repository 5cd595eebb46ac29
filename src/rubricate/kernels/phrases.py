"""Number the phrases of consecutive terms.

Given  term numbers in order of occurrence, where each text starts, the shortest and longest phrase, the table of
       phrases known so far, and the next free number.
Return the numbers of all phrases (at each position the phrases that begin there, the shortest first), where each
       text starts among them, the grown table, and the new phrases as pairs (phrase without its last term, last term).
Cost   one pass, longest - 1 look-ups an occurrence; open addressing, never more than half full.
Edges  phrases do not cross the end of a text; a text shorter than the phrase gives none. Phrases of one term keep
       the number of the term. A phrase of n terms extends one of n - 1, so that its pair is its key.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["FREE", "PhraseTable", "empty_phrases", "find_slot", "grown", "phrases"]

PhraseTable = tuple[np.ndarray, np.ndarray, np.ndarray]
GOLDEN, SHIFT, ONE = np.uint64(0x9E3779B97F4A7C15), np.uint64(32), np.uint64(1)
FREE = -1


def empty_phrases() -> PhraseTable:
    """A table without phrases: keys, their numbers, how many there are."""
    return np.full(1024, FREE, np.int64), np.zeros(1024, np.int32), np.zeros(1, np.int64)


@numba.njit(cache=True, nogil=True)
def find_slot(keys: np.ndarray, key: np.int64) -> np.uint64:
    """Where the key is, or the free slot where it belongs."""
    mask = np.uint64(len(keys) - 1)
    p = (np.uint64(key) * GOLDEN) >> SHIFT & mask
    while True:
        held = keys[p]
        if held in (key, FREE):
            return p
        p = (p + ONE) & mask


@numba.njit(cache=True, nogil=True)
def grown(table: PhraseTable) -> PhraseTable:
    """The table with twice the room."""
    keys, numbers, size = table
    new_keys, new_numbers = np.full(2 * len(keys), FREE, np.int64), np.zeros(2 * len(keys), np.int32)
    for p in range(len(keys)):
        if keys[p] != FREE:
            q = find_slot(new_keys, keys[p])
            new_keys[q], new_numbers[q] = keys[p], numbers[p]
    return new_keys, new_numbers, size


@numba.njit(cache=True, nogil=True)
def phrases(
    ids: np.ndarray, starts: np.ndarray, shortest: int, longest: int, table: PhraseTable, free: int
) -> tuple[np.ndarray, np.ndarray, PhraseTable, np.ndarray]:
    """The numbers of all phrases, where each text starts, the grown table, the pairs of the new phrases."""
    found = np.empty(len(ids) * (longest - shortest + 1), np.int32)
    found_starts = np.zeros(len(starts), np.int64)
    pairs = np.empty((len(ids) * (longest - 1), 2), np.int32)
    k = new = 0
    for d in range(len(starts) - 1):
        for i in range(starts[d], starts[d + 1]):
            phrase = np.int32(ids[i])
            for n in range(1, min(longest, starts[d + 1] - i) + 1):
                if n > 1:
                    last = ids[i + n - 1]
                    key = np.int64(phrase) << 32 | np.int64(last)
                    p = find_slot(table[0], key)
                    if table[0][p] == FREE:
                        pairs[new, 0], pairs[new, 1] = phrase, last
                        table[0][p], table[1][p] = key, free + new
                        new += 1
                        table[2][0] += 1
                        if 2 * table[2][0] >= len(table[0]):
                            table = grown(table)
                            p = find_slot(table[0], key)
                    phrase = table[1][p]
                if n >= shortest:
                    found[k] = phrase
                    k += 1
        found_starts[d + 1] = k
    return found[:k].copy(), found_starts, table, pairs[:new].copy()
