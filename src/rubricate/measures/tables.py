"""Contingency tables: from truth and decisions, summed, and stacked to families."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal, TypeVar, cast

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput, UnknownName
from rubricate.labels import indicator
from rubricate.native.measures import as_lists, count_overlap, count_row_overlap
from rubricate.types import Counts, Sparse

__all__ = ["canonical", "counts", "family", "is_single_label", "total", "with_outside"]

T = TypeVar("T")


def canonical(matrix: Any) -> Sparse:
    """Return the matrix itself if it is a canonical boolean `csr_array`, else a canonical copy."""
    good = isinstance(matrix, sparse.csr_array) and matrix.dtype == bool and matrix.has_canonical_format
    return matrix if good and bool(matrix.data.all()) else indicator(matrix)


def is_single_label(truth: Sparse) -> bool:
    """Tell whether every document has exactly one true label."""
    return bool(len(sparse.csr_array(truth).indptr) > 1 and (np.diff(truth.indptr) == 1).all())


def counts(truth: Sparse, decided: Sparse, *, by: Literal["category", "document"] = "category") -> Counts:
    """Count the table of each category: TP, FP, FN, TN over the documents. yang1999, section 3.2, table 2.

    `by="document"` gives the table of each document over the categories, for example-based measures.
    Cost: labels + decisions + documents + categories, never documents × categories.

    >>> from rubricate.labels import indicator
    >>> table = counts(indicator([[1, 0], [1, 1]]), indicator([[1, 1], [0, 1]]))
    >>> table.tp.tolist(), table.fp.tolist(), table.fn.tolist(), table.tn.tolist()
    ([1, 1], [0, 1], [1, 0], [0, 0])
    """
    true, yes = canonical(truth), canonical(decided)
    if true.shape != yes.shape:
        raise InvalidInput(
            f"truth has {true.shape[0]} documents × {true.shape[1]} categories, the decisions "
            f"{yes.shape[0]} × {yes.shape[1]}; give both over the same documents and categories"
        )
    cells = as_lists(true), as_lists(yes)
    if by == "document":
        tp, n = count_row_overlap(*cells), true.shape[1]
        positives, assigned = np.diff(true.indptr).astype(np.int64), np.diff(yes.indptr).astype(np.int64)
    elif by == "category":
        tp, positives, assigned = count_overlap(*cells, true.shape[1])
        n = true.shape[0]
    else:
        raise UnknownName("way to count", by, ("category", "document"))
    return Counts(tp=tp, fp=assigned - tp, fn=positives - tp, tn=n - positives - assigned + tp)


def total(table: T) -> T:
    """Sum the tables (`Counts` or `Extended`) to a single entry, from which micro-averages are made."""
    cells = (getattr(table, cell.name) for cell in dataclasses.fields(cast(Any, table)))
    return type(table)(*(cell.sum(keepdims=True) for cell in cells))


def with_outside(table: Counts, labels: Any) -> Counts:
    """Return the tables with assigned labels that are no category's as further false positives: a number per entry."""
    return dataclasses.replace(table, fp=table.fp + np.asarray(labels, np.int64))


def family(tables: Sequence[Counts]) -> Counts:
    """Return one entry per cut: the summed table of each setting (x of Pcut, t of Rcut, an offset to Scut).

    >>> counts = Counts(*(np.array(cells) for cells in ([1, 2], [0, 1], [1, 0], [3, 2])))
    >>> family([counts, counts]).tp.tolist()
    [3, 3]
    """
    sums = [total(table) for table in tables]
    return Counts(
        *(np.array([int(getattr(table, cell)[0]) for table in sums], np.int64) for cell in ("tp", "fp", "fn", "tn"))
    )
