"""The names of terms by their numbers; those of phrases are put together when they are asked for."""

from __future__ import annotations

import re
import secrets
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rubricate.native.text import TextBytes, WordTable, number_ngrams
from rubricate.text.tokens import NewTokens
from rubricate.types import Ints

if TYPE_CHECKING:
    from rubricate.native.sparse import Lists

__all__ = ["NGramTerms", "RunTable", "TermNames", "shown_ngram", "web_tokens", "with_room"]


class TermNames(Sequence[str]):
    """Names in the order of their numbers. Of millions of phrases few are frequent enough to need a name.

    `between` stands between the parts of a phrase.

    >>> names = TermNames(["stock", "price"])
    >>> names.add_phrases(np.array([[0, 1], [2, 0]]))
    >>> names[3], len(names), list(names)
    ('stock price stock', 4, ['stock', 'price', 'stock price', 'stock price stock'])
    """

    def __init__(self, names: Iterable[str] = (), *, between: str = " ") -> None:
        self._names: list[str | None] = list(names)
        self._between = between
        self._firsts: list[int] = []
        self._blocks: list[NDArray[np.integer[Any]]] = []

    def append(self, name: str) -> None:
        """Add a name."""
        self._names.append(name)

    def extend(self, names: Iterable[str]) -> None:
        """Add names."""
        self._names.extend(names)

    def add_phrases(self, pairs: NDArray[np.integer[Any]]) -> None:
        """Add phrases, each given by the number of the term or phrase it extends and that of its last term."""
        if len(pairs):
            self._firsts.append(len(self._names))
            self._blocks.append(pairs)
            self._names.extend([None] * len(pairs))

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        name = self._names[number]
        if name is None:
            number = range(len(self))[number]
            block = bisect_right(self._firsts, number) - 1
            extended, last = self._blocks[block][number - self._firsts[block]].tolist()
            name = self._names[number] = f"{self[extended]}{self._between}{self[last]}"
        return name

    def __iter__(self) -> Iterator[str]:
        names: list[Any] = self._names
        for first, pairs in zip(self._firsts, self._blocks, strict=True):
            for number, (extended, last) in enumerate(pairs.tolist(), first):
                if names[number] is None:  # parts come before what they are parts of
                    names[number] = f"{names[extended]}{self._between}{names[last]}"
        return iter(names)


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


PICTURE = "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff]"
"""Blocks of Unicode that hold emoji."""
TONE = "[\U0001f3fb-\U0001f3ff\ufe0f]"
"""What changes the emoji before it: skin tones, and the variation selector."""

WEB = re.compile(
    rf"""
    [\#@]\w+                                        # hashtags and user names
    | \d+(?:[.,:]\d+)+                               # 3.5, 1,000 and 10:30
    | \w+(?:['\u2019]\w+)*                           # words, with apostrophes inside
    | {PICTURE}{TONE}*(?:\u200d{PICTURE}{TONE}*)*    # emoji, those joined to one among them
    | [:;=][-']?[)(\]\[dpo/|]                        # the commonest emoticons, folded
    """,
    re.VERBOSE,
)


def web_tokens(run: str) -> list[str]:
    """Return the words, numbers, hashtags, user names, emoji and emoticons in a folded run.

    >>> web_tokens("don\u2019t"), web_tokens("#nlproc!"), web_tokens("(1,000)"), web_tokens("good:)")
    (["don't"], ['#nlproc'], ['1,000'], ['good', ':)'])
    """
    return [token.replace("\u2019", "'") for token in WEB.findall(run)]


def shown_ngram(ngram: str) -> str:
    """Return a character n-gram as a part of a word: the beginning, the middle, the end, or all of it.

    >>> [shown_ngram(ngram) for ngram in (" car", "ar", "ard ", " card ")]
    ['car…', '…ar…', '…ard', 'card']
    """
    return f"{'' if ngram.startswith(' ') else '…'}{ngram.strip(' ')}{'' if ngram.endswith(' ') else '…'}"


class RunTable:
    """The terms of numbered runs, end to end, in arrays that double when they are full."""

    def __init__(self) -> None:
        self._starts, self._items = np.zeros(1024, np.int64), np.empty(8192, np.int32)
        self._size = 0

    def add(self, terms: NDArray[np.int32], lengths: list[int] | NDArray[np.int64]) -> None:
        """Append further runs: their terms end to end, and how many each has."""
        at, size = int(self._starts[self._size]), self._size + len(lengths)
        self._starts = with_room(self._starts, size + 1)
        self._items = with_room(self._items, at + len(terms))
        self._items[at : at + len(terms)] = terms
        self._starts[self._size + 1 : size + 1] = at + np.cumsum(lengths, dtype=np.int64)
        self._size = size

    def lists(self) -> Lists:
        """Return the terms of each run, as kernels take them."""
        from rubricate.native.sparse import Lists

        return Lists(self._starts[: self._size + 1], self._items[: self._starts[self._size]])


def with_room(array: NDArray[Any], length: int) -> NDArray[Any]:
    """Return the array, or a copy twice as long where it is shorter than `length`."""
    if length <= len(array):
        return array
    grown = np.zeros(max(2 * len(array), length), array.dtype)
    grown[: len(array)] = array
    return grown
