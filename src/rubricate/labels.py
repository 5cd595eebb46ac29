"""Labels in any form → a boolean sparse matrix and the names of its columns.

Accepted: a list of label sets (or lists, or single labels), a pandas, polars or Arrow column of those,
and a matrix documents × categories, dense or sparse.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.matrices import sound
from rubricate.types import Ints, Sparse

__all__ = ["CategoryGrowth", "column", "flag_matrix", "indicator", "label_matrix", "label_sets", "refuse_fractions"]


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
    rows = sound(matrix) if sparse.issparse(matrix) else np.atleast_2d(np.asarray(matrix))
    labels = sparse.csr_array(rows if rows.ndim == 2 else rows.reshape((1, -1)))
    if labels.dtype.kind == "f" and np.isnan(labels.data).any():
        raise InvalidInput("the label matrix holds NaN; use 0 for no label and 1 for a label")
    labels = sparse.csr_array(labels, dtype=bool, copy=True)
    labels.sum_duplicates()
    labels.eliminate_zeros()
    labels.sort_indices()
    return labels


def flag_matrix(labels: Any) -> Any:
    """Return equally long rows of 0 and 1 as a boolean matrix; anything else as it is.

    >>> flag_matrix([[0, 1], [1, 0]]).tolist(), flag_matrix([["a"], ["b"]])
    ([[False, True], [True, False]], [['a'], ['b']])
    """
    if not isinstance(labels, (list, tuple)) or not labels or not isinstance(labels[0], (list, tuple)):
        return labels
    same = all(isinstance(row, (list, tuple)) and len(row) == len(labels[0]) for row in labels)
    numbers = same and all(isinstance(cell, (bool, int, float)) and cell in (0, 1) for row in labels for cell in row)
    return np.array(labels, dtype=bool) if numbers and len(labels[0]) else labels


def refuse_fractions(matrix: Any, owner: str, *, remedy: str = "use 0 for no label and 1 for a label") -> None:
    """Raise InvalidInput where a label matrix holds fractions: probabilities are not labels before they are cut.

    Columns of label sets, and matrices of anything but floats, pass.
    """
    cells = matrix.data if sparse.issparse(matrix) else matrix
    if not isinstance(cells, np.ndarray) or cells.dtype.kind != "f":
        return
    fractions = cells[np.isfinite(cells) & (cells != np.trunc(cells))]
    if len(fractions):
        raise InvalidInput(f"{owner} hold {fractions[0]:.6g}, which is not a label; {remedy}")


def _as_set(labels: Any, row: int) -> set[str]:
    if labels is None or (isinstance(labels, float) and np.isnan(labels)):
        return set()
    names = {str(labels)} if isinstance(labels, (str, int, np.integer, np.bool_)) else {str(name) for name in labels}
    if "" in names:
        raise InvalidInput(f"document {row} has a label that is an empty string; give no label, or a name")
    return names


def label_sets(values: Any) -> list[set[str]]:
    """Return one set of names per document, from a column of names or collections of names; None is the empty set."""
    return [_as_set(labels, row) for row, labels in enumerate(column(values))]


def label_matrix(labels: Any, categories: Sequence[str] | None = None) -> tuple[Sparse, tuple[str, ...]]:
    """Return the label matrix and its categories (sorted by name unless given).

    >>> matrix, names = label_matrix([{"wheat", "corn"}, "corn", []])
    >>> names, matrix.toarray().astype(int).tolist()
    (('corn', 'wheat'), [[1, 1], [1, 0], [0, 0]])
    """
    if sparse.issparse(labels) or getattr(labels, "ndim", 1) == 2:
        matrix = indicator(labels)
        names = tuple(categories) if categories is not None else tuple(str(c) for c in range(matrix.shape[1]))
        if len(names) != matrix.shape[1]:
            raise InvalidInput(f"{len(names)} category names for a label matrix of {matrix.shape[1]} columns")
        return matrix, names
    sets = label_sets(labels)
    names = tuple(categories) if categories is not None else tuple(sorted(set().union(*sets)))
    return _from_sets(sets, names), names


def _from_sets(sets: Iterable[set[str]], names: tuple[str, ...]) -> Sparse:
    position = {name: i for i, name in enumerate(names)}
    indices: list[int] = []
    starts = [0]
    for row, labels in enumerate(sets):
        unknown = [name for name in labels if name not in position]
        if unknown:
            raise InvalidInput(
                f"document {row} has labels outside the categories: {', '.join(sorted(unknown)[:5])}; leave them out, "
                "or name them among the categories (a trained model keeps its own: fit it anew)"
            )
        indices.extend(sorted(position[name] for name in labels))
        starts.append(len(indices))
    data = np.ones(len(indices), dtype=bool)
    return sparse.csr_array(
        (data, np.asarray(indices, np.int32), np.asarray(starts)), shape=(len(starts) - 1, len(names))
    )


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
