"""The documents as the rules of one category see them: the words of its dictionary, present or absent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.classifiers.words.presence import presence
from rubricate.native.rules import Holders, RuleExamples, find_covered
from rubricate.native.sparse import Lists
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = ["Cases", "Words"]


@dataclass(frozen=True, eq=False)
class Words:
    """Which words the documents have: what all categories share. Word t is in `holders` from its start to the next."""

    by_document: Sparse
    holder_starts: Ints
    holders: Ints
    weights: Floats

    def sums(self, documents: Bools) -> Floats:
        """Return for each word the weight of those of these documents that have it."""
        return np.asarray(self.by_document.T @ np.where(documents, self.weights, 0.0))

    @classmethod
    def of(cls, X: Any, weights: Floats | None) -> Words:
        """Return the words of documents: whatever is above 0. Documents without weight are left out by the caller."""
        by_document = presence(X)
        by_word = sparse.csc_array(by_document)
        return cls(
            by_document,
            by_word.indptr.astype(np.int64),
            by_word.indices.astype(np.int64),
            np.ones(by_document.shape[0]) if weights is None else weights,
        )


@dataclass(frozen=True, eq=False)
class Cases:
    """The documents as examples of one category, with the words of its dictionary.

    `columns` are the columns of X that the terms stand for, ascending; `choices` is the number of conditions that a
    rule chooses from, which description lengths ask for.
    """

    words: Words
    examples: RuleExamples
    columns: Ints
    choices: int

    @property
    def weights(self) -> Floats:
        """The weight of each document."""
        return self.words.weights

    @property
    def positive(self) -> Bools:
        """Which documents are positive."""
        return self.examples.positive

    @property
    def holders(self) -> Holders:
        """The documents that hold each term."""
        starts = self.words.holder_starts
        return Holders(starts[self.columns], starts[self.columns + 1], self.words.holders)

    def cover(self, conditions: Ints) -> Ints:
        """Return the documents that meet every condition, ascending."""
        present = self.columns[conditions[conditions >= 0]]
        if not len(present):
            return find_covered(self.examples.rows, np.arange(len(self.positive)), conditions)
        begins, ends = self.words.holder_starts[present], self.words.holder_starts[present + 1]
        rarest = np.argmin(ends - begins)
        return find_covered(self.examples.rows, self.words.holders[begins[rarest] : ends[rarest]], conditions)

    def in_columns(self, conditions: Ints) -> Ints:
        """Return conditions on the terms here as conditions on the columns of X."""
        asked = self.columns[np.where(conditions < 0, ~conditions, conditions)]
        return np.where(conditions < 0, ~asked, asked)

    @classmethod
    def of(cls, words: Words, positive: Bools, columns: Ints | None, *, absent: bool) -> Cases:
        """Return the cases of one category with the words of these columns (ascending); None: all words of X.

        Rules that ask for presence alone need no words but those of the positive documents; the others are then left
        out, though each still counts as a choice.
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
        rows = Lists(starts.astype(np.int64, copy=False), terms.astype(np.int32, copy=False))
        examples = RuleExamples(rows, len(columns), positive, words.weights, absent)
        examples.check()
        return cls(words, examples, columns, choices)
