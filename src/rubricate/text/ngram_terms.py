"""The terms of new runs of characters where terms are character n-grams: cut and numbered in compiled code."""

from __future__ import annotations

import secrets

import numpy as np
from numpy.typing import NDArray

from rubricate.native.text import TextBytes, WordTable, number_ngrams
from rubricate.text.runs import with_room
from rubricate.text.scanner import NewTokens
from rubricate.text.term_names import TermNames
from rubricate.types import Ints

__all__ = ["NGramTerms"]


class NGramTerms:
    """Character n-grams met so far, each with its term. Names are appended to the list of words that it shares."""

    def __init__(self, words: TermNames, lengths: tuple[int, int], hashing: int | None) -> None:
        self._words, self._lengths, self._hashing = words, lengths, hashing
        self._table = WordTable(secrets.randbits(63))
        self._terms = np.empty(8192, np.int32)

    def learn(self, runs: NewTokens) -> tuple[NDArray[np.int32], Ints]:
        """Return the terms of the n-grams of runs end to end, and how many each run has."""
        known, spaced = len(self._table), TextBytes(*runs.spaced())
        starts, numbers = number_ngrams(spaced, self._lengths, self._hashing or self._table)
        if not self._hashing:
            self._name(known)
            numbers = self._terms[numbers]
        return numbers, np.diff(starts)

    def _name(self, known: int) -> None:
        """Append the names of the n-grams that are new since there were `known`."""
        names = self._table.words_from(known)[0].tobytes().decode("utf-8").split("\n")[:-1]
        self._terms = with_room(self._terms, len(self._table))
        self._terms[known : len(self._table)] = np.arange(len(self._words), len(self._words) + len(names))
        self._words.extend(names)
