"""Runs of characters without white space, and the terms that each run is split into.

A run is split once, however often it occurs: the analysis finds runs, and a table gives the terms of each.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rubricate.native.sparse import Lists

__all__ = ["RunTable", "shown_ngram", "web_tokens", "with_room"]

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
