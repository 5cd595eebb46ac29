"""The documents as the rules of one category see them: the words of its dictionary, present or absent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.classifiers.words.presence import presence
from rubricate.kernels.rule_cover import covered
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = ["Cases", "Words", "cases_of", "words_of"]


@dataclass(frozen=True, eq=False)
class Words:
    """Which words the documents have: what all categories share. Word t is in `holders` from its start to the next."""

    by_document: Sparse
    holder_starts: Ints
    holders: Ints
    weights: Floats

    def sums(self, documents: Bools) -> Floats:
        """For each word the weight of those of these documents that have it."""
        return np.asarray(self.by_document.T @ np.where(documents, self.weights, 0.0))


@dataclass(frozen=True, eq=False)
class Cases:
    """The documents of one category's dictionary by row (`starts`, `terms`); which of them are positive.

    `columns` are the columns of X that the terms stand for, ascending; `choices` is the number of conditions that a
    rule chooses from, which description lengths ask for.
    """

    words: Words
    starts: Ints
    terms: NDArray[np.int32]
    columns: Ints
    positive: Bools
    choices: int

    @property
    def weights(self) -> Floats:
        """The weight of each document."""
        return self.words.weights

    def cover(self, conditions: Ints) -> Ints:
        """The documents that meet every condition, ascending."""
        present = self.columns[conditions[conditions >= 0]]
        if not len(present):
            return covered(self.starts, self.terms, np.arange(len(self.positive)), conditions)
        begins, ends = self.words.holder_starts[present], self.words.holder_starts[present + 1]
        rarest = np.argmin(ends - begins)
        holders = self.words.holders[begins[rarest] : ends[rarest]]
        return covered(self.starts, self.terms, holders, conditions)

    def in_columns(self, conditions: Ints) -> Ints:
        """Conditions on the terms here as conditions on the columns of X."""
        asked = self.columns[np.where(conditions < 0, ~conditions, conditions)]
        return np.where(conditions < 0, ~asked, asked)


def words_of(X: Any, weights: Floats | None) -> Words:
    """The words of documents: whatever is above 0. Documents without weight are left out by the caller."""
    found = presence(X)
    by_word = sparse.csc_array(found)
    return Words(
        found,
        by_word.indptr.astype(np.int64),
        by_word.indices.astype(np.int64),
        np.ones(found.shape[0]) if weights is None else weights,
    )


def cases_of(words: Words, positive: Bools, columns: Ints | None, *, absent: bool) -> Cases:
    """The cases of one category with the words of these columns (ascending); None: all words of X.

    Rules that ask for presence alone need no words but those of the positive documents; the others are then left out,
    though each still counts as a choice.
    """
    X = words.by_document
    choices = (X.shape[1] if columns is None else len(columns)) * (2 if absent else 1)
    if columns is None and absent:
        starts, terms, columns = X.indptr, X.indices, np.arange(X.shape[1])
    else:
        if columns is None:
            columns = np.unique(X[np.flatnonzero(positive)].indices)
        place = np.full(X.shape[1], -1, np.int32)
        place[columns] = np.arange(len(columns))
        terms = place[X.indices]
        known = terms >= 0
        starts, terms = np.concatenate([[0], np.cumsum(known)])[X.indptr], terms[known]
    return Cases(
        words, starts.astype(np.int64, copy=False), terms.astype(np.int32, copy=False), columns, positive, choices
    )
