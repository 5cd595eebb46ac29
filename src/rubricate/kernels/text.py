"""Find the words of many texts and number them by first occurrence.

Given  the texts as one UTF-8 buffer with the end of each text, the alphabet, and the table of known words.
Return the number of the word at each occurrence, where each text starts among them, and the grown table.
Cost   one pass over the bytes; open addressing keyed by hash, then length and bytes, never more than half full.
Ties   none: a word is its folded bytes.
Edges  a text without words gives an empty range. Words do not cross the end of a text. The buffer must be valid
       UTF-8 (lone surrogates in three bytes are), as no end of a code point is checked.

Indices are unsigned: that spares the compiled code the test for Python's negative ones. Arrays are made outside of
compiled code, where that takes no time to compile.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.wrappers import FROM_KERNELS, FROM_PYTHON

__all__ = [
    "BASIS",
    "LINE_FEED",
    "ONE",
    "PRIME",
    "SHIFT",
    "Alphabet",
    "Buffer",
    "WordSpan",
    "WordTable",
    "empty_table",
    "find",
    "grown",
    "scan",
]

BASIS, PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # FNV-1a, 64 bits
ONE, SHIFT = np.uint64(1), np.uint64(29)
LINE_FEED = np.uint8(10)
ROOM = 512


class Buffer(NamedTuple):
    """Texts in UTF-8 end to end, and where each ends."""

    bytes: np.ndarray
    ends: np.ndarray


class Alphabet(NamedTuple):
    """What a word is made of.

    `fold` says what each byte is in a word: 0, not part of one; 1, the first byte of a longer code point; else the
    folded byte. `lower` is each byte with ASCII capitals folded; `classes` says which code points are part of a word.
    """

    fold: np.ndarray
    lower: np.ndarray
    classes: np.ndarray


class WordTable(NamedTuple):
    """The words known so far: `slots` has a word or -1; word w is pool[ends[w] : ends[w + 1] - 1].

    `pool` has a line feed after each word. `counter` is the number of words and the start of all hashes: a start that
    the author of a text cannot know prevents texts made of words that all fall on one slot.
    """

    slots: np.ndarray
    hashes: np.ndarray
    ends: np.ndarray
    pool: np.ndarray
    counter: np.ndarray


class _Output(NamedTuple):
    """Word numbers, where each text starts among them, and how far the scan is: text, byte, occurrences, pool room."""

    ids: np.ndarray
    starts: np.ndarray
    state: np.ndarray


class WordSpan(NamedTuple):
    """A word of the buffer: from `start` to before `end`, with its hash."""

    start: np.uint64
    end: np.uint64
    hash: np.uint64


def empty_table(seed: int = 0) -> WordTable:
    """Return a table without words; `seed` (63 bits) moves them about in the table and changes nothing else."""
    return WordTable(
        np.full(2 * ROOM, -1, np.int32),
        np.empty(ROOM, np.uint64),
        np.zeros(ROOM + 1, np.uint64),
        np.empty(8 * ROOM, np.uint8),
        np.array([0, seed], np.int64),
    )


@numba.njit(cache=True, nogil=True, **FROM_KERNELS)
def _width(buffer: np.ndarray, i: np.uint64, classes: np.ndarray) -> int:
    """Return the bytes of the code point that starts at i when it is part of a word, else 0."""
    lead, second = np.int64(buffer[i]), np.int64(buffer[i + ONE]) & 0x3F
    if lead < 0xE0:
        return 2 if classes[(lead & 0x1F) << 6 | second] else 0
    third = np.int64(buffer[i + ONE + ONE]) & 0x3F
    if lead < 0xF0:
        return 3 if classes[(lead & 0x0F) << 12 | second << 6 | third] else 0
    fourth = np.int64(buffer[i + ONE + ONE + ONE]) & 0x3F
    return 4 if classes[(lead & 0x07) << 18 | second << 12 | third << 6 | fourth] else 0


def _longer(array: np.ndarray, length: int) -> np.ndarray:
    grown = np.empty(length, array.dtype)
    grown[: len(array)] = array
    return grown


@numba.njit(cache=True, nogil=True, **FROM_PYTHON)
def _rehash(slots: np.ndarray, hashes: np.ndarray, size: int) -> None:
    """Put the words into slots that are all free."""
    mask = np.uint64(len(slots) - 1)
    for word in range(size):
        p = hashes[word] & mask
        while slots[p] >= 0:
            p = (p + ONE) & mask
        slots[p] = word


def grown(table: WordTable, pool_room: int) -> WordTable:
    """Return a table with room for twice as many words, or, where words have room, for as many bytes and more."""
    slots, hashes, ends, pool, counter = table
    if counter[0] == len(hashes):
        hashes, ends = _longer(hashes, 2 * len(hashes)), _longer(ends, 2 * len(hashes) + 1)
        slots = np.full(2 * len(slots), -1, np.int32)
        _rehash(slots, hashes, int(counter[0]))
    else:
        pool = _longer(pool, 2 * pool_room)
    return WordTable(slots, hashes, ends, pool, counter)


@numba.njit(cache=True, nogil=True, **FROM_KERNELS)
def find(target: WordSpan, buffer: np.ndarray, lower: np.ndarray, table: WordTable) -> np.uint64:
    """Return the slot of a word of the buffer, or the free slot where it belongs."""
    start, end, h = target
    slots, hashes, ends, pool, _ = table
    mask = np.uint64(len(slots) - 1)
    p = h & mask
    while True:
        held = slots[p]  # read once: a second read of the slot doubles the time of the whole scan
        if held < 0:
            break
        word = np.uint64(held)
        if hashes[word] == h:
            at, i = ends[word], start
            if ends[word + ONE] - at == end - start + ONE:
                while i < end and pool[at + i - start] == lower[buffer[i]]:
                    i += ONE
                if i == end:
                    break
        p = (p + ONE) & mask
    return p


@numba.njit(cache=True, nogil=True, **FROM_PYTHON)
def _scan_until_full(texts: Buffer, alphabet: Alphabet, table: WordTable, output: _Output) -> bool:
    """Read on from the state of the output; return False, at the start of a new word, when the table is full.

    The arrays are fixed in here: growing them inside the loop would make it three times as slow, and so would a
    function of its own for finding the end of a word.
    """
    (buffer, text_ends), (fold, lower, classes), (ids, starts, state) = texts, alphabet, output
    slots, hashes, ends, pool, counter = table
    i, found, size = np.uint64(state[1]), np.uint64(state[2]), np.uint64(counter[0])
    basis = BASIS ^ np.uint64(counter[1])
    for text in range(state[0], len(text_ends)):
        stop = np.uint64(text_ends[text])
        while i < stop:
            start, h = i, basis
            # The hash runs along with the search for the word's end, so that its bytes are read once.
            while i < stop:
                c = fold[buffer[i]]
                if c > 1:
                    h = (h ^ np.uint64(c)) * PRIME
                    i += ONE
                    continue
                width = _width(buffer, i, classes) if c == 1 else 0
                if width == 0:
                    break
                for _ in range(width):
                    h = (h ^ np.uint64(buffer[i])) * PRIME
                    i += ONE
            if i == start:
                i += ONE
                continue
            h ^= h >> SHIFT  # slots go by the low bits, which FNV-1a mixes least
            p = find(WordSpan(start, i, h), buffer, lower, table)
            if slots[p] < 0:
                at, length = ends[size], i - start + ONE
                if size == np.uint64(len(hashes)) or at + length > np.uint64(len(pool)):
                    state[0], state[1], state[2], state[3], counter[0] = text, start, found, at + length, size
                    return False
                for j in range(length - ONE):
                    pool[at + j] = lower[buffer[start + j]]
                pool[at + length - ONE] = LINE_FEED
                slots[p], hashes[size], ends[size + ONE] = size, h, at + length
                size += ONE
            ids[found] = slots[p]
            found += ONE
        starts[text + 1] = found
    state[2], counter[0] = found, size
    return True


def scan(texts: Buffer, alphabet: Alphabet, table: WordTable) -> tuple[np.ndarray, np.ndarray, WordTable]:
    """Return the word numbers of all texts, where each text starts among them, and the grown table."""
    # Words of one letter with one byte between them: no text has more.
    ids = np.empty(len(texts.bytes) // 2 + len(texts.ends) + 1, np.int32)
    starts, state = np.zeros(len(texts.ends) + 1, np.int64), np.zeros(4, np.int64)
    while not _scan_until_full(texts, alphabet, table, _Output(ids, starts, state)):
        table = grown(table, int(state[3]))
    return ids[: state[2]].copy(), starts, table
