"""Number the phrases of consecutive terms.

Given  texts as lists of term numbers in order of occurrence, the table of phrases known so far, the shortest and
       longest phrase, and the next free number.
Return the numbers of all phrases (at each position the phrases that begin there, the shortest first), where each
       text starts among them, the grown table, and the new phrases as pairs (phrase without its last term, last term).
Cost   one pass, longest − 1 look-ups per occurrence; open addressing, never more than half full.
Edges  phrases do not cross the end of a text; a text shorter than the phrase gives none. Phrases of one term keep
       the number of the term. A phrase of n terms extends one of n - 1, so that its pair is its key.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Lists

__all__ = ["FREE", "Numbered", "Numbering", "PhraseTable", "add_phrase", "empty_phrases", "find_slot", "phrases"]

GOLDEN, SHIFT, ONE = np.uint64(0x9E3779B97F4A7C15), np.uint64(32), np.uint64(1)
"""Fibonacci hashing: 2^64 / φ spreads keys that follow each other; the upper half of the product is the best mixed."""
FREE = -1


class PhraseTable(NamedTuple):
    """A hash table of phrases: keys, the number of each, and how many there are (an array of one)."""

    keys: np.ndarray
    numbers: np.ndarray
    size: np.ndarray


class Numbering(NamedTuple):
    """The shortest and the longest phrase, and the first number that is free for a new phrase."""

    shortest: int
    longest: int
    free: int


class Numbered(NamedTuple):
    """The phrases of texts, the grown table, and the new phrases as pairs (phrase without its last term, last term)."""

    texts: Lists
    table: PhraseTable
    pairs: np.ndarray


def empty_phrases() -> PhraseTable:
    """Return a table without phrases."""
    return PhraseTable(np.full(1024, FREE, np.int64), np.zeros(1024, np.int32), np.zeros(1, np.int64))


@numba.njit(cache=True, nogil=True)
def find_slot(keys: np.ndarray, key: np.int64) -> np.uint64:
    """Return where the key is, or the free slot where it belongs."""
    mask = np.uint64(len(keys) - 1)
    p = (np.uint64(key) * GOLDEN) >> SHIFT & mask
    while True:
        held = keys[p]
        if held in (key, FREE):
            return p
        p = (p + ONE) & mask


@numba.njit(cache=True, nogil=True)
def _grown(table: PhraseTable) -> PhraseTable:
    """Return the table with twice the room."""
    keys, numbers, size = table
    new_keys, new_numbers = np.full(2 * len(keys), FREE, np.int64), np.zeros(2 * len(keys), np.int32)
    # Slots depend on the size of the table: every key is put in anew.
    for p in range(len(keys)):
        if keys[p] != FREE:
            q = find_slot(new_keys, keys[p])
            new_keys[q], new_numbers[q] = keys[p], numbers[p]
    return PhraseTable(new_keys, new_numbers, size)


@numba.njit(cache=True, nogil=True)
def add_phrase(table: PhraseTable, key: np.int64, number: np.int32) -> PhraseTable:
    """Add a phrase that the table does not hold; return the table, with twice the room where half of it is taken."""
    p = find_slot(table.keys, key)
    table.keys[p], table.numbers[p] = key, number
    table.size[0] += 1
    return _grown(table) if 2 * table.size[0] >= len(table.keys) else table


@numba.njit(cache=True, nogil=True)
def phrases(texts: Lists, table: PhraseTable, numbering: Numbering) -> Numbered:
    """Number all phrases of consecutive terms."""
    (starts, ids), (shortest, longest, free) = texts, numbering
    numbers = np.empty(len(ids) * (longest - shortest + 1), np.int32)
    number_starts = np.zeros(len(starts), np.int64)
    pairs = np.empty((len(ids) * (longest - 1), 2), np.int32)
    k = new = 0
    for d in range(len(starts) - 1):
        for i in range(starts[d], starts[d + 1]):
            phrase = np.int32(ids[i])
            for n in range(1, min(longest, starts[d + 1] - i) + 1):
                if n > 1:
                    last = ids[i + n - 1]
                    # A phrase is its beginning and its last term: one key of 64 bits, whatever its length.
                    key = np.int64(phrase) << 32 | np.int64(last)
                    p = find_slot(table.keys, key)
                    if table.keys[p] == FREE:
                        pairs[new, 0], pairs[new, 1] = phrase, last
                        phrase = np.int32(free + new)
                        table = add_phrase(table, key, phrase)
                        new += 1
                    else:
                        phrase = table.numbers[p]
                if n >= shortest:
                    numbers[k] = phrase
                    k += 1
        number_starts[d + 1] = k
    return Numbered(Lists(number_starts, numbers[:k].copy()), table, pairs[:new].copy())
