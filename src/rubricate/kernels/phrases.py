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
from rubricate.kernels.wrappers import FROM_KERNELS, FROM_PYTHON

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


@numba.njit(cache=True, nogil=True, **FROM_KERNELS)
def find_slot(keys: np.ndarray, key: np.int64) -> np.uint64:
    """Return where the key is, or the free slot where it belongs."""
    mask = np.uint64(len(keys) - 1)
    p = (np.uint64(key) * GOLDEN) >> SHIFT & mask
    while True:
        held = keys[p]
        if held == key or held == FREE:  # noqa: SIM109  # `in` takes longer to compile
            return p
        p = (p + ONE) & mask


@numba.njit(cache=True, nogil=True, **FROM_PYTHON)
def _rehash(table: PhraseTable, grown: PhraseTable) -> None:
    """Put every phrase into a larger table that holds none: slots depend on the size of the table."""
    keys, numbers, _ = table
    new_keys, new_numbers, _ = grown
    for p in range(len(keys)):
        if keys[p] != FREE:
            q = find_slot(new_keys, keys[p])
            new_keys[q], new_numbers[q] = keys[p], numbers[p]


def _grown(table: PhraseTable) -> PhraseTable:
    """Return the table with twice the room."""
    room = 2 * len(table.keys)
    grown = PhraseTable(np.full(room, FREE, np.int64), np.zeros(room, np.int32), table.size)
    _rehash(table, grown)
    return grown


_grown_inside = numba.njit(cache=True, nogil=True, **FROM_KERNELS)(_grown)


@numba.njit(cache=True, nogil=True, **FROM_KERNELS)
def add_phrase(table: PhraseTable, key: np.int64, number: np.int32) -> PhraseTable:
    """Add a phrase that the table does not hold; return the table, with twice the room where half of it is taken."""
    p = find_slot(table.keys, key)
    table.keys[p], table.numbers[p] = key, number
    table.size[0] += 1
    return _grown_inside(table) if 2 * table.size[0] >= len(table.keys) else table


def phrases(texts: Lists, table: PhraseTable, numbering: Numbering) -> Numbered:
    """Number all phrases of consecutive terms."""
    terms, (shortest, longest, _) = len(texts.items), numbering
    filled = Lists(np.zeros(len(texts.starts), np.int64), np.empty(terms * (longest - shortest + 1), np.int32))
    pairs, state = np.empty((terms * (longest - 1), 2), np.int32), np.zeros(4, np.int64)
    while not _number_until_full(texts, table, numbering, (filled, pairs, state)):
        table = _grown(table)
    return Numbered(Lists(filled.starts, filled.items[: state[2]].copy()), table, pairs[: state[3]].copy())


@numba.njit(cache=True, nogil=True, **FROM_PYTHON)
def _number_until_full(
    texts: Lists, table: PhraseTable, numbering: Numbering, output: tuple[Lists, np.ndarray, np.ndarray]
) -> bool:
    """Read on from the state (text, place, numbers, new phrases); return False when the table is half full.

    The arrays are fixed in here, so that growing them need not be compiled.
    """
    (starts, ids), (keys, known, size), (shortest, longest, free) = texts, table, numbering
    (number_starts, numbers), pairs, state = output
    first, k, new = state[1], state[2], state[3]
    for d in range(state[0], len(starts) - 1):
        end = starts[d + 1]
        for i in range(first if first > starts[d] else starts[d], end):
            if 2 * (size[0] + longest) > len(keys):
                state[0], state[1], state[2], state[3] = d, i, k, new
                return False
            phrase = np.int32(ids[i])
            for n in range(1, (longest if longest < end - i else end - i) + 1):
                if n > 1:
                    last = ids[i + n - 1]
                    # A phrase is its beginning and its last term: one key of 64 bits, whatever its length.
                    key = np.int64(phrase) << 32 | np.int64(last)
                    p = find_slot(keys, key)
                    if keys[p] == FREE:
                        pairs[new, 0], pairs[new, 1] = phrase, last
                        phrase = np.int32(free + new)
                        keys[p], known[p] = key, phrase
                        size[0] += 1
                        new += 1
                    else:
                        phrase = known[p]
                if n >= shortest:
                    numbers[k] = phrase
                    k += 1
        number_starts[d + 1] = k
    state[2], state[3] = k, new
    return True
