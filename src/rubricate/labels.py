"""Labels in any form → a boolean sparse matrix, the names of its columns, and the form they came in.

This is the one conversion; training, runs, comparisons and every classifier call it (`as_target`). Accepted are

column      a list, tuple, array, or a pandas, polars or Arrow column of single labels: names or whole numbers. None,
            NaN and NA mean that a document has no label.
sets        a list or column of label sets (lists, sets, single labels, None), `Decisions`, `Documents`
dense       an array or data frame documents × categories, or rows of 0 and 1: what is not 0 is a label
sparse      a sparse matrix documents × categories

Data frames, `Decisions` and label sets bring the names of their columns; a matrix without names numbers them. A matrix
with one column is a column of classes, as scikit-learn has it, unless the caller means one category.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.matrices import check_sparse_indices
from rubricate.types import Decisions, Documents, Ints, Scores, Sparse

__all__ = [
    "CategoryGrowth",
    "MissingLabels",
    "Target",
    "YForm",
    "as_target",
    "class_target",
    "column",
    "in_columns",
    "indicator",
    "label_matrices",
    "label_matrix",
    "label_tuples",
    "moved_columns",
    "same_columns",
]

MAX_STRAY_SHARE = 0.05
"""Largest share of documents whose missing label is taken for an oversight; a single one always is."""


class MissingLabels(UserWarning):
    """A few documents have no label and were left out, as all others have exactly one."""


SINGLE = (str, bool, int, float, np.generic)
"""Types of a single label."""

YForm: TypeAlias = Literal["column", "sets", "dense", "sparse"]


@dataclass(frozen=True, eq=False)
class Target:
    """Labels, the names of their columns, the form they came in, and the classes of a column.

    `named` says that the names came with the labels; those of a bare matrix are the numbers of its columns.
    """

    labels: Sparse
    categories: tuple[str, ...]
    form: YForm
    classes: NDArray[Any]
    named: bool = True

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

    def unlabelled_rows(self) -> Ints:
        """Return the documents whose missing label looks like an oversight.

        These are the documents without a label if all others have exactly one and they are few: one document, or at
        most 5 % of all. With more of them, or with a document of several labels, "no label" is taken as meant.

        >>> as_target(["a", "b", None, "b"]).unlabelled_rows().tolist()
        [2]
        >>> as_target([["a"], ["a", "b"], None, ["b"]]).unlabelled_rows().tolist()
        []
        """
        sizes = np.diff(self.labels.indptr)
        without = np.flatnonzero(sizes == 0)
        few = len(without) <= max(1, MAX_STRAY_SHARE * len(sizes))
        return without if few and len(without) < len(sizes) and sizes.max() == 1 else without[:0]

    def over(self, categories: Sequence[str]) -> Self:
        """Return the labels over these categories: by name, or in their order where the columns have no names.

        A category may be missing; a label that is not among them is an error.
        """
        names = tuple(map(str, categories))
        if names == self.categories:
            return self
        if not self.named:
            if len(names) != self.labels.shape[1]:
                raise InvalidInput(
                    f"a label matrix of {self.labels.shape[1]} columns for {len(names)} categories; give one name for "
                    "each column"
                )
            return replace(self, categories=names, classes=np.array(names, dtype=str))
        known = set(names)
        odd = np.array([name not in known for name in self.categories], dtype=bool)[self.labels.indices]
        if odd.any():
            row = int(np.searchsorted(self.labels.indptr, np.argmax(odd), side="right")) - 1
            own = self.labels.indices[self.labels.indptr[row] : self.labels.indptr[row + 1]]
            unknown = sorted({self.categories[c] for c in own} - known)
            raise InvalidInput(
                f"document {row} has labels outside the categories: {', '.join(unknown[:5])}; leave them out, or name "
                "them among the categories (a trained model keeps its own: fit it anew)"
            )
        classes = self.classes if self.form == "column" else np.array(names, dtype=str)
        labels = in_columns(self.labels, self.categories, names)
        return replace(self, labels=labels, categories=names, classes=classes)

    def without_empty_names(self) -> Self:
        """Return the target; raise where a document has a label that is an empty string."""
        if "" in self.categories:
            rows = self.labels[:, [self.categories.index("")]].nonzero()[0]
            if len(rows):
                raise _empty_name(int(rows[0]))
        return self


def column(values: Any) -> list[Any]:
    """Return a list from a list, tuple, array, or a pandas, polars or Arrow column."""
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)


def indicator(matrix: Any) -> Sparse:
    """Return a matrix of labels as the canonical boolean `csr_array`: whatever is not zero is a label.

    >>> indicator([[0, 2], [1, 0]]).toarray()
    array([[False,  True],
           [ True, False]])
    """
    rows = check_sparse_indices(matrix) if sparse.issparse(matrix) else np.atleast_2d(np.asarray(matrix))
    labels = sparse.csr_array(rows if rows.ndim == 2 else rows.reshape((1, -1)))
    if labels.dtype.kind == "f" and np.isnan(labels.data).any():
        raise InvalidInput("the label matrix holds NaN; use 0 for no label and 1 for a label")
    labels = sparse.csr_array(labels, dtype=bool, copy=True)
    labels.sum_duplicates()
    labels.eliminate_zeros()
    labels.sort_indices()
    return labels


def as_target(y: Any, *, owner: str = "", one_category: bool = False) -> Target:
    """Return labels in any form as a `Target`; the forms are those of the module.

    Parameters
    ----------
    y
        The labels.
    owner
        Who needs them, for messages.
    one_category
        A matrix with one column is one category; else it is a column of classes, with scikit-learn's warning.

    >>> as_target(["grain", "fuel", None]).labels.toarray().astype(int).tolist()
    [[0, 1], [1, 0], [0, 0]]
    >>> as_target([[0, 1], [1, 0]]).categories, as_target([{"grain"}, {"fuel", "grain"}]).categories
    (('0', '1'), ('fuel', 'grain'))
    """
    if isinstance(y, Target):
        return y
    y = _readable(y)
    if y is None:
        raise InvalidInput(
            f"{owner} requires y to be passed, but the target y is None; give the labels of the documents".lstrip()
        )
    if isinstance(y, Decisions):
        names = np.array(y.categories, dtype=str)
        return Target(sparse.csr_array(y.values, dtype=bool), tuple(y.categories), "sets", names)
    if not _is_matrix(y):
        return _from_column(y)
    if not one_category and not sparse.issparse(y) and y.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning

        message = "A column-vector y was passed when a 1d array was expected; give y.ravel()"
        warnings.warn(message, DataConversionWarning, stacklevel=3)
        return _from_column(np.asarray(y).ravel())
    return _from_matrix(y)


def class_target(y: Any, *, owner: str) -> Target:
    """Return the labels that a classifier of vectors learns from.

    As scikit-learn does, it takes lists of numbers for the array that they are. In a column every document needs a
    label: what `predict` answers with must not depend on one that is missing.
    """
    target = as_target(_as_array(y), owner=owner)
    if not target.categories:
        raise InvalidInput("the labels have no category, or the label matrix no column; give at least one category")
    empty = np.flatnonzero(np.diff(target.labels.indptr) == 0)
    if target.form == "column" and len(empty):
        raise InvalidInput(
            f"document {empty[0]} has no label (None or NaN), but a column needs one for each document; leave the "
            "document out, or give label sets"
        )
    return target


def label_matrix(labels: Any, categories: Sequence[str] | None = None) -> tuple[Sparse, tuple[str, ...]]:
    """Return the label matrix and its categories (sorted by name unless given).

    >>> matrix, names = label_matrix([{"wheat", "corn"}, "corn", []])
    >>> names, matrix.toarray().astype(int).tolist()
    (('corn', 'wheat'), [[1, 1], [1, 0], [0, 0]])
    """
    target = as_target(labels, one_category=True).without_empty_names()
    if categories is None and target.form == "column":
        categories = sorted(target.categories)
    target = target if categories is None else target.over(categories)
    return target.labels, target.categories


def label_matrices(
    parts: Sequence[tuple[str, Any]], *, categories: Sequence[str] | None = None, scores: Any = None, remedy: str
) -> tuple[list[Sparse], tuple[str, ...]]:
    """Return labellings of the same documents, each with its owner, over the same columns, and the names of these.

    The names are those given, else those of the first part that names its columns (a data frame, `Decisions`), or of
    the `scores` beside them, else of all label sets. Fractions are refused, as probabilities are not labels; `remedy`
    says what to do with them.

    >>> matrices, names = label_matrices([("the truth", ["b", "a"]), ("the rest", ["a", "c"])], remedy="round them")
    >>> names, [matrix.nnz for matrix in matrices]
    (('a', 'b', 'c'), [2, 2])
    """
    targets = []
    for owner, values in parts:
        plain = _readable(values)
        _refuse_fractions(plain, owner, remedy)
        targets.append(as_target(plain, one_category=True).without_empty_names())
    names = tuple(map(str, categories or ()))
    if categories is None:
        names = _common_names([*(values for _, values in parts), scores], targets)
    for owner, values in parts:
        same_columns(values, names, owner=owner)
    return [target.over(names).labels for target in targets], names


def same_columns(values: Any, names: Sequence[str], *, owner: str) -> list[int]:
    """Return the place of each name among the columns of a data frame; raise where it has others."""
    have = _column_names(values) if _is_frame(values) else []
    odd = sorted(set(have) ^ set(names)) if have else []
    if odd:
        raise InvalidInput(f"{owner} have different columns, such as {', '.join(odd[:5])}; give the same categories")
    return [have.index(name) for name in names if have]


def label_tuples(labels: Sparse, categories: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the labels of each document, a tuple in the order of the categories."""
    columns = labels.indices.tolist()
    return [tuple(categories[c] for c in columns[a:b]) for a, b in pairwise(labels.indptr.tolist())]


