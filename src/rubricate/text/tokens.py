r"""What a token is, and the tables with which the scanning kernel finds tokens.

A text is folded by `str.lower`; its tokens are the matches of one of these patterns, from left to right:

    letters        [^\W\d_]+    letters of any script (and what Unicode counts as a letter-like number, as in ½)
    alphanumeric   [^\W_]+      letters and digits
    words          \w+          letters, digits and the underscore
    web            \S+          split again by `rubricate.text.ngrams`: words with apostrophes, numbers, #tags, emoji
    characters     \S+          split again by `rubricate.text.ngrams`: the character n-grams of each word

Each pattern repeats one class of characters, so that a table of the class finds the same tokens: 256 bytes are
enough for ASCII, and a table of code points, filled by the pattern itself, serves the rest of Unicode. The code
points 0 and 1 and lone surrogates are never part of a token: the tables use these bytes for other purposes.
"""

from __future__ import annotations

import re
import secrets
import sys
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubricate.errors import UnknownName
from rubricate.native.text import Alphabet, TextBytes, WordTable
from rubricate.text.texts import Texts
from rubricate.types import Bools, Ints

__all__ = [
    "NO_CLASSES",
    "PATTERNS",
    "NewTokens",
    "Scanned",
    "Scanner",
    "byte_tables",
    "code_points",
    "encode",
    "pattern",
]

PATTERNS = {"letters": r"[^\W\d_]+", "alphanumeric": r"[^\W_]+", "words": r"\w+", "web": r"\S+", "characters": r"\S+"}
NO_CLASSES = np.zeros(1, bool)
"""Stands in for the table of code points where a text is ASCII."""

Bytes = NDArray[np.uint8]
LEAD_BYTES = slice(0xC2, 0xF5)
PLANE = 1 << 16
SURROGATES = slice(0xD800, 0xE000)
RESERVED = 2
"""Byte values below this one have a meaning of their own in the table of `byte_tables`."""


def pattern(tokens: Any) -> str:
    """Return the regular expression of a kind of token.

    >>> pattern("words")
    '\\\\w+'
    """
    if tokens not in PATTERNS:
        raise UnknownName("kind of token", str(tokens), PATTERNS)
    return PATTERNS[tokens]


@cache
def byte_tables(tokens: str) -> tuple[Bytes, Bytes]:
    """Return what each byte is in a token (0: nothing, 1: first of a code point, else folded), and each byte folded."""
    match = re.compile(pattern(tokens)).fullmatch
    lower = np.arange(256, dtype=np.uint8)
    lower[ord("A") : ord("Z") + 1] += ord("a") - ord("A")
    fold = np.array([lower[b] if RESERVED <= b < 128 and match(chr(b)) else 0 for b in range(256)], np.uint8)
    fold[LEAD_BYTES] = 1
    return fold, lower


@cache
def code_points(tokens: str) -> Bools:
    """Return which code points are part of a token, by the Unicode version of this Python."""
    inside = np.zeros(sys.maxunicode + 1, bool)
    for first in range(0, len(inside), PLANE):
        plane = np.arange(first, first + PLANE, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
        for run in re.finditer(pattern(tokens), plane):
            inside[first + run.start() : first + run.end()] = True
    inside[SURROGATES] = False
    return inside


def encode(texts: list[str]) -> tuple[Bytes, NDArray[np.int64], bool]:
    """Encode texts as one UTF-8 buffer, folded beyond ASCII; also return where each ends and whether all is ASCII.

    Lone surrogates pass as three bytes, which no token contains.
    """
    joined = "".join(texts)
    if joined.isascii():
        data, lengths = joined.encode("ascii"), map(len, texts)
        return np.frombuffer(data, np.uint8), np.cumsum(np.fromiter(lengths, np.int64, len(texts))), True
    del joined
    parts = [t.encode("ascii") if t.isascii() else t.lower().encode("utf-8", "surrogatepass") for t in texts]
    ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
    return np.frombuffer(b"".join(parts), np.uint8), ends, False


SPACE = ord(" ")


@dataclass(frozen=True, eq=False)
class NewTokens:
    """Tokens that a scanner had not met before: folded UTF-8, a line feed after each, and where these are."""

    bytes: NDArray[np.uint8]
    ends: Ints

    def __len__(self) -> int:
        return len(self.ends)

    def names(self) -> list[str]:
        """Return the tokens as strings."""
        return self.bytes.tobytes().decode("utf-8").split("\n")[:-1]

    def spaced(self) -> tuple[NDArray[np.uint8], Ints]:
        """Return the tokens with a space before the first and one after each, and where those after them are."""
        padded = np.empty(len(self.bytes) + 1, np.uint8)
        padded[1:] = self.bytes
        padded[0] = padded[self.ends + 1] = SPACE
        return padded, self.ends + 1


@dataclass(frozen=True, eq=False)
class Scanned:
    """The tokens of some segments by their number in one scanner, and the tokens that were new to it."""

    scanner: int
    ids: NDArray[np.int32]
    starts: Ints
    new: NewTokens
    titled: bool


class Scanner:
    """Finds tokens and numbers them by first occurrence; keeps its table from block to block. One thread at a time."""

    def __init__(self, number: int, tokens: str, *, apart: bool) -> None:
        self.number = number
        self._tokens = tokens
        self._apart = apart
        self._table = WordTable(secrets.randbits(63))

    def scan(self, texts: Texts) -> Scanned:
        """Return the tokens of texts; where titles are kept apart, the segments are titles and bodies in turns."""
        titled = self._apart and texts.titles is not None
        buffer, ends, ascii_only = encode(texts.segments() if titled else texts.joined())
        classes = NO_CLASSES if ascii_only else code_points(self._tokens)
        known = len(self._table)
        starts, ids = self._table.scan(TextBytes(buffer, ends), Alphabet(*byte_tables(self._tokens), classes))
        return Scanned(self.number, ids, starts, NewTokens(*self._table.words_from(known)), titled)
