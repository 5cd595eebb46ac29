"""Texts → numbered tokens: the part of the analysis that runs outside the interpreter's lock."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rubricate.native.text import Alphabet, TextBytes, WordTable
from rubricate.text.texts import Texts
from rubricate.text.tokens import NO_CLASSES, byte_tables, code_points, encode
from rubricate.types import Ints

__all__ = ["NewTokens", "Scanned", "Scanner"]

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
