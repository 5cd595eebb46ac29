"""What several annotators said of the same documents, on one grid; a document that one of them skipped is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.labels import indicator, label_matrix
from rubricate.types import Bools, Decisions, Ints, Sparse

__all__ = ["Annotations", "join_annotations"]


@dataclass(frozen=True, eq=False)
class Annotations:
    """Labels of all annotators: `labels[a]` is documents × categories, `present` is documents × annotators."""

    documents: tuple[str, ...]
    categories: tuple[str, ...]
    annotators: tuple[str, ...]
    labels: tuple[Sparse, ...]
    present: Bools

    def codes(self) -> tuple[Ints, Sparse]:
        """Return a number for the label set of each document and annotator (-1 missing), and the distinct sets."""
        # Only rows that were labelled count: else "not labelled" would be one more value, the empty set.
        labelled = np.flatnonzero(self.present.T.ravel())
        stacked = sparse.csr_array(sparse.vstack(self.labels, format="csr"))
        numbers, sets = _distinct_rows(sparse.csr_array(stacked[labelled]))
        units = np.full(stacked.shape[0], -1, np.int64)
        units[labelled] = numbers
        return units.reshape(len(self.annotators), -1).T.copy(), sets


def _distinct_rows(matrix: Sparse) -> tuple[Ints, Sparse]:
    """Number the distinct rows of a canonical boolean matrix; the rows come in the order of first occurrence."""
    numbers: dict[bytes, int] = {}
    items = matrix.indices.astype(np.int32, copy=False)
    starts = matrix.indptr.tolist()
    codes = np.empty(matrix.shape[0], np.int64)
    first: list[int] = []
    for row in range(len(codes)):
        key = items[starts[row] : starts[row + 1]].tobytes()
        number = numbers.setdefault(key, len(numbers))
        if number == len(first):
            first.append(row)
        codes[row] = number
    return codes, indicator(matrix[np.asarray(first, np.int64)])


def join_annotations(labels: Sequence[Any], *, names: Sequence[str] | None = None) -> Annotations:
    """Put the labels of several annotators on one grid of documents and categories.

    Parameters
    ----------
    labels : sequence of Decisions, or of label lists or matrices
        `Decisions` are joined by the ids of their documents; others must have the same documents in the same order.
    names : sequence of str, optional
        The annotators; A, B, C, … by default.
    """
    if len(labels) < 2:
        raise InvalidInput(f"agreement needs at least two annotators, got {len(labels)}; give one file for each")
    given = [part if isinstance(part, Decisions) else _numbered(part) for part in labels]
    categories = tuple(sorted(set().union(*(part.categories for part in given))))
    documents = tuple(dict.fromkeys(str(name) for part in given for name in part.documents))
    place = {name: row for row, name in enumerate(documents)}
    column = {name: c for c, name in enumerate(categories)}
    present = np.zeros((len(documents), len(given)), bool)
    matrices = []
    for a, part in enumerate(given):
        rows = np.array([place[str(name)] for name in part.documents], np.int64)
        columns = np.array([column[name] for name in part.categories], np.int64)
        present[rows, a] = True
        entries = part.values.tocoo()
        cells = (np.ones(entries.nnz, bool), (rows[entries.row], columns[entries.col]))
        matrices.append(indicator(sparse.csr_array(cells, shape=(len(documents), len(categories)))))
    if not (present.sum(axis=1) > 1).any():
        raise InvalidInput("no document was labelled by two annotators; check that the files use the same ids")
    everyone = tuple(names) if names is not None else tuple(_letters(len(given)))
    return Annotations(documents, categories, everyone, tuple(matrices), present)


def _numbered(labels: Any) -> Decisions:
    matrix, categories = label_matrix(labels)
    return Decisions(matrix, categories, tuple(str(row) for row in range(matrix.shape[0])))


def _letters(count: int) -> list[str]:
    return [chr(ord("A") + a) if a < 26 else f"annotator {a + 1}" for a in range(count)]
