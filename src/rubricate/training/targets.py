"""The documents of a training beside their labels, and the labels of further documents."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubricate.errors import InvalidInput
from rubricate.folds import take_rows
from rubricate.labels import MissingLabels, Target, as_target, column, in_columns
from rubricate.types import Corpus, Documents, Ints

__all__ = [
    "Target",
    "count",
    "further_target",
    "given_documents",
    "ids_of",
    "in_columns",
    "rows_of",
    "stray_message",
    "take_target",
    "without_strays",
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
    if target.form == "column" and not np.diff(target.labels.indptr).all() and not len(target.stray_rows()):
        target = replace(target, form="sets", classes=np.array(target.categories, dtype=str))
    return target if categories is None else target.over(categories)


def without_strays(X: Any, target: Target) -> tuple[Any, Target]:
    """Return documents and labels without the few whose missing label looks like an oversight; warn where there are."""
    strays = target.stray_rows()
    if not len(strays) or count(X) != target.labels.shape[0]:
        return X, target
    remedy = "to learn that a document may have none, give a cut such as 'micro_macro', or outside=0.05"
    warnings.warn(f"{stray_message(len(strays), count(X))}; {remedy}", MissingLabels, stacklevel=4)
    rows = np.setdiff1d(np.arange(target.labels.shape[0]), strays)
    return rows_of(X, rows), replace(target, labels=target.labels[rows])


def stray_message(strays: int, documents: int) -> str:
    """Say that documents were left out, and why."""
    return f"{strays:,} of {documents:,} documents have no label and are left out, because all others have exactly one"


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
