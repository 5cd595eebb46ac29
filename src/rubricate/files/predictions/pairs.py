"""Pairs of document and category as a file gives them, row by row, kept in arrays."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rubricate.errors import InvalidFile
from rubricate.readers.tables import Complain, raise_problem
from rubricate.types import Bools, Floats, Ints

__all__ = ["AGAIN", "BARE", "UNDECIDED", "PairCollector", "Pairs", "listed"]

UNDECIDED, BARE = -1, -2
"""Marks of a pair without a decision, and of a bare number in a matrix (the whole file tells what it means)."""

AGAIN = -1
"""Number of a document that has been read before."""

_KEEP_ONE = "keep one of the rows, or count the first (--duplicates first)"


def listed(names: Iterable[str], *, most: int = 5) -> str:
    """Return the first few names in order, and how many more there are.

    >>> listed(["b", "a"]), listed("abcdefgh")
    ('a, b', 'a, b, c, d, e and 3 more')
    """
    every = sorted(names)
    rest = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(every[:most]) + rest


@dataclass(frozen=True, eq=False)
class Pairs:
    """The content of a file: its documents and categories in order of appearance, and one entry per pair.

    `scores` is NaN and `decided` is -1 where the row has none; `lines` holds the line of each pair. `layout` is that of
    the table (long, wide, matrix), empty for other formats.
    """

    path: Path
    documents: tuple[str, ...]
    categories: tuple[str, ...]
    rows: Ints
    columns: Ints
    lines: Ints
    scores: Floats
    decided: Ints
    layout: str = ""

    @property
    def has_scores(self) -> bool:
        """Tell whether any pair has a score."""
        return not bool(np.isnan(self.scores).all()) if len(self.scores) else False

    @property
    def has_decisions(self) -> bool:
        """Tell whether the file decides: some pair has a decision, or none has a score."""
        return bool((self.decided != UNDECIDED).any()) or not self.has_scores

    def chosen(self) -> Bools:
        """Return which pairs are assigned: by their decision, or every pair of a file without decisions."""
        known = self.decided != UNDECIDED
        return self.decided == 1 if known.any() else np.ones(len(self.decided), bool)


class PairCollector:
    """Collects pairs row by row. Names become numbers at once, so that a row costs a few bytes and no objects.

    `complain` gets each row that cannot be read; by default the first one ends the reading. With `first`, a document
    or pair that occurs again is passed over.
    """

    def __init__(self, path: Path, complain: Complain = raise_problem, *, first: bool = False) -> None:
        self.path, self.complain, self.first = path, complain, first
        self.layout = ""
        self.documents: dict[str, int] = {}
        self.categories: dict[str, int] = {}
        self.rows, self.columns, self.lines = array("q"), array("q"), array("q")
        self.scores, self.decided = array("d"), array("b")

    def extend(self, parts: tuple[Sequence[Any], ...]) -> None:
        """Add many pairs: their rows, columns, lines, scores and decisions."""
        for own, more in zip((self.rows, self.columns, self.lines, self.scores, self.decided), parts, strict=True):
            own.extend(more)  # type: ignore[attr-defined]

    def document(self, name: str, line: int) -> int:
        """Return the number of a document; a new name gets the next number."""
        if not name:
            raise InvalidFile("the row names no document", path=self.path, line=line, remedy="give each row a document")
        return self.documents.setdefault(name, len(self.documents))

    def new_document(self, name: str, line: int) -> int:
        """Return the number of a document that may occur only once; AGAIN for a later row that is passed over."""
        before = len(self.documents)
        number = self.document(name, line)
        if number != before and self.first:
            return AGAIN
        if number != before:
            raise InvalidFile(f"document {name!r} occurs twice", path=self.path, line=line, remedy=_KEEP_ONE)
        return number

    def category(self, name: str) -> int:
        """Return the number of a category; a new name gets the next number."""
        return self.categories.setdefault(name, len(self.categories))

    def add(self, row: int, category: str, line: int, *, score: float = math.nan, decided: int = UNDECIDED) -> None:
        """Add one pair."""
        self.rows.append(row)
        self.columns.append(self.category(category))
        self.lines.append(line)
        self.scores.append(score)
        self.decided.append(decided)

    def pairs(self) -> Pairs:
        """Return the collected pairs; an error where there is no row, or where a pair occurs twice."""
        if not self.documents:
            raise InvalidFile("the file has no rows", path=self.path, remedy="give at least one document")
        scores, decided = self._settled()
        pairs = Pairs(
            self.path,
            tuple(self.documents),
            tuple(self.categories),
            np.array(self.rows, np.int64),
            np.array(self.columns, np.int64),
            np.array(self.lines, np.int64),
            scores,
            decided,
            self.layout,
        )
        return self._without_duplicates(pairs)

    def _without_duplicates(self, pairs: Pairs) -> Pairs:
        twice = _duplicates(pairs)
        if not len(twice):
            return pairs
        if not self.first:
            self.complain(_twice(pairs, twice))
        kept = np.ones(len(pairs.rows), bool)
        kept[twice] = False
        parts = {name: getattr(pairs, name)[kept] for name in ("rows", "columns", "lines", "scores", "decided")}
        return replace(pairs, **parts)

    def _settled(self) -> tuple[Floats, Ints]:
        """Return scores and decisions: bare numbers are decisions where the whole file has only 0 and 1."""
        scores, decided = np.array(self.scores, np.float64), np.array(self.decided, np.int64)
        bare = decided == BARE
        if np.isin(scores[bare], (0.0, 1.0)).all():
            decided[bare], scores[bare] = scores[bare], np.nan
        return scores, np.maximum(decided, UNDECIDED)


def _duplicates(pairs: Pairs) -> Ints:
    """Return the places of the pairs that occurred before."""
    key = pairs.rows * max(len(pairs.categories), 1) + pairs.columns
    order = np.argsort(key, kind="stable")
    return order[1:][key[order][1:] == key[order][:-1]]


def _twice(pairs: Pairs, twice: Ints) -> InvalidFile:
    second = twice[0]
    same = (pairs.rows == pairs.rows[second]) & (pairs.columns == pairs.columns[second])
    pair = f"document {pairs.documents[pairs.rows[second]]!r} has category {pairs.categories[pairs.columns[second]]!r}"
    return InvalidFile(
        f"{pair} twice, first on line {pairs.lines[np.argmax(same)]} ({len(twice)} such rows in all)",
        path=pairs.path,
        line=int(pairs.lines[second]),
        remedy="keep one row per pair, or count the first (--duplicates first)",
    )
