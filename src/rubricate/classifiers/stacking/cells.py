"""Cells of a stack: the (document, category) pairs that some member ranks high, with every member's score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = ["Cells", "gather_cells", "join_cells", "true_cells"]


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells in the order of documents, then categories.

    `documents` and `categories` say where each is, `scores` what each member said (cells × members), `maxima` the
    highest score of each member over the categories of a document (documents × members). Scores are rounded to single
    precision, so that the last digits of a sum, which depend on its order, decide no tie and no split of a tree.
    """

    documents: Ints
    categories: Ints
    scores: Floats
    maxima: Floats
    shape: tuple[int, int]

    def of(self, rows: Bools) -> Cells:
        """Return the cells of some of the documents; their numbers stay."""
        kept = rows[self.documents]
        return Cells(self.documents[kept], self.categories[kept], self.scores[kept], self.maxima, self.shape)


def gather_cells(scores: Sequence[Floats], depth: int) -> Cells:
    """Gather per document the `depth` best categories of the first member and a sixth as many (at least 1) of others.

    Equal scores go to the earlier category.
    """
    shape = scores[0].shape
    chosen = np.zeros(shape, bool)
    rounded = [matrix.astype(np.float32) for matrix in scores]
    for number, matrix in enumerate(rounded):
        best = min(shape[1], depth if number == 0 else max(1, depth // 6))
        np.put_along_axis(chosen, np.argsort(-matrix, axis=1, kind="stable")[:, :best], True, axis=1)
    documents, categories = np.nonzero(chosen)
    values, maxima = (
        np.column_stack(columns).astype(np.float64)
        for columns in ([matrix[chosen] for matrix in rounded], [matrix.max(axis=1) for matrix in rounded])
    )
    return Cells(documents, categories, values, maxima, shape)


def join_cells(parts: Sequence[tuple[Ints, Cells]], shape: tuple[int, int]) -> Cells:
    """Join the cells of parts of a collection; each part comes with the numbers of its documents."""
    documents = np.concatenate([rows[cells.documents] for rows, cells in parts])
    order = np.argsort(documents, kind="stable")
    maxima = np.empty((shape[0], parts[0][1].maxima.shape[1]))
    for rows, cells in parts:
        maxima[rows] = cells.maxima
    categories = np.concatenate([cells.categories for _, cells in parts])
    scores = np.concatenate([cells.scores for _, cells in parts])
    return Cells(documents[order], categories[order], scores[order], maxima, shape)


def true_cells(cells: Cells, labels: Sparse) -> Floats:
    """Return 1 for the cells that are labels, 0 for the others."""
    rows = np.repeat(np.arange(labels.shape[0]), np.diff(labels.indptr))
    known = np.sort(rows * np.int64(labels.shape[1]) + labels.indices)
    wanted = cells.documents * np.int64(labels.shape[1]) + cells.categories
    at = np.searchsorted(known, wanted)
    return (np.append(known, -1)[at] == wanted).astype(np.float64)
