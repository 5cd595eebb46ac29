"""The documents of a training beside their labels, and the labels of further documents."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rubricate.errors import InvalidInput
from rubricate.folds import assign_folds, take_rows
from rubricate.labels import MissingLabels, Target, as_target, column, in_columns
from rubricate.text.blocks import Blocks, side_by_side
from rubricate.text.representation import RawRows, Representation
from rubricate.text.weights import arrays
from rubricate.training.cache import Once, documents_digest
from rubricate.types import Corpus, Documents, Edges, Ints, Sparse

__all__ = [
    "Fold",
    "FoldFeatures",
    "Target",
    "TrainingData",
    "VectorsIn",
    "count",
    "further_target",
    "given_documents",
    "ids_of",
    "in_columns",
    "rows_of",
    "take_target",
    "unlabelled_message",
    "without_unlabelled",
]


def given_documents(X: Any) -> Any:
    """Return the documents to learn from: those for training of a corpus; an iterator as a list; else as they are."""
    if isinstance(X, Corpus):
        return X.train
    if hasattr(X, "__array__") and not hasattr(X, "__len__"):
        return np.asarray(X)
    return X if hasattr(X, "__len__") or isinstance(X, str) or not hasattr(X, "__iter__") else list(X)


def count(X: Any) -> int:
    """Return how many documents there are."""
    if isinstance(X, str) or not (hasattr(X, "shape") or hasattr(X, "__len__")):
        kind = type(X).__name__
        raise InvalidInput(
            f"expected a list or column of texts, a matrix or Documents; got {kind}; put a single text in a list"
        )
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def ids_of(X: Any, n: int, start: int = 0) -> Sequence[str]:
    """Return the ids of the documents; their positions from `start` where they have none."""
    return X.ids if isinstance(X, Documents) else [str(i) for i in range(start, start + n)]


def take_target(X: Any, y: Any, categories: tuple[str, ...] | None = None) -> Target:
    """Return the labels of y in any form, or of `Documents` where y is None; `categories` fixes the columns.

    A column in which more than a few labels are missing counts as label sets: no label is then meant.
    """
    target = as_target(X if y is None and isinstance(X, Documents) else y).without_empty_names()
    if target.form == "column" and not np.diff(target.labels.indptr).all() and not len(target.unlabelled_rows()):
        target = replace(target, form="sets", classes=np.array(target.categories, dtype=str))
    return target if categories is None else target.over(categories)


def without_unlabelled(X: Any, target: Target) -> tuple[Any, Target]:
    """Return documents and labels without the few whose missing label looks like an oversight; warn where there are."""
    unlabelled = target.unlabelled_rows()
    if not len(unlabelled) or count(X) != target.labels.shape[0]:
        return X, target
    remedy = "to learn that a document may have none, give a cut such as 'micro_macro', or outside=0.05"
    warnings.warn(f"{unlabelled_message(len(unlabelled), count(X))}; {remedy}", MissingLabels, stacklevel=4)
    rows = np.setdiff1d(np.arange(target.labels.shape[0]), unlabelled)
    return rows_of(X, rows), replace(target, labels=target.labels[rows])


def unlabelled_message(unlabelled: int, documents: int) -> str:
    """Say that documents were left out, and why."""
    return (
        f"{unlabelled:,} of {documents:,} documents have no label and are left out, because all others have exactly one"
    )


def rows_of(X: Any, rows: Ints) -> Any:
    """Return some of the documents, whatever holds them."""
    return take_rows(X if isinstance(X, Documents) or hasattr(X, "shape") else column(X), rows)


def further_target(X: Any, y: Any, *, categories: tuple[str, ...], classes: NDArray[Any]) -> Target:
    """Return the labels of further documents over these categories and new ones.

    Only categories that some document has are new. They stand where a training on all documents would have them: among
    the others, by name, where those are sorted; else behind them, sorted among themselves. A matrix without names has
    the known columns first; it may have more where the categories have no names either.
    """
    given = take_target(X, y)
    if given.form in ("dense", "sparse") and not given.named:
        names = _wider_matrix(given, categories)
        return replace(given, categories=names, classes=_wider_classes(given, names[len(categories) :], classes))
    used = {given.categories[column] for column in np.unique(given.labels.indices)}
    names = (*categories, *sorted(used - {*categories}))
    wider = _wider_classes(given, names[len(categories) :], classes)
    if len(names) > len(categories) and _are_sorted(categories, classes):
        order = np.argsort(wider, kind="stable")
        names, wider = tuple(names[column] for column in order), wider[order]
    return replace(given, labels=in_columns(given.labels, given.categories, names), categories=names, classes=wider)


def _are_sorted(categories: tuple[str, ...], classes: NDArray[Any]) -> bool:
    """Return whether the columns are in the order of their classes; those of a matrix without names are numbers."""
    numbered = classes.dtype.kind in "UO" and categories == tuple(map(str, range(len(categories))))
    return not numbered and bool(np.all(classes[:-1] <= classes[1:]))


def _wider_matrix(given: Target, categories: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the columns of a matrix without names."""
    width, known = given.labels.shape[1], len(categories)
    if width == known:
        return categories
    if width > known and given.categories[:known] == categories:
        return given.categories
    raise InvalidInput(
        f"a label matrix of {width} columns without names, for {known} categories; Fix: give as many columns, a data "
        "frame with the names, or label sets"
    )


