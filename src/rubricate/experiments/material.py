"""The documents of a study, and what several trials need of them, made once: terms, folds, vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone

from rubricate.experiments.fingerprint import documents_digest
from rubricate.experiments.once import Once
from rubricate.folds import _rows as rows_of
from rubricate.folds import stratified_folds
from rubricate.text.representation import Representation, source_of
from rubricate.types import Documents, Edges, Ints, Sparse

__all__ = ["Fold", "Material", "Shaped"]

KEPT = 8
"""Sets of vectors, and of terms, that are kept for the trials to come."""


@dataclass(frozen=True)
class Fold:
    """One of `folds` parts, as dealt with a seed."""

    folds: int
    seed: int
    number: int


@dataclass(frozen=True, eq=False)
class Shaped:
    """The vectors to learn from, their labels, and the vectors to be scored."""

    X: Any
    labels: Sparse
    Z: Any


class Material:
    """Training documents with labels, test documents where there are some, and the taxonomy of the categories.

    Nothing of the test documents reaches what is learned.
    """

    def __init__(self, train: Documents, test: Documents | None = None, *, taxonomy: Edges | None = None) -> None:
        self.train, self.test, self.taxonomy = train, test, taxonomy
        self._read, self._shaped, self._dealt = Once(KEPT), Once(KEPT), Once(KEPT)

    @property
    def labels(self) -> Sparse:
        """The labels of the training documents."""
        return self.train.labels

    @cached_property
    def train_digest(self) -> str:
        """The hash of the training documents."""
        return documents_digest(self.train)

    @cached_property
    def test_digest(self) -> str:
        """The hash of the test documents."""
        return "" if self.test is None else documents_digest(self.test)

    def dealt(self, folds: int, seed: int) -> Ints:
        """The fold of each training document."""
        return self._dealt.get((folds, seed), lambda: stratified_folds(self.labels, folds, seed=seed))

    def shaped(self, settings: Representation, fold: Fold | None) -> Shaped:
        """Vectors of the documents outside the fold and of those in it; without a fold of all, and of the test set.

        Selection and weights are learned from the former alone.
        """
        key = (repr(settings), fold)
        return self._shaped.get(key, lambda: self._shape(settings, fold))

    def _shape(self, settings: Representation, fold: Fold | None) -> Shaped:
        rows, test_rows, _ = self._rows(settings)
        part = settings.part()
        if fold is None:
            X = part.fit_transform(rows, self.labels)
            return Shaped(X, self.labels, part.transform(test_rows) if self.test is not None else X[:0])
        held = self.dealt(fold.folds, fold.seed) == fold.number
        kept, out = np.flatnonzero(~held), np.flatnonzero(held)
        X = part.fit_transform(rows_of(rows, kept), self.labels[kept])
        return Shaped(X, self.labels[kept], part.transform(rows_of(rows, out)))

    def names(self, settings: Representation) -> Sequence[str] | None:
        """The terms that the vectors of all training documents stand on, where they have names."""
        fitted = self.reading(settings)
        fitted.settle(self._rows(settings)[0], self.labels)
        return fitted.names()

    def reading(self, settings: Representation) -> Representation:
        """The representation as it is when the training documents have been read and nothing is learned yet."""
        made = clone(settings)
        made._reader = self._rows(settings)[2]
        return made

    def _rows(self, settings: Representation) -> tuple[Any, Any, Any]:
        """The rows of training and test documents, and the reader; text is read once for each analyzer."""
        source = source_of(settings.weights)
        key = (source, repr(settings.analyzer), settings.min_df if source == "counts" else None)
        return self._read.get(key, lambda: self._read_rows(settings, source))

    def _read_rows(self, settings: Representation, source: str) -> tuple[Any, Any, Any]:
        rows = settings.read(self.train)
        reader = settings._reader if source == "counts" else None
        if self.test is None:
            return rows, None, reader
        return rows, settings.read(self.test) if reader is None else reader.transform(self.test), reader