def in_columns(labels: Sparse, names: Sequence[str], known: Sequence[str]) -> Sparse:
    """Return labels over other categories; those left out must have no documents."""
    if tuple(names) == tuple(known):
        return labels
    place = {name: i for i, name in enumerate(known)}
    return moved_columns(labels, [place.get(name, 0) for name in names], len(known))


def moved_columns(matrix: Sparse, columns: Sequence[int] | Ints, width: int) -> Sparse:
    """Return a sparse matrix of another width, each column in its new place."""
    places = np.asarray(columns, dtype=np.int64)[matrix.indices]
    moved = sparse.csr_array((matrix.data, places, matrix.indptr), shape=(matrix.shape[0], width))
    moved.sort_indices()
    return moved


def _readable(y: Any) -> Any:
    """Return `Documents` as their labels, rows of flags as a matrix, and what only NumPy can read as an array."""
    if isinstance(y, Documents):
        return Decisions(y.labels, y.categories, y.ids)
    if hasattr(y, "__array__") and not hasattr(y, "__iter__"):
        return np.asarray(y)
    if not isinstance(y, (list, tuple)) or not y:
        return y
    if all(isinstance(row, np.ndarray) and row.dtype.kind in "biuf" for row in y):
        y = [row.tolist() for row in y]
    return _flags(y)


