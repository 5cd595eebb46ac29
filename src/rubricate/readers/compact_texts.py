"""Many texts in little memory.

Python keeps an ASCII text in one byte per character, but one curly quote makes that two for all its characters and
one emoji four. Texts that are not ASCII are therefore held as UTF-8 and decoded when asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import overload

__all__ = ["CompactTexts"]


class CompactTexts(Sequence[str]):
    """A list of texts that takes about as much memory as a UTF-8 file would take space.

    >>> texts = CompactTexts(["plain", "naïve"])
    >>> texts[1], len(texts), list(texts[:1])
    ('naïve', 2, ['plain'])
    """

    __slots__ = ("_held",)

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._held: list[str | bytes] = []
        for text in texts:
            self.append(text)

    def append(self, text: str) -> None:
        """Add a text; half a surrogate pair, which no UTF-8 file can hold, is kept too."""
        self._held.append(text if text.isascii() else text.encode("utf-8", "surrogatepass"))

    def take(self, rows: Iterable[int]) -> CompactTexts:
        """Return the texts at these positions; nothing is copied."""
        taken = CompactTexts()
        taken._held = [self._held[row] for row in rows]
        return taken

    def __len__(self) -> int:
        return len(self._held)

    @overload
    def __getitem__(self, position: int) -> str: ...
    @overload
    def __getitem__(self, position: slice) -> CompactTexts: ...
    def __getitem__(self, position: int | slice) -> str | CompactTexts:
        if isinstance(position, slice):
            return self.take(range(*position.indices(len(self))))
        held = self._held[position]
        return held if isinstance(held, str) else held.decode("utf-8", "surrogatepass")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (list, tuple, CompactTexts)):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]
