"""Texts → numbered tokens: the part of the analysis that runs outside the interpreter's lock."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rubricate.kernels.text import Alphabet, Buffer, empty_table, scan
from rubricate.text.texts import Texts
from rubricate.text.tokens import NO_CLASSES, byte_tables, code_points, encode
from rubricate.types import Ints

__all__ = ["Scanned", "Scanner"]


@dataclass(frozen=True, eq=False)
class Scanned:
    """The tokens of some segments by their number in one scanner, and the tokens that were new to it."""

    scanner: int
    ids: NDArray[np.int32]
    starts: Ints
    new: list[str]
    titled: bool


class Scanner:
    """Finds tokens and numbers them by first occurrence; keeps its table from block to block. One thread at a time."""

    def __init__(self, number: int, tokens: str, *, apart: bool) -> None:
        self.number = number
        self._tokens = tokens
        self._apart = apart
        self._table = empty_table(secrets.randbits(63))

    def scan(self, texts: Texts) -> Scanned:
        """Return the tokens of texts; where titles are kept apart, the segments are titles and bodies in turns."""
        titled = self._apart and texts.titles is not None
        buffer, ends, ascii_only = encode(texts.segments() if titled else texts.joined())
        classes = NO_CLASSES if ascii_only else code_points(self._tokens)
        known = int(self._table.counter[0])
        ids, starts, self._table = scan(
            Buffer(buffer, ends), Alphabet(*byte_tables(self._tokens), classes), self._table
        )
        return Scanned(self.number, ids, starts, self._names(known), titled)

    def _names(self, first: int) -> list[str]:
        ends, table = self._table.ends, self._table
        return table.pool[int(ends[first]) : int(ends[table.counter[0]])].tobytes().decode("utf-8").split("\n")[:-1]
