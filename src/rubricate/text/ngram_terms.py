"""The terms of new runs of characters where terms are character n-grams: cut and numbered in compiled code."""

from __future__ import annotations

import secrets
from functools import cache

import numpy as np
from numpy.typing import NDArray

from rubricate.kernels.character_ngrams import SAME, bucket, cut, number
from rubricate.kernels.text import empty_table
from rubricate.text.runs import with_room
from rubricate.text.scanner import NewTokens
from rubricate.text.term_names import TermNames
from rubricate.types import Ints

__all__ = ["NGramTerms"]

POLYNOMIAL = 0xEDB88320
"""Of CRC-32, lowest bit first."""


class NGramTerms:
    """Character n-grams met so far, each with its term. Names are appended to the list of words that it shares."""

    def __init__(self, words: TermNames, lengths: tuple[int, int], hashing: int | None) -> None:
        self._words, self._lengths, self._hashing = words, lengths, hashing
        self._table = empty_table(secrets.randbits(63))
        self._terms = np.empty(8192, np.int32)

    def learn(self, runs: NewTokens) -> tuple[NDArray[np.int32], Ints]:
        """Return the terms of the n-grams of runs end to end, and how many each run has."""
        spaced, ends = runs.spaced()
        ngrams = cut(spaced, ends, *self._lengths)
        lengths = np.diff(ngrams.run_starts)
        if self._hashing:
            return bucket(spaced, ngrams, _remainders(), self._hashing), lengths
        known = int(self._table.counter[0])
        numbers, self._table = number(spaced, ngrams, self._table, SAME)
        self._name(known)
        return self._terms[numbers], lengths

    def _name(self, known: int) -> None:
        """Append the names of the n-grams that are new since there were `known`."""
        size, table = int(self._table.counter[0]), self._table
        first, last = int(table.ends[known]), int(table.ends[size])
        names = table.pool[first:last].tobytes().decode("utf-8").split("\n")[:-1]
        self._terms = with_room(self._terms, size)
        self._terms[known:size] = np.arange(len(self._words), len(self._words) + len(names))
        self._words.extend(names)


@cache
def _remainders() -> NDArray[np.uint32]:
    """Return the CRC-32 remainder of each byte."""
    remainders = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        remainders = np.where(remainders & 1, remainders >> 1 ^ POLYNOMIAL, remainders >> 1).astype(np.uint32)
    return remainders
