"""Texts in any form, checked and cut into blocks of bounded size.

Accepted: `Documents`; such blocks; a list, tuple or iterator of strings; a NumPy array of strings; a pandas, polars or
Arrow column. Only `Documents` have titles; a string is a body. Columns are turned into strings some thousand at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any

from rubricate.errors import InvalidInput
from rubricate.labels import column
from rubricate.types import Documents

__all__ = ["Texts", "blocks"]

ROWS = 4096
"""Rows of a pandas, polars or Arrow column that are turned into strings at once."""

GROUP = 64
"""Documents that are checked and measured at once."""


@dataclass(frozen=True)
class Texts:
    """Some documents of a collection: bodies, and titles ("" where there is none) if the collection has them."""

    bodies: list[str] = field(default_factory=list)
    titles: list[str] | None = None

    def __len__(self) -> int:
        return len(self.bodies)

    def __add__(self, other: Texts) -> Texts:
        """Join two batches, one after the other."""
        if not self.bodies:
            return other
        titles = None if self.titles is None or other.titles is None else self.titles + other.titles
        return Texts(self.bodies + other.bodies, titles)

    def joined(self) -> list[str]:
        """Return title and body as one text each, as `Documents.texts` does."""
        if self.titles is None:
            return self.bodies
        return [f"{title}\n{body}" if title else body for title, body in zip(self.titles, self.bodies, strict=True)]

    def segments(self) -> list[str]:
        """Return titles and bodies in turns."""
        return [part for pair in zip(self.titles or [], self.bodies, strict=True) for part in pair]


def _values(given: Any) -> Iterator[Any]:
    if not any(hasattr(given, method) for method in ("to_pylist", "to_list", "tolist")):
        yield from given
        return
    rows = given.iloc if hasattr(given, "iloc") else given
    for start in range(0, len(given), ROWS):
        yield from column(rows[start : start + ROWS])


def _check(values: list[Any], first: int, part: str) -> None:
    """Raise InvalidInput for anything but strings, naming its position; the common case costs one set of types."""
    if set(map(type, values)) <= {str}:
        return
    for position, value in enumerate(values, first):
        if not isinstance(value, str):
            shown = "None" if value is None else f"{value!r:.40} ({type(value).__name__})"
            hint = "decode it first" if isinstance(value, (bytes, bytearray)) else 'give "" for an empty one'
            problem = f"document {position} (counted from 0): expected a string as {part}, got {shown}"
            raise InvalidInput(f"{problem}; {hint}")


def _columns(documents: Any) -> tuple[Iterator[Any] | None, Iterator[Any]]:
    """Return titles (None where there are none) and bodies."""
    if isinstance(documents, Documents | Texts):
        return None if documents.titles is None else _values(documents.titles), _values(documents.bodies)
    if isinstance(documents, (str, bytes)) or not hasattr(documents, "__iter__"):
        kind = "one string" if isinstance(documents, str) else type(documents).__name__
        raise InvalidInput(f"expected a list or column of texts, or Documents; got {kind}. Put a single text in a list")
    if getattr(documents, "ndim", 1) != 1:
        raise InvalidInput(f"expected one column of texts, got {documents.ndim} dimensions; choose the text column")
    return None, _values(documents)


def _groups(documents: Any) -> Iterator[Texts]:
    titles, bodies = _columns(documents)
    for first in count(0, GROUP):
        group = list(islice(bodies, GROUP))
        if not group:
            return
        _check(group, first, "text")
        headings = None if titles is None else [title or "" for title in islice(titles, GROUP)]
        if headings is not None:
            _check(headings, first, "title")
        yield Texts(group, headings)


def _single(texts: Texts) -> Iterator[Texts]:
    for d in range(len(texts)):
        yield Texts(texts.bodies[d : d + 1], None if texts.titles is None else texts.titles[d : d + 1])


def _size(texts: Texts) -> int:
    return sum(map(len, texts.bodies)) + sum(map(len, texts.titles or ()))


def blocks(documents: Any, characters: int) -> Iterator[Texts]:
    """Yield documents in blocks that end once they hold this many characters; a long document is a block of its own."""
    held, size = Texts(), 0
    for group in _groups(documents):
        for texts in [group] if (added := _size(group)) < characters else _single(group):
            held, size = held + texts, size + (added if texts is group else _size(texts))
            if size >= characters:
                yield held
                held, size = Texts(), 0
    if len(held):
        yield held
