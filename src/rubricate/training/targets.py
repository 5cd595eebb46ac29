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

__all__ = ["Target", "YForm", "count", "given_documents", "ids_of", "take_target"]

YForm: TypeAlias = Literal["column", "sets", "dense", "sparse"]


@dataclass(frozen=True, eq=False)
class Target:
    """Labels, the names of their columns, the form in which they came, and the classes of a column."""

    labels: Sparse
    categories: tuple[str, ...]
    form: YForm
    classes: NDArray[Any]


def given_documents(X: Any) -> Any:
    """The documents to learn from: those for training of a corpus; an iterator as a list; else as they are."""
    if isinstance(X, Corpus):
        return X.train
    if hasattr(X, "__array__") and not hasattr(X, "__len__"):
        return np.asarray(X)
    return X if hasattr(X, "__len__") or isinstance(X, str) or not hasattr(X, "__iter__") else list(X)


def count(X: Any) -> int:
    """How many documents there are."""
    if isinstance(X, str) or not (hasattr(X, "shape") or hasattr(X, "__len__")):
        kind = type(X).__name__
        raise InvalidInput(
            f"expected a list or column of texts, a matrix or Documents; got {kind}; put a single text in a list"
        )
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def ids_of(X: Any, n: int, start: int = 0) -> Sequence[str]:
    """The ids of the documents; their positions from 0 where they have none."""
    return X.ids if isinstance(X, Documents) else [str(i) for i in range(start, start + n)]


def take_target(X: Any, y: Any, categories: tuple[str, ...] | None = None) -> Target:
    """The labels of y, or of `Documents` where y is None; `categories` fixes the columns.

    A column of single labels (strings, or numbers) stays a column; a list or column of label sets may hold None for
    documents without labels; matrices, sparse or dense, may be data frames with names; rows of 0 and 1 are a matrix.
    """
    if y is None and isinstance(X, Documents):
        y = Decisions(X.labels, X.categories, X.ids)
    if y is None:
        raise InvalidInput("requires y to be passed, but the target y is None: give labels beside the texts")
    y = _plain(y)
    if isinstance(y, Decisions):
        return _named(y.values, y.categories, "sets", categories)
    if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1 and not sparse.issparse(y):
        message = "A column-vector y was passed when a 1d array was expected; give y.ravel()"
        warnings.warn(message, DataConversionWarning, stacklevel=3)
        return _from_column(np.asarray(y).ravel().tolist(), categories)
    if sparse.issparse(y) or getattr(y, "ndim", 1) == 2 or hasattr(y, "columns"):
        names = tuple(map(str, y.columns)) if hasattr(y, "columns") and not sparse.issparse(y) else None
        matrix, found = label_matrix(y if sparse.issparse(y) else np.asarray(y), names or categories)
        return _named(matrix, found, "sparse" if sparse.issparse(y) else "dense", categories)
    return _from_column(column(y), categories)


def _plain(y: Any) -> Any:
    """Rows of flags as a matrix; whatever only NumPy can read as an array."""
    if hasattr(y, "__array__") and not hasattr(y, "__iter__"):
        return np.asarray(y)
    if (
        isinstance(y, (list, tuple))
        and y
        and all(isinstance(row, np.ndarray) and row.dtype.kind in "biuf" for row in y)
    ):
        y = [row.tolist() for row in y]
    return flag_matrix(y)


def _named(matrix: Any, names: tuple[str, ...], form: YForm, categories: tuple[str, ...] | None) -> Target:
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
        names = tuple(str(one) for one in classes.tolist())
    sets = [(str(value),) for value in values] if single else values
    matrix, found = label_matrix(sets, names)
    return Target(matrix, found, "column" if single else "sets", classes if single else np.array(found, dtype=str))


def _is_label(value: Any) -> bool:
    return isinstance(value, (str, bool, int, np.integer)) or (isinstance(value, float) and value == value)
