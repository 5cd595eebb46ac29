"""Find the words of many texts and number them by first occurrence.

Given  the texts as one UTF-8 buffer with the end of each text; `fold`, 256 entries that say what a byte is in a
       word (0: no part of one; 1: the first byte of a longer code point; else the folded byte); `lower`, each byte
       with ASCII capitals folded; `classes`, which code points are part of a word; the table of known words.
Return the number of the word at each occurrence, where each text starts among them, and the grown table.
Cost   one pass over the bytes; open addressing keyed by hash, then length and bytes, never more than half full.
Edges  a text without words gives an empty range. Words do not cross the end of a text. The buffer must be valid
       UTF-8 (lone surrogates in three bytes are), as no end of a code point is checked.

The table is five arrays: `slots` (word or -1), `hashes`, `ends` (word w is pool[ends[w] : ends[w + 1] - 1]),
`pool` (the bytes of the words, a line feed after each) and `counter` (the number of words; where hashes begin: a
beginning that the writer of a text cannot know keeps him from choosing words that all fall on one slot).
Indices are unsigned: that spares the compiled code the test for Python's negative ones.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["Table", "empty_table", "scan"]

Table = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
BASIS, PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # FNV-1a, 64 bits
ONE, SHIFT = np.uint64(1), np.uint64(29)
LINE_FEED = np.uint8(10)
ROOM = 512


def empty_table(seed: int = 0) -> Table:
    """A table without words; `seed` (63 bits) moves them about in the table and changes nothing else."""
    return (
        np.full(2 * ROOM, -1, np.int32),
        np.empty(ROOM, np.uint64),
        np.zeros(ROOM + 1, np.uint64),
        np.empty(8 * ROOM, np.uint8),
        np.array([0, seed], np.int64),
    )


@numba.njit(cache=True, nogil=True)
def _width(buffer: np.ndarray, i: np.uint64, classes: np.ndarray) -> int:
    """Bytes of the code point that starts at i when it is part of a word, else 0."""
    lead, second = np.int64(buffer[i]), np.int64(buffer[i + ONE]) & 0x3F
    if lead < 0xE0:
        return 2 if classes[(lead & 0x1F) << 6 | second] else 0
    third = np.int64(buffer[i + ONE + ONE]) & 0x3F
    if lead < 0xF0:
        return 3 if classes[(lead & 0x0F) << 12 | second << 6 | third] else 0
    fourth = np.int64(buffer[i + ONE + ONE + ONE]) & 0x3F
    return 4 if classes[(lead & 0x07) << 18 | second << 12 | third << 6 | fourth] else 0


@numba.njit(cache=True, nogil=True)
def _longer(array: np.ndarray, length: int) -> np.ndarray:
    grown = np.empty(length, array.dtype)
    grown[: len(array)] = array
    return grown


@numba.njit(cache=True, nogil=True)
def _rehash(slots: np.ndarray, hashes: np.ndarray, size: int) -> np.ndarray:
    grown = np.full(2 * len(slots), -1, np.int32)
    mask = np.uint64(len(grown) - 1)
    for word in range(size):
        p = hashes[word] & mask
        while grown[p] >= 0:
            p = (p + ONE) & mask
        grown[p] = word
    return grown


@numba.njit(cache=True, nogil=True)
def _find(
    buffer: np.ndarray,
    start: np.uint64,
    end: np.uint64,
    h: np.uint64,
    lower: np.ndarray,
    slots: np.ndarray,
    hashes: np.ndarray,
    ends: np.ndarray,
    pool: np.ndarray,
) -> np.uint64:
    """The slot of the word buffer[start:end], or the free slot where it belongs."""
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


@numba.njit(cache=True, nogil=True)
def _scan_until_full(
    buffer: np.ndarray,
    text_ends: np.ndarray,
    fold: np.ndarray,
    lower: np.ndarray,
    classes: np.ndarray,
    table: Table,
    ids: np.ndarray,
    starts: np.ndarray,
    state: np.ndarray,
) -> bool:
    """Read on from `state` (text, byte, occurrences); False, at the start of a new word, when the table is full.

    The arrays are fixed in here: growing them inside the loop would make it three times as slow, and so would a
    function of its own for finding the end of a word.
    `state[3]` is then the room that the pool needs.
    """
    slots, hashes, ends, pool, counter = table
    i, found, size = np.uint64(state[1]), np.uint64(state[2]), np.uint64(counter[0])
    basis = BASIS ^ np.uint64(counter[1])
    for text in range(state[0], len(text_ends)):
        stop = np.uint64(text_ends[text])
        while i < stop:
            start, h = i, basis
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
            h ^= h >> SHIFT
            p = _find(buffer, start, i, h, lower, slots, hashes, ends, pool)
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


@numba.njit(cache=True, nogil=True)
def scan(
    buffer: np.ndarray, text_ends: np.ndarray, fold: np.ndarray, lower: np.ndarray, classes: np.ndarray, table: Table
) -> tuple[np.ndarray, np.ndarray, Table]:
    """The word numbers of all texts, where each text starts among them, and the grown table."""
    ids = np.empty(len(buffer) // 2 + len(text_ends) + 1, np.int32)
    starts = np.zeros(len(text_ends) + 1, np.int64)
    state = np.zeros(4, np.int64)
    while not _scan_until_full(buffer, text_ends, fold, lower, classes, table, ids, starts, state):
        slots, hashes, ends, pool, counter = table
        if counter[0] == len(hashes):
            hashes, ends = _longer(hashes, 2 * len(hashes)), _longer(ends, 2 * len(hashes) + 1)
            slots = _rehash(slots, hashes, counter[0])
        else:
            pool = _longer(pool, 2 * state[3])
        table = (slots, hashes, ends, pool, counter)
    return ids[: state[2]].copy(), starts, table