def _wider_classes(given: Target, new: tuple[str, ...], classes: NDArray[Any]) -> NDArray[Any]:
    """Return the classes with the new ones behind; new numbers where they are numbers."""
    if not new:
        return classes
    if classes.dtype.kind in "UO":
        return np.concatenate([classes, np.array(new, dtype=str)])
    own = {str(value): value for value in given.classes.tolist()}
    values = np.array([own[name] for name in new])
    if values.dtype.kind != classes.dtype.kind:
        raise InvalidInput(f"the classes so far are {classes.dtype}, these are {values.dtype}; give one kind")
    return np.concatenate([classes, values])


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
class FoldFeatures:
    """The vectors to learn from, their labels, the vectors to score, and the fitted part that made them.

    `Z` is None where there is nothing to score.
    """

    X: Any
    labels: Sparse
    Z: Any
    part: Any


class TrainingData:
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
        Leave out the few documents whose missing label looks like an oversight (`Target.unlabelled_rows`).
    """

    def __init__(
        self,
        X: Any,
        y: Any = None,
        *,
        test: Documents | None = None,
        taxonomy: Edges | None = None,
        leave_out_unlabelled: bool = False,
    ) -> None:
        self.documents = given_documents(X)
        self.target = y if isinstance(y, Target) else take_target(self.documents, y)
        if leave_out_unlabelled:
            self.documents, self.target = without_unlabelled(self.documents, self.target)
        self.test = test
        self.taxonomy = X.taxonomy if taxonomy is None and isinstance(X, Corpus) else taxonomy
        self.origin = (X.name, X.split) if isinstance(X, Corpus) else ("", "")
        if count(self.documents) != self.labels.shape[0]:
            raise InvalidInput(
                f"{count(self.documents)} documents and {self.labels.shape[0]} label sets; give one set per document"
            )
        self._raw, self._shaped, self._assigned = Once(KEPT), Once(KEPT), Once(KEPT)
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

    def fold_ids(self, folds: int, seed: int) -> Ints:
        """Return the fold of each training document."""
        return self._assigned.get((folds, seed), lambda: assign_folds(self.labels, folds, seed=seed))

    def raw(self, representation: Representation) -> RawRows:
        """Return the rows of the training documents before anything is learned from them."""
        return self._read(representation)[0]

    def sample(self, rows: Ints) -> TrainingData:
        """Return the material of some of the training documents; the categories stay."""
        target = replace(self.target, labels=self.labels[rows])
        return TrainingData(rows_of(self.documents, rows), target, taxonomy=self.taxonomy)

    def screened(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return the choice among representations for this key, made once."""
        return self._screened.get(key, make)

    def shaped(
        self, representation: Representation | Blocks, fold: Fold | None, *, vectors_in: VectorsIn = "folds"
    ) -> FoldFeatures:
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

    def _shape(self, representation: Any, fold: Fold | None, vectors_in: VectorsIn) -> FoldFeatures:
        if isinstance(representation, Blocks):
            parts = [self.shaped(part, fold, vectors_in=vectors_in) for part in representation.parts]
            shares = representation.shares
            scored = None if parts[0].Z is None else side_by_side([part.Z for part in parts], shares)
            return FoldFeatures(side_by_side([part.X for part in parts], shares), parts[0].labels, scored, None)
        raw, test_rows = self._read(representation)
        part = representation.part()
        if fold is None:
            with arrays():
                X = part.fit_transform(raw.values, self.labels)
                return FoldFeatures(X, self.labels, None if self.test is None else part.transform(test_rows), part)
        kept, held = self._split(fold)
        if vectors_in == "all":
            whole = self.shaped(representation, None)
            return FoldFeatures(take_rows(whole.X, kept), self.labels[kept], take_rows(whole.X, held), whole.part)
        with arrays():
            X = part.fit_transform(take_rows(raw.values, kept), self.labels[kept])
            return FoldFeatures(X, self.labels[kept], part.transform(take_rows(raw.values, held)), part)

    def _split(self, fold: Fold) -> tuple[Ints, Ints]:
        held = self.fold_ids(fold.folds, fold.seed) == fold.number
        return np.flatnonzero(~held), np.flatnonzero(held)

    def _read(self, representation: Representation) -> tuple[RawRows, Any]:
        """Return the rows of training and test documents."""

        def make() -> tuple[RawRows, Any]:
            raw = representation.read(self.documents)
            return raw, None if self.test is None else raw.of(self.test)

        return self._raw.get(representation.reading_key(), make)
