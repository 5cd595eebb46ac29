"""Inner products of documents, in blocks: frequent terms as dense columns, the others by their postings."""

from __future__ import annotations

from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubricate.classifiers.svm.solvers.kernel import squared_lengths
from rubricate.kernels.lane_code import lined
from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_products import Coded, add_products, code, mirror, products_with, take_part
from rubricate.types import Floats, Ints, Sparse

__all__ = ["Products", "wide_square"]

DENSE = 128
"""How many of the most frequent terms are multiplied as a dense matrix.

More of them make the matrix product longer, fewer the postings. On Reuters the 32, 128 and 512 most frequent terms are
65, 85 and 97 % of all terms that two documents share, and leave-one-out takes the same time within 5 %."""
PANEL = 256
"""Rows of a matrix that are computed together, in single precision: a quarter of a megabyte for each 256 columns."""
WHOLE = 32000
"""What the largest square length of a document is coded as: 16 bits end at 32,767, and rounding may make a product a
little larger."""


class Products:
    """x·z of the rows of a sparse matrix, as whole numbers of 16 bits in units of `unit`, unless said otherwise.

    They are computed in single precision, and off by half a unit, 1/64,000 of the largest |x|². That is enough where
    only changes of a solution are summed from them, and takes half the memory, whose speed bounds the steps.

    A product of two documents by merging their terms costs about a hundred operations, most of them for the few terms
    that half of all documents have. Those are dense columns for a matrix product; what is left of a document meets
    only the documents that share one of its rare terms. Cost of a block of a × b documents: 2 · 128 · a · b operations
    of a matrix product, and about one addition per pair.

    With `shared` all products are computed at once, 2 n² bytes, and blocks are taken from them.

    `rows` holds all terms of all documents, the most frequent first, as kernels take them.
    """

    def __init__(self, X: Sparse, *, shared: bool = False) -> None:
        often = np.bincount(X.indices, minlength=X.shape[1])
        rank = np.empty(X.shape[1], np.uint32)
        rank[np.argsort(-often, kind="stable")] = np.arange(X.shape[1], dtype=np.uint32)
        starts, terms, values = X.indptr.astype(np.int64), rank[X.indices], X.data.astype(np.float32)
        self.width = int(np.count_nonzero(often))
        self.rows = Rows(starts, terms, values)
        self._exact = Rows(starts, terms, np.ascontiguousarray(X.data, np.float64))
        rare = terms >= DENSE
        rare_starts = np.concatenate([[0], np.cumsum(rare)])[X.indptr].astype(np.int64)
        self._rare = Rows(rare_starts, terms[rare], values[rare])
        self._frequent = np.zeros((X.shape[0], min(DENSE, X.shape[1])), np.float32)
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr) - np.diff(rare_starts))
        self._frequent[row, terms[~rare]] = values[~rare]
        self.all: NDArray[np.int16] | None = None
        self._local = local()
        self.unit = float(squared_lengths(X).max(initial=0.0)) / WHOLE or 1.0
        if shared:
            self.all = self.square(np.arange(X.shape[0])).K

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the room of threads, which each makes itself."""
        return {name: value for name, value in vars(self).items() if name != "_local"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state of another process."""
        vars(self).update(state, _local=local())

    def block(self, left: Ints, right: Ints) -> NDArray[np.int16]:
        """Return the products of some documents with some others."""
        products = np.empty((len(left), len(right)), np.int16)
        if self.all is not None:
            take_part(self.all, left, right, products)
        else:
            code(self._computed(left, right), self.unit, products, 0)
        return products

    def square(self, rows: Ints, *, spare: int = 0) -> Coded:
        """Return the products of some documents with each other, as `wide_square` has them, with places to spare."""
        n, products = len(rows), wide_square(len(rows), len(rows) + spare)
        if self.all is not None:
            take_part(self.all, rows, rows, products)
            return Coded(products, self.unit)
        for first in range(0, n, PANEL):
            # Half of the matrix is enough.
            last = min(first + PANEL, n)
            code(self._computed(rows[first:last], rows[:last]), self.unit, products, first)
        mirror(products[:n])
        return Coded(products, self.unit)

    def _computed(self, left: Ints, right: Ints) -> NDArray[np.float32]:
        products = self._frequent[left] @ self._frequent[right].T
        add_products(self._rare, left, right, self.width, products)
        return products

    def room(self, terms: int) -> NDArray[np.float32]:
        """Return room for terms × 16 numbers, to be used by this thread until it asks again."""
        kept = getattr(self._local, "room", None)
        if kept is None or len(kept) < terms:
            self._local.room = kept = lined(terms, np.float32, make=np.empty)
        room: NDArray[np.float32] = kept[:terms]
        return room

    def with_sum(self, beta: Floats) -> Floats:
        """Return w·x of all documents, w = Σ β_j x_j, in double precision."""
        return products_with(self._exact, beta, self.width)


def wide_square(n: int, places: int | None = None) -> NDArray[np.int16]:
    """Return room for n × n numbers, or more places, whose rows begin at half a line of the cache and end in zeros."""
    places = n if places is None else places
    blocks = -(-places // 16)
    square: NDArray[np.int16] = lined(places * blocks, np.int16, make=np.empty).reshape(places, 16 * blocks)
    square[:, n:] = 0
    return square
