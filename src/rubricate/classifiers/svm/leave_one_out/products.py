"""Inner products of documents, in blocks: frequent terms as dense columns, the others by their postings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubricate.kernels.svm_leave_one_out_products import add_products, products_with
from rubricate.types import Floats, Ints, Sparse

__all__ = ["Products"]

DENSE = 128
"""So many of the most frequent terms are multiplied as a dense matrix."""


class Products:
    """x·z of the rows of a sparse matrix, in single precision unless said otherwise.

    A product of two documents by merging their terms costs about a hundred operations, most of them for the few terms
    that half of all documents have. Those are dense columns for a matrix product; what is left of a document meets
    only the documents that share one of its rare terms. Cost of a block of a × b documents: 2 · 128 · a · b operations
    of a matrix product, and about one addition a pair.

    `starts`, `terms` and `values` hold all terms of all documents, the most frequent first, as kernels take them.
    """

    def __init__(self, X: Sparse) -> None:
        often = np.bincount(X.indices, minlength=X.shape[1])
        rank = np.empty(X.shape[1], np.uint32)
        rank[np.argsort(-often, kind="stable")] = np.arange(X.shape[1], dtype=np.uint32)
        self.starts, self.terms = X.indptr.astype(np.int64), rank[X.indices]
        self._exact = np.ascontiguousarray(X.data, np.float64)
        self.values, self.width = X.data.astype(np.float32), int(np.count_nonzero(often))
        rare = self.terms >= DENSE
        self.rare: tuple[Any, Any, Any] = (
            np.concatenate([[0], np.cumsum(rare)])[X.indptr].astype(np.int64), self.terms[rare], self.values[rare]
        )  # fmt: skip
        self.frequent = np.zeros((X.shape[0], min(DENSE, X.shape[1])), np.float32)
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr) - np.diff(self.rare[0]))
        self.frequent[row, self.terms[~rare]] = self.values[~rare]

    def block(self, left: Ints, right: Ints) -> NDArray[np.float32]:
        """The products of some documents with some others."""
        first = self.frequent[left]
        found = first @ (first if left is right else self.frequent[right]).T
        add_products(*self.rare, left, right, self.width, found)
        return found

    def with_sum(self, beta: Floats) -> Floats:
        """w·x of all documents, w = Σ β_j x_j, in double precision."""
        return products_with(self.starts, self.terms, self._exact, beta, self.width)
