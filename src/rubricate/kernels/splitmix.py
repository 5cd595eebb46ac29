"""SplitMix64 (steele2014): one 64-bit word of state, integer operations only.

The same numbers on every platform and in every version. The state is an array of one uint64, advanced in place.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numba
import numpy as np

__all__ = ["Whole", "below", "bracket", "draw", "mix", "octave", "permuted", "weighted"]

Whole: TypeAlias = Any
"""An int64 or uint64, which Numba tells apart and the type checker cannot."""

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@numba.njit(cache=True, nogil=True)
def mix(a: Whole, b: Whole) -> Whole:
    """Return a 64-bit hash of two integers: the finalizer of SplitMix64 over `a + (b + 1) · step`."""
    z = np.uint64(a) + (np.uint64(b) + np.uint64(1)) * _STEP
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return z ^ (z >> _31)


@numba.njit(cache=True, nogil=True)
def draw(state: np.ndarray) -> Whole:
    """Draw the next 64 random bits."""
    word = mix(state[0], np.uint64(0))
    state[0] += _STEP
    return word


@numba.njit(cache=True, nogil=True)
def below(state: np.ndarray, n: Whole) -> Whole:
    """Draw an integer from 0 to n - 1, n < 2³² (the high half of a product; its bias is under n / 2³²)."""
    return np.int64(((draw(state) >> _32) * np.uint64(n)) >> _32)


@numba.njit(cache=True, nogil=True)
def octave(state: np.ndarray, bits: Whole) -> Whole:
    """Draw an integer from 0 to 2^bits - 2 by Zipf's law: each doubling of the rank is as likely as the next."""
    size = np.int64(1) << below(state, bits)
    return size - 1 + below(state, size)


@numba.njit(cache=True, nogil=True)
def permuted(i: Whole, n: Whole, key: Whole) -> Whole:
    """Return where a keyed permutation of 0 … n - 1 sends i, in constant memory.

    A four-round Feistel network on the smallest even number of bits that holds n, walked until it lands below n
    (blackrogaway2002); four steps on average at most.
    """
    half = 1
    while np.int64(1) << (2 * half) < n:
        half += 1
    mask = (np.int64(1) << half) - 1
    while True:
        left, right = i >> half, i & mask
        for turn in range(4):
            word = np.int64(mix(np.uint64(key) + np.uint64(turn), np.uint64(right)) >> _32)
            left, right = right, left ^ (word & mask)
        i = (left << half) | right
        if i < n:
            return i


@numba.njit(cache=True, nogil=True)
def weighted(state: np.ndarray, sums: np.ndarray, start: Whole, stop: Whole) -> Whole:
    """Draw k from start to stop - 1 by weight; `sums[k]` are the weights before k, from any origin."""
    return bracket(sums, start, stop, sums[start] + below(state, sums[stop] - sums[start]))


@numba.njit(cache=True, nogil=True)
def bracket(sums: np.ndarray, start: Whole, stop: Whole, value: Whole) -> Whole:
    """Return the last k with sums[k] <= value, given sums[start] <= value < sums[stop]."""
    while stop - start > 1:
        middle = (start + stop) // 2
        if sums[middle] <= value:
            start = middle
        else:
            stop = middle
    return start