def _flags(rows: list[Any] | tuple[Any, ...]) -> Any:
    """Return equally long rows of 0 and 1 as a boolean matrix; anything else as it is."""
    if not isinstance(rows[0], (list, tuple)) or not rows[0]:
        return rows
    same = all(isinstance(row, (list, tuple)) and len(row) == len(rows[0]) for row in rows)
    numbers = same and all(isinstance(cell, (bool, int, float)) and cell in (0, 1) for row in rows for cell in row)
    return np.array(rows, dtype=bool) if numbers else rows


def _as_array(y: Any) -> Any:
    """Return lists of numbers or of names as an array; label sets, frames and sparse matrices as they are."""
    if y is None or sparse.issparse(y) or hasattr(y, "columns") or isinstance(y, (Decisions, Documents)):
        return y
    try:
        array = np.asarray(y)
    except ValueError:  # rows of different lengths
        return y
    return array if array.dtype.kind in "biufc" or (array.ndim == 1 and array.dtype.kind in "US") else y


def _is_frame(values: Any) -> bool:
    return hasattr(values, "columns") and not sparse.issparse(values) and len(getattr(values, "shape", ())) == 2


def _is_matrix(values: Any) -> bool:
    return sparse.issparse(values) or _is_frame(values) or getattr(values, "ndim", 1) == 2


def _from_matrix(y: Any) -> Target:
    names = _column_names(y) if _is_frame(y) else []
    cells = y if sparse.issparse(y) else _numbers(np.asarray(y))
    if cells.dtype.kind == "f" and not np.isfinite(cells.data if sparse.issparse(cells) else cells).all():
        raise InvalidInput("the label matrix holds NaN or infinity; use 0 for no label and 1 for a label")
    labels = indicator(cells)
    categories = tuple(names) or tuple(map(str, range(labels.shape[1])))
    form: YForm = "sparse" if sparse.issparse(y) else "dense"
    return Target(labels, categories, form, np.array(categories, dtype=str), named=bool(names))


def _column_names(frame: Any) -> list[str]:
    """Return the names of the columns of a data frame; nothing where they are only its numbers."""
    names = [str(name) for name in getattr(frame, "column_names", frame.columns)]
    return [] if names == list(map(str, range(len(names)))) else names


