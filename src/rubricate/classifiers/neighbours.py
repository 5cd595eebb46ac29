"""The nearest documents by cosine: sparse vectors over postings, dense vectors by blocks of matrix products."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.classifiers.rows import canonical_rows, unit_rows
from rubricate.engines import free_cores, one_blas_thread, run_on_threads
from rubricate.native.neighbours import Estimates, ItemIndex, best_items, index_items, nearest_rows
from rubricate.native.sparse import Rows, unit_values
from rubricate.types import Floats, Ints

__all__ = ["DensePoints", "Postings", "in_blocks", "index_of"]

CELLS = 1 << 24
"""Similarities that one thread holds at once: 64 MB in single precision."""
QUERIES = 256
"""Queries of one task."""
SMALLEST_PART = 64
"""Queries for which another thread is started: fewer take less time than starting it."""


@dataclass(frozen=True, eq=False)
class Postings:
    """An index of sparse unit vectors: for each term the documents that hold it and its weight there."""

    index: ItemIndex

    @staticmethod
    def of(vectors: sparse.csr_array) -> Postings:
        """Return the postings of documents × terms, by one counting sort."""
        by_term = sparse.csr_array(vectors.T)
        by_term.sort_indices()
        return Postings(index_items(_rows(by_term), vectors.shape[0]))

    def nearest(self, queries: Any, k: int, threads: int | None) -> tuple[Ints, Floats]:
        """Return the k nearest documents of each query and their cosines; see native/neighbours.c."""
        rows = _rows(canonical_rows(sparse.csr_array(queries, dtype=np.float64)))

        def block(begin: int, end: int) -> tuple[Ints, Floats]:
            starts = rows.starts[begin : end + 1]
            terms, values = rows.terms[starts[0] : starts[-1]], unit_values(starts, rows.values)
            return best_items(Rows(starts - starts[0], terms, values), self.index, k)

        return in_blocks(block, rows.length, rows=QUERIES, threads=threads)


def _rows(vectors: sparse.csr_array) -> Rows:
    return Rows(vectors.indptr.astype(np.int64), vectors.indices.astype(np.int32), vectors.data)


@dataclass(frozen=True, eq=False)
class DensePoints:
    """Unit vectors, and the same in single precision, which give the estimates."""

    vectors: Floats
    single: NDArray[np.float32]

    @staticmethod
    def of(vectors: Floats) -> DensePoints:
        """Return the points with a copy in single precision."""
        return DensePoints(np.ascontiguousarray(vectors), vectors.astype(np.float32))

    def error(self) -> float:
        """Return the largest error of an estimate: n u / (1 - n u), with n products and two roundings of each factor.

        u = 2⁻²⁴ is the unit roundoff; the bound holds for any order of summation, since Σ|q_i d_i| ≤ |q||d| = 1.
        """
        terms = (self.vectors.shape[1] + 4) * 2.0**-24
        return terms / (1 - terms) if terms < 0.5 else 2.0

    def nearest(self, queries: Any, k: int, threads: int | None) -> tuple[Ints, Floats]:
        """Return the k nearest documents of each query and their cosines; see native/neighbours.c."""

        def block(begin: int, end: int) -> tuple[Ints, Floats]:
            rows = queries[begin:end]
            unit = unit_rows(rows.toarray() if sparse.issparse(rows) else np.ascontiguousarray(rows))
            estimates = unit.astype(np.float32) @ self.single.T
            return nearest_rows(Estimates(estimates, self.error(), unit), self.vectors, k)

        rows = min(QUERIES, max(1, CELLS // max(1, len(self.vectors))))
        with one_blas_thread():
            return in_blocks(block, queries.shape[0], rows=rows, threads=threads)


def index_of(vectors: Any) -> Postings | DensePoints:
    """Return the index that suits the vectors: postings for sparse ones."""
    return Postings.of(vectors) if sparse.issparse(vectors) else DensePoints.of(vectors)


def _even_parts(size: int, *, rows: int, workers: int) -> list[tuple[int, int]]:
    """Return parts of at most `rows` queries, as many for every worker if there are enough queries for that.

    >>> _even_parts(300, rows=256, workers=2), _even_parts(30, rows=256, workers=2), _even_parts(0, rows=9, workers=2)
    ([(0, 150), (150, 300)], [(0, 30)], [])
    """
    parts = min(-(-size // rows // workers) * workers, -(-size // min(rows, SMALLEST_PART)))
    return list(pairwise(size * part // max(1, parts) for part in range(parts + 1)))


def in_blocks(
    block: Callable[[int, int], tuple[Ints, Floats]], queries: int, *, rows: int, threads: int | None
) -> tuple[Ints, Floats]:
    """Return the results of blocks of `rows` queries at most, one below the other, whichever thread made them."""
    workers = threads or free_cores()
    tasks = _even_parts(queries, rows=rows, workers=workers) or [(0, 0)]
    parts = run_on_threads(lambda task: block(*task), tasks, workers)
    return np.concatenate([nearest for nearest, _ in parts]), np.concatenate([cosines for _, cosines in parts])
