"""Documents and labels in whatever form a program holds them → a label matrix, and how predictions should look."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets

from rubricate.errors import InvalidInput
from rubricate.labels import column, flag_matrix, label_matrix
from rubricate.types import Corpus, Decisions, Documents, Sparse

__all__ = ["Target", "YForm", "count", "given_documents", "ids_of", "refuse_new_categories", "take_target"]

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
    classes = np.unique(np.array(values)) if single else np.empty(0)
    names = categories
    if single and categories is None:
        names = tuple(map(str, classes.tolist()))
    sets = [(str(value),) for value in values] if single else values
    matrix, known = label_matrix(sets, names)
    return Target(matrix, known, "column" if single else "sets", classes if single else np.array(known, dtype=str))


def _is_label(value: Any) -> bool:
    return isinstance(value, (str, bool, int, np.integer)) or (isinstance(value, float) and value == value)


def refuse_new_categories(documents: Documents, known: Sequence[str]) -> None:
    """Raise InvalidInput for documents of categories that a model does not have."""
    used = np.unique(documents.labels.indices)
    new = sorted({documents.categories[column] for column in used} - {*known})
    if new:
        named = ", ".join(new[:5]) + (f" and {len(new) - 5} more" if len(new) > 5 else "")
        raise InvalidInput(
            f"the documents bring categories that the model does not have: {named}. A classifier learns on within its "
            "categories. Fix: train with --keep (or call keep), and update trains anew with all documents"
        )
