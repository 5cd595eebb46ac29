"""Compile word lists into the tables that the compiled writer expands.

A line becomes a sequence of operations: literal text and slots. A slot is a phrase of the story's topic, a made-up
name, a number, a part of the date, or another list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from rubricate.corpora.newswire_maker import wordlists
from rubricate.native import newswire as words

__all__ = ["Compiled", "compiled", "longest"]

_SLOT = re.compile(r"\{([^}]*)\}|([@&])")
_NAMES = {"Firm": 0, "Person": 1, "Place": 2, "@": 3, "&": 4}
_NUMBERS = {"percent": 0, "count": 1}
_DATES = {"month": 0, "day": 1}

_LONGEST_NAME, _LONGEST_NUMBER, _LONGEST_DATE = 12, 4, 9
_WHOLE = 720_720  # has the divisors 1 … 16, so that the first ranks are exact

Operation = tuple[int, int]


@dataclass
class _Book:
    """Pieces, and lists by name: each a list of sequences."""

    pieces: dict[str, int] = field(default_factory=dict)
    lists: dict[str, list[list[Operation]]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)

    def piece(self, text: str) -> int:
        return self.pieces.setdefault(text, len(self.pieces))

    def number(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))

    def slot(self, name: str) -> Operation:
        for operation, known in ((words.NAME, _NAMES), (words.NUMBER, _NUMBERS), (words.DATE, _DATES)):
            if name in known:
                return operation, known[name]
        if name in words.KINDS:
            return words.TOPIC, words.KINDS.index(name)
        return words.LIST, self.number(name)

    def sequence(self, line: str) -> list[Operation]:
        operations, at = [], 0
        for match in _SLOT.finditer(line):
            if match.start() > at:
                operations.append((words.LITERAL, self.piece(line[at : match.start()])))
            operations.append(self.slot(match.group(1) or match.group(2)))
            at = match.end()
        if at < len(line):
            operations.append((words.LITERAL, self.piece(line[at:])))
        return operations

    def add(self, name: str, lines: Iterable[str]) -> None:
        self.number(name)
        self.lists[name] = [self.sequence(line) for line in lines]


@dataclass(frozen=True)
class Compiled:
    """The grammar, the number of each list by name, and the length of the longest story in bytes."""

    grammar: words.Grammar
    numbers: dict[str, int]
    longest: int


def compiled() -> Compiled:
    """Compile all word lists into tables."""
    book = _Book()
    starts = [_consecutive(book, part) for part in wordlists.syllables()]
    months = [book.piece(month) for month in wordlists.months()]
    for name, lines in wordlists.frames().items():
        book.add(name, lines)
    for topic in wordlists.topics().values():
        for kind, source in zip(words.KINDS, ("actors", "things", "deeds"), strict=False):
            book.add(f"{topic.name}: {kind}", topic.fields[source])
        if "made" in topic.fields:
            book.add(f"{topic.name}: made", topic.fields["made"] + topic.fields["traits"])
    return Compiled(_tables(book, starts, months), book.numbers, longest(book))


def _consecutive(book: _Book, syllables: list[str]) -> int:
    """Number the syllables in a row, marked so that no other text shares their pieces; return the first number."""
    first = len(book.pieces)
    for k, syllable in enumerate(syllables):
        book.pieces[f"{first + k}\0{syllable}"] = first + k
    return first


def _running(lengths: Iterable[int]) -> np.ndarray:
    return np.asarray(list(accumulate(lengths, initial=0)), np.int64)


def _tables(book: _Book, syllables: list[int], months: list[int]) -> words.Grammar:
    missing = sorted(book.numbers.keys() - book.lists.keys())
    if missing:
        raise LookupError(f"word lists of newswire: slots without a list: {', '.join(missing)}")
    texts = [text.rpartition("\0")[2].encode("ascii") for text in book.pieces]
    lists = [book.lists[name] for name in sorted(book.numbers, key=book.numbers.__getitem__)]
    sequences = [sequence for listed in lists for sequence in listed]
    operations = np.asarray([pair for sequence in sequences for pair in sequence], np.int64)
    longest_list = max(map(len, lists))
    return words.Grammar(
        blob=np.frombuffer(b"".join(texts), np.uint8),
        pieces=_running(map(len, texts)),
        operations=np.ascontiguousarray(operations[:, 0]),
        arguments=np.ascontiguousarray(operations[:, 1]),
        sequences=_running(map(len, sequences)),
        lists=_running(map(len, lists)),
        ranks=_running(_WHOLE // rank for rank in range(1, longest_list + 1)),
        syllables=np.asarray(syllables, np.int64),
        months=np.asarray(months, np.int64),
        opening=book.numbers["opening"],
    )


def longest(book: _Book) -> int:
    """Return an upper bound of the bytes of a story: title, dateline, a lead and seven more sentences."""
    texts = list(book.pieces)
    fixed = {words.NAME: _LONGEST_NAME, words.NUMBER: _LONGEST_NUMBER, words.DATE: _LONGEST_DATE}
    names = sorted(book.numbers, key=book.numbers.__getitem__)
    known: dict[str, int] = {}

    def of_list(name: str) -> int:
        if name not in known:
            known[name] = max(sum(map(of_operation, sequence)) for sequence in book.lists[name])
        return known[name]

    def of_kind(kind: str) -> int:
        others = ("made",) if kind == "thing" else ()
        return max(of_list(n) for n in book.lists if n.partition(": ")[2] in (kind, *others))

    def of_operation(operation: Operation) -> int:
        kind, argument = operation
        if kind == words.LITERAL:
            return len(texts[argument])
        if kind == words.LIST:
            return of_list(names[argument])
        return of_kind(words.KINDS[argument]) if kind == words.TOPIC else fixed[kind]

    return of_kind("title") + of_list("opening") + of_kind("lead") + 7 * of_kind("follow") + 8
