"""Inner products of documents, in blocks: frequent terms as dense columns, the others by their postings."""

from __future__ import annotations

from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rubricate.classifiers.svm.solvers.kernel import squared_lengths
from rubricate.classifiers.svm.solvers.team import ALONE, Team
from rubricate.kernels.lane_code import lined
from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_products import PANEL, ProductRows, as_right, mirror, set_panel, split_terms
from rubricate.types import Sparse

__all__ = ["Products", "wide_square"]

DENSE = 128
"""How many of the most frequent terms are multiplied as a dense matrix.

More of them make the matrix product longer, fewer the postings. On Reuters the 32, 128 and 512 most frequent terms are
65, 85 and 97 % of all terms that two documents share, and leave-one-out takes the same time within 5 %."""
WHOLE = 32000
"""What the largest square length of a document is coded as: 16 bits end at 32,767, and rounding may make a product a
little larger."""


class Products:
    """x·z of the rows of a sparse matrix, as whole numbers of 16 bits in units of a common unit.

    They are computed in single precision, and off by half a unit, 1/64,000 of the largest |x|². That is enough where
    only changes of a solution are summed from them, and takes half the memory, whose speed bounds the steps.

    A product of two documents by merging their terms costs about a hundred operations, most of them for the few terms
    that half of all documents have. Those are dense columns for a matrix product; what is left of a document meets
    only the documents that share one of its rare terms. Cost of a block of a × b documents: 2 · 128 · a · b operations
    of a matrix product, and about one addition per pair.

    With `shared` all products are computed at once, 2 n² bytes, and blocks are taken from them; the team shares this.

    `documents` is what kernels take; the terms of their rows are numbered by frequency, the most frequent first.
    """

    def __init__(self, X: Sparse, *, shared: bool = False, team: Team = ALONE) -> None:
        often = np.bincount(X.indices, minlength=X.shape[1])
        rank = np.empty(X.shape[1], np.uint32)
        rank[np.argsort(-often, kind="stable")] = np.arange(X.shape[1], dtype=np.uint32)
        starts, terms = X.indptr.astype(np.int64), rank[X.indices]
        rows = Rows(starts, terms, X.data.astype(np.float32))
        frequent, rare = split_terms(rows, max(min(DENSE, X.shape[1]), 1))
        squares = squared_lengths(X)
        self.documents = ProductRows(
            rows=rows,
            exact=Rows(starts, terms, np.ascontiguousarray(X.data, np.float64)),
            rare=rare,
            frequent=frequent,
            all=np.empty((0, 0), np.int16),
            squares=squares,
            unit=float(squares.max(initial=0.0)) / WHOLE or 1.0,
            width=int(np.count_nonzero(often)),
        )
        self._local = local()
        if shared:
            self.documents = self.documents._replace(all=self._all(team))

    @property
    def shared(self) -> bool:
        """Whether all products are there."""
        return len(self.documents.all) > 0

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the room of threads, which each makes itself."""
        return {name: value for name, value in vars(self).items() if name != "_local"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state of another process."""
        vars(self).update(state, _local=local())

    def _all(self, team: Team) -> NDArray[np.int16]:
        """Return the products of all documents, half of them computed, in panels."""
        n = len(self.documents.squares)
        columns, products = as_right(self.documents, np.arange(n)), wide_square(n)
        panels = [(first, min(first + PANEL, n)) for first in range(0, n, PANEL)]
        # The longest first, so that threads end together.
        team.map(lambda panel: set_panel(self.documents, columns, panel[0], panel[1], products), panels[::-1])
        team.map(lambda panel: mirror(products, panel[0], panel[1]), panels[::-1])
        return products

    def room(self, terms: int) -> NDArray[np.float32]:
        """Return room for terms × 16 numbers, to be used by this thread until it asks again."""
        kept = getattr(self._local, "room", None)
        if kept is None or len(kept) < terms:
            self._local.room = kept = lined(terms, np.float32, make=np.empty)
        room: NDArray[np.float32] = kept[:terms]
        return room


def wide_square(n: int) -> NDArray[np.int16]:
    """Return room for n × n numbers, whose rows begin at half a line of the cache and end in zeros."""
    blocks = -(-n // 16)
    square: NDArray[np.int16] = lined(n * blocks, np.int16, make=np.empty).reshape(n, 16 * blocks)
    square[:, n:] = 0
    return square
