"""A matrix documents × terms as a source for rules: words by the names of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.rules.passages import MARK
from rubricate.types import Bools, Floats, Ints

__all__ = ["Columns"]


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
