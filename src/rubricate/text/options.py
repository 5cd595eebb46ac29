"""Options of the analysis as a person writes them on a command line or in a plan."""

from __future__ import annotations

import re
from typing import Any

import Stemmer

from rubricate.errors import InvalidInput

__all__ = ["LONGEST", "MARK", "STEMMERS", "parse_ngrams", "phrase_lengths", "plain_option"]

LONGEST = {"words": 9, "characters": 8}
"""The longest phrase in words, and the longest n-gram in characters."""

MARK = "title:"
"""Before the terms of titles that have a name of their own."""

STEMMERS = {"porter2": "english"} | {name: name for name in Stemmer.algorithms()}
"""Our names of the stemmers, and PyStemmer's: "porter" and "porter2" for English, "german", "french", …"""

NONE = ("none", "null", "", False)
"""What stands for None where a file format has no null."""


def phrase_lengths(ngrams: Any, *, longest: int) -> tuple[int, int]:
    """Return the shortest and the longest phrase that `ngrams`, a length or a pair, asks for.

    >>> phrase_lengths(2, longest=9), phrase_lengths((1, 2), longest=9)
    ((2, 2), (1, 2))
    """
    pair = (ngrams, ngrams) if isinstance(ngrams, int) else ngrams
    whole = isinstance(pair, (tuple, list)) and len(pair) == 2 and all(type(each) is int for each in pair)
    if not whole or not 1 <= pair[0] <= pair[1] <= longest:
        raise InvalidInput(
            f"ngrams must be a length or a range (shortest, longest) within 1 to {longest}, got {ngrams!r}. "
            "Fix: give 2, or 1,2 for one and two"
        )
    return int(pair[0]), int(pair[1])


def parse_ngrams(text: Any) -> Any:
    """Return the length or the pair that a text such as "2" or "1,2" says; anything else as it is.

    >>> parse_ngrams("1,2"), parse_ngrams("2"), parse_ngrams([1, 3]), parse_ngrams("x")
    ((1, 2), 2, (1, 3), 'x')
    """
    if isinstance(text, list):
        return tuple(text)
    if not isinstance(text, str) or not re.fullmatch(r"\s*\d{1,3}\s*([,\-–]\s*\d{1,3}\s*)?", text):
        return text
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    return numbers[0] if len(numbers) == 1 else tuple(numbers)


def plain_option(name: str, value: Any) -> Any:
    """Return a plain value as the analyzer takes it: "none" as None, "1,2" as a pair, a list as a tuple.

    >>> plain_option("stop", "none"), plain_option("ngrams", "1,2"), plain_option("title", 2)
    (None, (1, 2), 2)
    """
    if isinstance(value, (str, bool)) and value in NONE:
        return None
    if name == "ngrams":
        return parse_ngrams(value)
    return tuple(value) if isinstance(value, list) else value
