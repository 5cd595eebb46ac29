"""Documents as sequences of terms, title and body apart: the source in which every condition can be looked up."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.native.text import find_places
from rubricate.rules.words import Analyzing
from rubricate.types import Bools, Documents, Ints, Terms

__all__ = ["Passages", "Spans", "following"]

MARK = "title:"
"""How an analyzer that marks titles begins the names of their terms."""


class Spans(NamedTuple):
    """Places from first to last word, by position in the whole stream; ascending by their starts."""

    starts: Ints
    ends: Ints


@dataclass(frozen=True, eq=False)
class Passages:
    """Documents as terms in order: `terms` has two sequences per document, its title (maybe empty) and its body.

    Spans never cross from one sequence into another. A term with a space is the phrase of its parts, `title:wheat` is
    `wheat` in the title: so words learned from phrases and marked titles are found again.
    """

    terms: Terms

    def __post_init__(self) -> None:
        if len(self.terms) % 2:
            raise InvalidInput(
                f"Passages need a title and a body per document, got {len(self.terms)} sequences; give empty titles"
            )

    def __len__(self) -> int:
        return len(self.terms) // 2

    @classmethod
    def of(cls, documents: Any, analyzer: Analyzing) -> Passages:
        """Read the terms of `Documents`, or of texts in any form the analyzer takes, which then have no titles.

        The analyzer must not form phrases or mark titles: order is kept here, and titles are apart.
        """
        if not isinstance(documents, Documents) or documents.titles is None:
            terms = analyzer.terms(documents)
            return cls(Terms(terms.words, terms.ids, np.repeat(terms.starts, 2)[:-1]))
        pairs = zip(documents.titles, documents.bodies, strict=True)
        return cls(analyzer.terms([part or "" for pair in pairs for part in pair]))

    def take(self, documents: Sequence[int]) -> Passages:
        """Return some of the documents, in this order."""
        starts, rows = self.terms.starts, [2 * d + part for d in documents for part in (0, 1)]
        parts = [self.terms.ids[starts[row] : starts[row + 1]] for row in rows]
        ends = np.cumsum([0, *map(len, parts)])
        passages = Passages(Terms(self.terms.words, np.concatenate([np.empty(0, np.int32), *parts]), ends))
        passages.__dict__.update(_number=self._number, _sorted=self._sorted)  # the words are the same
        return passages

    @cached_property
    def segment(self) -> Ints:
        """Return the sequence to which each place belongs."""
        return np.repeat(np.arange(len(self.terms)), np.diff(self.terms.starts))

    @cached_property
    def _index(self) -> tuple[Ints, Ints]:
        return find_places(self.terms.ids, len(self.terms.words))

    @cached_property
    def _number(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.terms.words)}

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self._number)

    def word(self, term: str, *, title: bool) -> Spans:
        """Return where a term occurs."""
        if term.startswith(MARK) and term != MARK:
            return self.word(term[len(MARK) :], title=True)
        if " " in term.strip():
            return self.phrase(tuple(term.split()), title=title)
        return self._within(self._places(term), 1, title)

    def prefix(self, stem: str, *, title: bool) -> Spans:
        """Return where a term with this beginning occurs."""
        return self._within(self._begun(stem), 1, title)

    def phrase(self, terms: tuple[str, ...], *, title: bool) -> Spans:
        """Return where the terms follow each other."""
        places = self._part(terms[0])
        for step, term in enumerate(terms[1:], 1):
            places = places[_contains(self._part(term), places + step)]
        return self._within(places, len(terms), title)

    def union(self, parts: Sequence[Spans]) -> Spans:
        """Return the places of any of them, each once."""
        starts = np.concatenate([part.starts for part in parts])
        ends = np.concatenate([part.ends for part in parts])
        order = np.lexsort((ends, starts))
        starts, ends = starts[order], ends[order]
        new = np.ones(len(starts), bool)
        new[1:] = (np.diff(starts) > 0) | (np.diff(ends) > 0)
        return Spans(starts[new], ends[new])

    def some(self, spans: Spans, least: int) -> Bools:
        """Return the documents with at least so many places."""
        documents = self.segment[spans.starts] // 2
        if least == 1:
            holds = np.zeros(len(self), bool)
            holds[documents] = True
            return holds
        return np.bincount(documents, minlength=len(self)) >= least

    def near(self, first: Spans, second: Spans, distance: int, *, ordered: bool) -> Bools:
        """Return the documents where a place of each lies within so many words of the other."""
        holds = np.zeros(len(self), bool)
        for earlier, later in ((first, second), (second, first))[: 1 if ordered else 2]:
            before, _ = following(earlier, later, distance=distance, segment=self.segment)
            holds[self.segment[earlier.starts[before]] // 2] = True
        return holds

    def _places(self, term: str) -> Ints:
        number = self._number.get(term)
        starts, places = self._index
        return places[:0] if number is None else places[starts[number] : starts[number + 1]]

    def _begun(self, stem: str) -> Ints:
        first = last = bisect_left(self._sorted, stem)
        while last < len(self._sorted) and self._sorted[last].startswith(stem):
            last += 1
        places = map(self._places, self._sorted[first:last])
        return np.sort(np.concatenate([np.empty(0, np.int64), *places]))

    def _part(self, term: str) -> Ints:
        return self._begun(term[:-1]) if term.endswith("*") else self._places(term)

    def _within(self, starts: Ints, length: int, title: bool) -> Spans:
        """Return spans of this length without those that cross into another sequence or lie outside a title."""
        if length > 1:
            starts = starts[self.segment[starts] == self.segment[starts + length - 1]]
        if title:
            starts = starts[self.segment[starts] % 2 == 0]
        return Spans(starts, starts + length - 1)


def following(first: Spans, second: Spans, *, distance: int, segment: Ints) -> tuple[Ints, Ints]:
    """Return places of `first` with one of `second` after them in the same sequence within `distance`, and the nearest.

    The nearest start behind an end decides: where it is too far or in another sequence, so are all others.
    """
    nearest = np.searchsorted(second.starts, first.ends, side="right")
    before = np.flatnonzero(nearest < len(second.starts))
    nearest = nearest[before]
    starts, ends = second.starts[nearest], first.ends[before]
    good = (starts - ends <= distance) & (segment[starts] == segment[ends])
    return before[good], nearest[good]


def _contains(places: Ints, wanted: Ints) -> Bools:
    """Return which of the wanted numbers are among the ascending places."""
    at = np.searchsorted(places, wanted)
    at[at == len(places)] = 0
    return places[at] == wanted if len(places) else np.zeros(len(wanted), bool)
