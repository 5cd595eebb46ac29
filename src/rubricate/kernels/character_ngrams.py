"""Character n-grams of runs without white space: where they are, their numbers, or their buckets.

Given  runs in folded UTF-8, one space before the first and one after each; and the byte where each run ends.
Return `cut`: where the n-grams of each run start, and how many bytes each has; `number`: the number of each, by first
       occurrence, and the grown table of `kernels/text.py`; `bucket`: the CRC-32 of each, modulo the number of buckets.
Cost   one pass over the n-grams each, two over their bytes.
Ties   none: an n-gram is its bytes.
Edges  a run belongs together with the spaces around it. One that is not longer than the shortest n-gram counts once,
       as a whole, as `char_wb` of scikit-learn has it. The runs must be valid UTF-8.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import ZERO
from rubricate.kernels.text import BASIS, LINE_FEED, ONE, PRIME, SHIFT, WordSpan, WordTable, find, grown
from rubricate.kernels.wrappers import FROM_KERNELS, FROM_PYTHON

__all__ = ["SAME", "NGrams", "bucket", "cut", "number"]

SAME = np.arange(256, dtype=np.uint8)
"""What `find` takes each byte for: runs are folded already. Constants in kernels are of another type: it is an
argument."""


class NGrams(NamedTuple):
    """N-grams of runs end to end: those of run r are run_starts[r] to run_starts[r + 1] − 1; each from a byte on."""

    run_starts: np.ndarray
    starts: np.ndarray
    widths: np.ndarray


@numba.njit(cache=True, nogil=True, **FROM_KERNELS)
def _next(runs: np.ndarray, i: int) -> int:
    """Return where the code point after the one at i starts."""
    i += 1
    while i < len(runs) and runs[i] & 0xC0 == 0x80:
        i += 1
    return i


def cut(runs: np.ndarray, ends: np.ndarray, shortest: int, longest: int) -> NGrams:
    """Return the n-grams of each run and the spaces around it, shorter ones first, from left to right."""
    room = (len(runs) + len(ends)) * (longest - shortest + 1)
    ngrams = NGrams(np.zeros(len(ends) + 1, np.int64), np.empty(room, np.int32), np.empty(room, np.uint8))
    _cut(runs, ends, (shortest, longest), ngrams)
    count = int(ngrams.run_starts[-1])
    return NGrams(ngrams.run_starts, ngrams.starts[:count].copy(), ngrams.widths[:count].copy())


@numba.njit(cache=True, nogil=True, **FROM_PYTHON)
def _cut(runs: np.ndarray, ends: np.ndarray, lengths: tuple[int, int], ngrams: NGrams) -> None:
    """Fill in the n-grams of each run."""
    run_starts, starts, widths = ngrams
    shortest, longest = lengths
    k, first = 0, ZERO
    for run in range(len(ends)):
        stop = ends[run] + 1
        for length in range(shortest, longest + 1):
            start, end, points = first, first, 0
            while points < length and end < stop:
                end = _next(runs, end)
                points += 1
            if points < length and length > shortest:
                break
            starts[k], widths[k] = start, end - start
            k += 1
            while end < stop:
                start, end = _next(runs, start), _next(runs, end)
                starts[k], widths[k] = start, end - start
                k += 1
            if points < length:
                break
        run_starts[run + 1] = k
        first = ends[run]


@numba.njit(cache=True, nogil=True, **FROM_PYTHON)
def _number_until_full(
    runs: np.ndarray, ngrams: NGrams, table: WordTable, same: np.ndarray, ids: np.ndarray, at: int
) -> int:
    """Number n-grams from `at` on; return how far it came before the table was full. The arrays are fixed in here."""
    _, starts, widths = ngrams
    slots, hashes, ends, pool, counter = table
    size, basis = np.uint64(counter[0]), BASIS ^ np.uint64(counter[1])
    for k in range(at, len(starts)):
        start = np.uint64(starts[k])
        width = np.uint64(widths[k])
        h = basis
        for j in range(width):
            h = (h ^ np.uint64(runs[start + j])) * PRIME
        h ^= h >> SHIFT
        p = find(WordSpan(start, start + width, h), runs, same, table)
        if slots[p] < 0:
            pool_at = ends[size]
            if size == np.uint64(len(hashes)) or pool_at + width + ONE > np.uint64(len(pool)):
                counter[0] = size
                return k
            for j in range(width):
                pool[pool_at + j] = runs[start + j]
            pool[pool_at + width] = LINE_FEED
            slots[p], hashes[size], ends[size + ONE] = size, h, pool_at + width + ONE
            size += ONE
        ids[k] = slots[p]
    counter[0] = size
    return len(starts)


def number(runs: np.ndarray, ngrams: NGrams, table: WordTable, same: np.ndarray) -> tuple[np.ndarray, WordTable]:
    """Return the number of each n-gram, and the table with those that were new; `same` is `SAME`."""
    ids = np.empty(len(ngrams.starts), np.int32)
    at = _number_until_full(runs, ngrams, table, same, ids, 0)
    while at < len(ids):
        table = grown(table, len(table.pool))
        at = _number_until_full(runs, ngrams, table, same, ids, at)
    return ids, table


@numba.njit(cache=True, nogil=True)
def bucket(runs: np.ndarray, ngrams: NGrams, remainders: np.ndarray, buckets: int) -> np.ndarray:
    """Return the CRC-32 of each n-gram modulo `buckets`; `remainders` are those of all bytes."""
    _, starts, widths = ngrams
    ids = np.empty(len(starts), np.int32)
    for k in range(len(starts)):
        crc = np.uint32(0xFFFFFFFF)
        for i in range(starts[k], starts[k] + widths[k]):
            crc = remainders[(crc ^ runs[i]) & 0xFF] ^ (crc >> np.uint32(8))
        ids[k] = np.int64(crc ^ np.uint32(0xFFFFFFFF)) % buckets
    return ids
