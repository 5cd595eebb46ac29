"""The documents that a procedure learns from, and what several trainings need of them, made once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.folds import deal, take_rows
from rubricate.text.blocks import Blocks, side_by_side
from rubricate.text.representation import RawRows, Representation
from rubricate.text.sparse_output import arrays
from rubricate.training.cache import Once
from rubricate.training.fingerprint import documents_digest
from rubricate.training.targets import Target, count, given_documents, ids_of, rows_of, take_target, without_strays
from rubricate.types import Corpus, Documents, Edges, Ints, Sparse

__all__ = ["Fold", "Material", "Shaped", "VectorsIn"]

KEPT = 8
"""Sets of vectors, and of rows, that are kept for the trainings to come."""

VectorsIn: TypeAlias = Literal["folds", "all"]
"""Whether selection and weights are learned anew in each fold, or once from all training documents."""


@dataclass(frozen=True)
class Fold:
    """One of `folds` parts, as dealt with a seed."""

    folds: int
    seed: int
    number: int


@dataclass(frozen=True, eq=False)
class Shaped:
    """The vectors to learn from, their labels, the vectors to score, and the fitted part that made them.

    `Z` is None where there is nothing to score.
    """

    X: Any
    labels: Sparse
    Z: Any
    part: Any


class Material:
    """Training documents and labels in any form, test documents where there are some, and the taxonomy.

    Texts are read once per way of reading; folds, and the vectors of each representation and fold, are made once.
    Nothing of the test documents reaches what is learned.

    Parameters
    ----------
    X, y
        The training documents: `Documents`, a `Corpus` (those for training), texts or vectors with labels; y may be
        a `Target`.
    test
        Documents to be scored by what was learned from all training documents.
    taxonomy
        (parent, child) pairs of the categories; by default those of the corpus.
    leave_out_strays
        Leave out the few documents whose missing label looks like an oversight (`Target.stray_rows`).
    """

    def __init__(
        self,
        X: Any,
        y: Any = None,
        *,
        test: Documents | None = None,
        taxonomy: Edges | None = None,
        leave_out_strays: bool = False,
    ) -> None:
        self.documents = given_documents(X)
        self.target = y if isinstance(y, Target) else take_target(self.documents, y)
        if leave_out_strays:
            self.documents, self.target = without_strays(self.documents, self.target)
        self.test = test
        self.taxonomy = X.taxonomy if taxonomy is None and isinstance(X, Corpus) else taxonomy
        self.origin = (X.name, X.split) if isinstance(X, Corpus) else ("", "")
        if count(self.documents) != self.labels.shape[0]:
            raise InvalidInput(
                f"{count(self.documents)} documents and {self.labels.shape[0]} label sets; give one set per document"
            )
        self._raw, self._shaped, self._dealt = Once(KEPT), Once(KEPT), Once(KEPT)
        self._screened = Once(KEPT)

    @property
    def labels(self) -> Sparse:
        """Labels of the training documents."""
        return self.target.labels

    @property
    def categories(self) -> tuple[str, ...]:
        """Names of the categories."""
        return self.target.categories

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Ids of the training documents."""
        return tuple(map(str, ids_of(self.documents, self.labels.shape[0])))

    @cached_property
    def train_counts(self) -> Ints:
        """Training documents of each category."""
        return np.bincount(self.labels.indices, minlength=self.labels.shape[1])

    @cached_property
    def single_label(self) -> bool:
        """Whether every training document has exactly one label."""
        return bool(np.all(np.diff(self.labels.indptr) == 1))

    @cached_property
    def train_digest(self) -> str:
        """Hash of the training documents."""
        return documents_digest(self.documents)

    @cached_property
    def test_digest(self) -> str:
        """Hash of the test documents."""
        return "" if self.test is None else documents_digest(self.test)

    def dealt(self, folds: int, seed: int) -> Ints:
        """Return the fold of each training document."""
        return self._dealt.get((folds, seed), lambda: deal(self.labels, folds, seed=seed))

    def raw(self, representation: Representation) -> RawRows:
        """Return the rows of the training documents before anything is learned from them."""
        return self._read(representation)[0]

    def sample(self, rows: Ints) -> Material:
        """Return the material of some of the training documents; the categories stay."""
        target = replace(self.target, labels=self.labels[rows])
        return Material(rows_of(self.documents, rows), target, taxonomy=self.taxonomy)

    def screened(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return the choice among representations for this key, made once."""
        return self._screened.get(key, make)

    def shaped(
        self, representation: Representation | Blocks, fold: Fold | None, *, vectors_in: VectorsIn = "folds"
    ) -> Shaped:
        """Return vectors of the documents outside the fold and of those in it; without a fold of all and the test set.

        Selection and weights are learned from the former alone, unless `vectors_in` is "all".
        """
        key = (representation.key(), fold, vectors_in if fold else "all")
        return self._shaped.get(key, lambda: self._shape(representation, fold, vectors_in))

    def fitted(self, representation: Any) -> Any:
        """Return the representation learned from all training documents."""
        if isinstance(representation, Blocks):
            return representation.joined([self.fitted(part) for part in representation.parts])
        return representation.assembled(self.raw(representation), self.shaped(representation, None).part)

    def _shape(self, representation: Any, fold: Fold | None, vectors_in: VectorsIn) -> Shaped:
        if isinstance(representation, Blocks):
            parts = [self.shaped(part, fold, vectors_in=vectors_in) for part in representation.parts]
            shares = representation.shares
            scored = None if parts[0].Z is None else side_by_side([part.Z for part in parts], shares)
            return Shaped(side_by_side([part.X for part in parts], shares), parts[0].labels, scored, None)
        raw, test_rows = self._read(representation)
        part = representation.part()
        if fold is None:
            with arrays():
                X = part.fit_transform(raw.values, self.labels)
                return Shaped(X, self.labels, None if self.test is None else part.transform(test_rows), part)
        kept, held = self._split(fold)
        if vectors_in == "all":
            whole = self.shaped(representation, None)
            return Shaped(take_rows(whole.X, kept), self.labels[kept], take_rows(whole.X, held), whole.part)
        with arrays():
            X = part.fit_transform(take_rows(raw.values, kept), self.labels[kept])
            return Shaped(X, self.labels[kept], part.transform(take_rows(raw.values, held)), part)

    def _split(self, fold: Fold) -> tuple[Ints, Ints]:
        held = self.dealt(fold.folds, fold.seed) == fold.number
        return np.flatnonzero(~held), np.flatnonzero(held)

    def _read(self, representation: Representation) -> tuple[RawRows, Any]:
        """Return the rows of training and test documents."""

        def make() -> tuple[RawRows, Any]:
            raw = representation.read(self.documents)
            return raw, None if self.test is None else raw.of(self.test)

        return self._raw.get(representation.reading_key(), make)
