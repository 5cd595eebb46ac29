"""Documents and labels in whatever form a program holds them → a label matrix, and how predictions should look."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets

from rubricate.errors import InvalidInput
from rubricate.labels import column, flag_matrix, label_matrix
from rubricate.types import Corpus, Decisions, Documents, Sparse

__all__ = ["Target", "YForm", "count", "further_target", "given_documents", "ids_of", "in_columns", "take_target"]

YForm: TypeAlias = Literal["column", "sets", "dense", "sparse"]


@dataclass(frozen=True, eq=False)
class Target:
    """Labels, the names of their columns, the form they came in, and the classes of a column."""

    labels: Sparse
    categories: tuple[str, ...]
    form: YForm
    classes: NDArray[Any]

    def check(self) -> None:
        """Raise where there is nothing to learn: too few documents, no label, or the same labels throughout."""
        documents = self.labels.shape[0]
        held = np.bincount(self.labels.indices, minlength=len(self.categories))
        if documents < 2:
            raise InvalidInput(
                f"{documents} document to learn from (n_samples={documents}); a categorizer needs 2 or more"
            )
        if not held.any():
            raise InvalidInput("none of the documents has a label; there is nothing to learn")
        if np.all((held == 0) | (held == documents)):
            names = ", ".join(name for name, n in zip(self.categories, held, strict=True) if n)
            raise InvalidInput(
                f"all {documents} documents have the same labels (1 class, {names:.80}), so there is nothing to tell "
                "apart; give documents of other categories too, or without a label"
            )


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
    """Return the labels of y, or of `Documents` where y is None; `categories` fixes the columns.

    A column of single labels (strings, or numbers) stays a column; a list or column of label sets may hold None for
    documents without labels; matrices, sparse or dense, may be data frames with names; rows of 0 and 1 are a matrix.
    """
    if y is None and isinstance(X, Documents):
        y = Decisions(X.labels, X.categories, X.ids)
    if y is None:
        raise InvalidInput("requires y to be passed, but the target y is None: give labels beside the texts")
    y = _plain(y)
    if isinstance(y, Decisions):
        return _named(y.values, y.categories, "sets", categories=categories)
    if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1 and not sparse.issparse(y):
        message = "A column-vector y was passed when a 1d array was expected; give y.ravel()"
        warnings.warn(message, DataConversionWarning, stacklevel=3)
        return _from_column(np.asarray(y).ravel().tolist(), categories)
    if sparse.issparse(y) or getattr(y, "ndim", 1) == 2 or hasattr(y, "columns"):
        names = tuple(map(str, y.columns)) if hasattr(y, "columns") and not sparse.issparse(y) else None
        matrix, known = label_matrix(y if sparse.issparse(y) else np.asarray(y), names or categories)
        return _named(matrix, known, "sparse" if sparse.issparse(y) else "dense", categories=categories)
    return _from_column(column(y), categories)


def _plain(y: Any) -> Any:
    """Return rows of flags as a matrix, and what only NumPy can read as an array."""
    if hasattr(y, "__array__") and not hasattr(y, "__iter__"):
        return np.asarray(y)
    if (
        isinstance(y, (list, tuple))
        and y
        and all(isinstance(row, np.ndarray) and row.dtype.kind in "biuf" for row in y)
    ):
        y = [row.tolist() for row in y]
    return flag_matrix(y)


def _named(matrix: Any, names: tuple[str, ...], form: YForm, *, categories: tuple[str, ...] | None) -> Target:
    if categories is not None and names != categories:
        sets = [[names[c] for c in row] for row in np.split(matrix.indices, matrix.indptr[1:-1])]
        matrix, names = label_matrix(sets, categories)
    return Target(sparse.csr_array(matrix, dtype=bool), names, form, np.array(names, dtype=str))


def _from_column(values: list[Any], categories: tuple[str, ...] | None) -> Target:
    single = all(_is_label(value) for value in values)
    if single and len({isinstance(value, str) for value in values}) > 1:
        raise InvalidInput("the labels mix strings and numbers; give them all as strings")
    if any(isinstance(value, complex) for value in values):
        raise InvalidInput("Complex data not supported: labels are names, whole numbers or sets of those")
    if single and values:
        check_classification_targets(np.array(values))
    if not single:
        matrix, known = label_matrix(values, categories)
        return Target(matrix, known, "sets", np.array(known, dtype=str))
    classes, columns = np.unique(np.array(values), return_inverse=True)
    names = tuple(map(str, classes.tolist()))
    if categories is None and "" not in names:
        cells = (np.ones(len(values), bool), columns.astype(np.int32), np.arange(len(values) + 1))
        return Target(sparse.csr_array(cells, shape=(len(values), len(names))), names, "column", classes)
    matrix, known = label_matrix([(str(value),) for value in values], names if categories is None else categories)
    return Target(matrix, known, "column", classes)


def _is_label(value: Any) -> bool:
    return isinstance(value, (str, bool, int, np.integer)) or (isinstance(value, float) and value == value)


def further_target(X: Any, y: Any, *, categories: tuple[str, ...], classes: NDArray[Any]) -> Target:
    """Return the labels of further documents over these categories and new ones.

    Only categories that some document has are new. They stand where a training on all documents would have them: among
    the others, by name, where those are sorted; else behind them, sorted among themselves. A matrix without names has
    the known columns first; it may have more where the categories have no names either.
    """
    given = take_target(X, y)
    if given.form in ("dense", "sparse") and not _is_named(y):
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


def in_columns(labels: Sparse, names: tuple[str, ...], known: tuple[str, ...]) -> Sparse:
    """Return labels over other categories; those left out must have no documents."""
    if names == known:
        return labels
    place = {name: i for i, name in enumerate(known)}
    moved = np.array([place.get(name, 0) for name in names], dtype=np.int64)
    matrix = sparse.csr_array((labels.data, moved[labels.indices], labels.indptr), shape=(labels.shape[0], len(known)))
    matrix.sort_indices()
    return matrix


def _is_named(y: Any) -> bool:
    return y is None or hasattr(y, "columns")


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
