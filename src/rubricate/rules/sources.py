"""What rules are matched against: matrices of documents × terms, and documents as sequences of words."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.native.text import find_places
from rubricate.rules.form import All, AtLeast, Condition, Either, Near, Not, Phrase, Prefix, RuleBase, Title, Word
from rubricate.rules.parser import walk
from rubricate.types import Bools, Documents, Floats, Ints, Terms

__all__ = ["Analyzing", "Columns", "Passages", "Spans", "analysed", "following"]

Leaf: TypeAlias = Word | Prefix | Phrase


class Analyzing(Protocol):
    """What makes terms of texts, such as an `Analyzer`."""

    def terms(self, documents: Sequence[str]) -> Terms:
        """Return the terms of each text."""
        ...


def analysed(base: RuleBase, analyzer: Analyzing) -> RuleBase:
    """Return the base with the words of hand-written rules and macros as the analyzer makes them.

    A word that becomes several terms is a phrase (`third-quarter`); one of which nothing is left (a stop word) is
    refused. Prefixes are folded and not stemmed. Learned rules, which have counts, hold terms already.

    >>> from rubricate.text import Analyzer
    >>> from rubricate.rules.parser import parse_rules
    >>> base = parse_rules("crude if Third-quarter and EXPORT*; crude if OPEC [9 right, 1 wrong];")
    >>> [rule.condition for rule in analysed(base, Analyzer(stem=None, stop=None)).rules]
    [All(conditions=(Phrase(terms=('third', 'quarter')), Prefix(stem='export'))), Word(term='OPEC')]
    """
    written = [rule.condition for rule in base.rules if rule.positives is None]
    written += [condition for _, condition in base.macros]
    texts = list(dict.fromkeys(text for condition in written for text in _texts(condition)))
    analysis = analyzer.terms(texts)
    terms = {
        text: tuple(analysis.words[i] for i in analysis.ids[analysis.starts[t] : analysis.starts[t + 1]])
        for t, text in enumerate(texts)
    }

    def made(leaf: Leaf) -> Condition:
        return _made(leaf, terms)

    rules = [
        replace(rule, condition=_mapped(rule.condition, made)) if rule.positives is None else rule
        for rule in base.rules
    ]
    macros = tuple((name, _mapped(condition, made)) for name, condition in base.macros)
    return RuleBase(tuple(rules), macros, base.analyzer)


def _texts(condition: Condition) -> list[str]:
    """Return the words and starred parts that the condition names, without the stars."""
    texts: list[str] = []
    for part in walk(condition):
        if isinstance(part, Phrase):
            texts.extend(term.removesuffix("*") for term in part.terms)
        elif isinstance(part, (Word, Prefix)):
            texts.append(part.term if isinstance(part, Word) else part.stem)
    return texts


def _made(leaf: Leaf, terms: Mapping[str, tuple[str, ...]]) -> Condition:
    match leaf:
        case Prefix(stem):
            return Prefix(_beginning(stem, terms))
        case Word(term):
            made = terms[term]
        case Phrase(parts):
            made = ()
            for part in parts:
                stem = part.removesuffix("*")
                made += terms[part] if stem == part else (f"{_beginning(stem, terms)}*",)
    if not made:
        shown = leaf.term if isinstance(leaf, Word) else " ".join(leaf.terms)
        raise InvalidInput(
            f"the analyzer leaves nothing of {shown!r} (a stop word, too short, or no letters); take the word out of "
            "the rules, or set 'analyzer stop = none, min_length = 1;'"
        )
    if len(made) > 1:
        return Phrase(made)
    return Prefix(made[0][:-1]) if isinstance(leaf, Phrase) and made[0].endswith("*") else Word(made[0])


def _beginning(stem: str, terms: Mapping[str, tuple[str, ...]]) -> str:
    if len(terms[stem]) > 1:
        raise InvalidInput(f"the prefix {stem + '*'!r} is more than one word; write the words before it in a phrase")
    return stem.lower()


def _mapped(condition: Condition, replacement: Callable[[Leaf], Condition]) -> Condition:
    """Return the condition with every word, prefix and phrase replaced."""
    match condition:
        case Word() | Prefix() | Phrase():
            return replacement(condition)
        case All(conditions) | Either(conditions):
            return type(condition)(tuple(_mapped(part, replacement) for part in conditions))
        case Not(part) | Title(part) | AtLeast(_, part):
            return replace(condition, condition=_mapped(part, replacement))
        case Near(first, second):
            return replace(condition, first=_mapped(first, replacement), second=_mapped(second, replacement))
    return condition


class Columns:
    """A matrix, dense or sparse, whose columns have names; an entry other than 0 means that the term occurs.

    A phrase is the column named `a b`, a word in the title the column `title:a`, as an `Analyzer` with ngrams and
    marked titles names them; a matrix without any such column cannot answer and says so. A term that has no column
    occurs nowhere. Counts of 2 or more want a matrix of counts. Nothing is known of order, so `near` is refused.
    """

    def __init__(self, X: Any, names: Sequence[str]) -> None:
        self.matrix = sparse.csc_array(X)
        self.names = names if isinstance(names, list) else [str(name) for name in names]
        if self.matrix.shape[1] != len(self.names):
            raise InvalidInput(f"{len(self.names)} names for {self.matrix.shape[1]} columns; give one per column")

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def take(self, documents: Sequence[int]) -> Columns:
        """Return some of the documents, in this order."""
        columns = Columns(self._rows[list(documents)], self.names)
        columns.__dict__.update(_number=self._number, _phrases=self._phrases)  # the columns are the same
        return columns

    @cached_property
    def _rows(self) -> sparse.csr_array:
        return sparse.csr_array(self.matrix)

    @cached_property
    def _number(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def _phrases(self) -> dict[tuple[int, bool], list[tuple[list[str], int]]]:
        """Return the columns of phrases by length and whether they are of titles."""
        phrases: dict[tuple[int, bool], list[tuple[list[str], int]]] = {}
        for number, name in enumerate(self.names):
            title = name.startswith(MARK)
            terms = name.removeprefix(MARK).split(" ")
            phrases.setdefault((len(terms), title), []).append((terms, number))
        return phrases

    def word(self, term: str, *, title: bool) -> Ints:
        """Return the column of a term."""
        self._need(title, length=1)
        return self._column(f"{MARK}{term}" if title else term)

    def prefix(self, stem: str, *, title: bool) -> Ints:
        """Return the columns of the terms with this beginning."""
        self._need(title, length=1)
        numbers = [number for terms, number in self._phrases.get((1, title), ()) if terms[0].startswith(stem)]
        return np.array(numbers, np.int64)

    def phrase(self, terms: tuple[str, ...], *, title: bool) -> Ints:
        """Return the columns of a phrase."""
        self._need(title, length=len(terms))
        if not any(term.endswith("*") for term in terms):
            return self._column((MARK if title else "") + " ".join(terms))
        known = self._phrases.get((len(terms), title), ())
        return np.array([number for phrase_terms, number in known if all(map(_matches, terms, phrase_terms))], np.int64)

    def union(self, parts: Sequence[Ints]) -> Ints:
        """Return the columns of any of them, each once."""
        return np.unique(np.concatenate(parts))

    def some(self, columns: Ints, least: int) -> Bools:
        """Return the documents with at least so many occurrences."""
        starts = self.matrix.indptr
        parts = [slice(starts[c], starts[c + 1]) for c in columns.tolist()]
        documents = np.concatenate([np.empty(0, np.int64), *(self.matrix.indices[part] for part in parts)])
        values = np.concatenate([np.empty(0), *(self.matrix.data[part] for part in parts)])
        if least > 1:
            _check_counts(values)
            return np.bincount(documents, values, minlength=len(self)) >= least
        holds = np.zeros(len(self), bool)
        holds[documents[values != 0]] = True
        return holds

    def near(self, first: Ints, second: Ints, distance: int, *, ordered: bool) -> Bools:
        """Raise InvalidInput: a matrix has no order."""
        raise InvalidInput(
            "near/N and before/N ask for the order of words, which a matrix does not keep; run the rules on texts"
        )

    def _column(self, name: str) -> Ints:
        number = self._number.get(name)
        return np.array([] if number is None else [number], np.int64)

    def _need(self, title: bool, *, length: int) -> None:
        """Raise InvalidInput where no column can answer."""
        if title and not any(marked for _, marked in self._phrases):
            raise InvalidInput(
                "the rules ask for words in titles, but no column is named like 'title:wheat'; run them on texts, or "
                'make the matrix with Analyzer(title="mark")'
            )
        if length > 1 and (length, title) not in self._phrases:
            raise InvalidInput(
                f"the rules ask for a phrase of {length} words, but no column is named like "
                f"'{MARK * title}{' '.join('abcdefghi'[:length])}'; run them on texts, or make the matrix with "
                f"Analyzer(ngrams=(1, {length}))"
            )


def _matches(wanted: str, term: str) -> bool:
    return term.startswith(wanted[:-1]) if wanted.endswith("*") else term == wanted


def _check_counts(values: Floats) -> None:
    if np.any(values < 0) or np.any(values != np.rint(values)):
        raise InvalidInput(
            "the rules ask how often words occur (>= N), but the matrix holds weights; give a matrix of counts"
        )


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