def _numbers(cells: NDArray[Any]) -> NDArray[Any]:
    """Return a matrix of numbers or booleans, also where a data frame holds them as objects."""
    if cells.dtype.kind in "biuf":
        return cells
    try:
        if cells.dtype.kind != "O":
            raise TypeError
        return cells.astype(np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(
            f"a label matrix must hold numbers or booleans, got {cells.dtype}; give names as label sets"
        ) from None


def _from_column(y: Any) -> Target:
    values = column(y)
    missing = np.array([_is_missing(value) for value in values], dtype=bool)
    present = [value for value in values if not _is_missing(value)] if missing.any() else values
    if any(isinstance(value, complex) for value in present):
        raise InvalidInput("Complex data not supported: labels are names, whole numbers or sets of those")
    if (values and not present) or not all(isinstance(value, SINGLE) for value in present):
        return _from_sets([_as_set(labels, row) for row, labels in enumerate(values)])
    if len({isinstance(value, str) for value in present}) > 1:
        raise InvalidInput("the labels mix strings and numbers; give them all as strings")
    own_type = isinstance(y, np.ndarray) and y.dtype.kind != "O" and not missing.any()
    classes, columns = np.unique(_checked(y if own_type else np.array(present)), return_inverse=True)
    starts = np.concatenate([[0], np.cumsum(~missing)])
    cells = (np.ones(len(present), bool), columns.astype(np.int32), starts)
    labels = sparse.csr_array(cells, shape=(len(values), len(classes)))
    return Target(labels, tuple(map(str, classes.tolist())), "column", classes)


def _checked(values: NDArray[Any]) -> NDArray[Any]:
    """Return single labels; raise where they are numbers to predict, not classes."""
    if values.dtype.kind == "f" and len(values):
        from sklearn.utils.multiclass import check_classification_targets
        from sklearn.utils.validation import assert_all_finite

        assert_all_finite(values, input_name="y")
        check_classification_targets(np.tile(values, 2))  # twice: else it warns of many classes among few documents
    return values


def _is_missing(value: Any) -> bool:
    return (
        value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")
    )


def _empty_name(row: int) -> InvalidInput:
    return InvalidInput(f"document {row} has a label that is an empty string; give no label, or a name")


def _as_set(labels: Any, row: int) -> set[str]:
    if _is_missing(labels):
        return set()
    single = isinstance(labels, SINGLE)
    if not single and not isinstance(labels, Iterable):
        kind = type(labels).__name__
        raise InvalidInput(
            f"document {row} has a label of type {kind}; labels are names, whole numbers or sets of those"
        )
    names = {str(labels)} if single else {str(name) for name in labels}
    if "" in names:
        raise _empty_name(row)
    return names


def _from_sets(sets: Sequence[set[str]]) -> Target:
    names = tuple(sorted(set().union(*sets)))
    position = {name: i for i, name in enumerate(names)}
    indices: list[int] = []
    starts = [0]
    for labels in sets:
        indices.extend(sorted(position[name] for name in labels))
        starts.append(len(indices))
    cells = (np.ones(len(indices), dtype=bool), np.asarray(indices, np.int32), np.asarray(starts))
    matrix = sparse.csr_array(cells, shape=(len(sets), len(names)))
    return Target(matrix, names, "sets", np.array(names, dtype=str))


def _common_names(values: Sequence[Any], targets: Sequence[Target]) -> tuple[str, ...]:
    """Return the names of the columns of several labellings; the last of the values are scores, or None."""
    for part in values:
        if isinstance(part, (Decisions, Documents, Scores)):
            return tuple(part.categories)
        if _is_frame(part) and _column_names(part):
            return tuple(_column_names(part))
    bare = [target.form in ("dense", "sparse") for target in targets]
    bare += [True] if values[-1] is not None else []
    if all(bare):
        return targets[0].categories
    if any(bare):
        raise InvalidInput("label sets beside a matrix; name the columns of the matrix with categories=")
    return tuple(sorted({name for target in targets for name in target.categories}))


def _refuse_fractions(values: Any, owner: str, remedy: str) -> None:
    """Raise where a matrix holds fractions; columns, and matrices of anything but floats, pass."""
    if isinstance(values, Decisions) or not _is_matrix(values):
        return
    cells = values.data if sparse.issparse(values) else np.asarray(values)
    if cells.dtype.kind == "f":
        fractions = cells[np.isfinite(cells) & (cells != np.trunc(cells))]
        if len(fractions):
            raise InvalidInput(f"{owner} hold {fractions[0]:.6g}, which is not a label; {remedy}")


@dataclass(frozen=True, eq=False)
class CategoryGrowth:
    """What further documents add to a model: their labels, over the categories that it knows and new ones.

    `held` are the documents that each category had before, `places` the columns of the known categories, in the order
    in which the model has them.

    >>> growth = CategoryGrowth(indicator([[1, 0, 1]]), np.array([0, 4, 2]), np.array([1, 2]))
    >>> growth.new.tolist(), growth.placed([0.5, 0.7], 9.0).tolist()
    ([0], [9.0, 0.5, 0.7])
    """

    labels: Sparse
    held: Ints
    places: Ints

    @property
    def more(self) -> Ints:
        """Further documents of each category."""
        return np.bincount(self.labels.indices, minlength=self.labels.shape[1])

    @property
    def new(self) -> Ints:
        """Columns of the categories that have documents now and had none before."""
        return np.flatnonzero((self.more > 0) & (self.held == 0))

    def placed(self, values: Any, missing: Any) -> Any:
        """Return what the model has of each known category in its new column, `missing` in the others."""
        values = np.asarray(values)
        grown = np.full(self.labels.shape[1], missing, dtype=values.dtype)
        grown[self.places] = values
        return grown
