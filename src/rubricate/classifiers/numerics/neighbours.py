"""The nearest documents by cosine: sparse vectors over postings, dense vectors by blocks of matrix products."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.classifiers.numerics.matrices import unit_rows
from rubricate.engines import one_blas_thread
from rubricate.kernels.postings import PostingLists, nearest_by_postings
from rubricate.kernels.rows import Rows
from rubricate.kernels.similar_rows import Estimated, nearest_rows
from rubricate.types import Floats, Ints

__all__ = ["DensePoints", "Postings", "in_blocks", "index_of"]

CELLS = 1 << 24
"""Similarities that one thread holds at once: 64 MB in single precision."""
QUERIES = 256
"""Queries of one task."""


@dataclass(frozen=True, eq=False)
class Postings:
    """An index of sparse unit vectors: for each term the documents that hold it and its weight there."""

    lists: PostingLists

    @staticmethod
    def of(vectors: sparse.csr_array) -> Postings:
        """Return the postings of documents × terms, by one counting sort."""
        turned = sparse.csc_array(vectors)
        turned.sort_indices()
        starts, documents = turned.indptr.astype(np.int64), turned.indices.astype(np.uint32)
        return Postings(PostingLists(starts, documents, turned.data, vectors.shape[0]))

    def nearest(self, queries: Any, k: int, threads: int | None) -> tuple[Ints, Floats]:
        """Return the k nearest documents of each query and their cosines; see `kernels.postings`."""
        unit = unit_rows(sparse.csr_array(queries))
        starts, terms = unit.indptr.astype(np.int64), unit.indices.astype(np.uint32)

        def block(begin: int, end: int) -> tuple[Ints, Floats]:
            return nearest_by_postings(Rows(starts[begin : end + 1], terms, unit.data), self.lists, k)

        return in_blocks(block, unit.shape[0], rows=QUERIES, threads=threads)


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
        """Return the k nearest documents of each query and their cosines; see `kernels.similar_rows`."""

        def block(begin: int, end: int) -> tuple[Ints, Floats]:
            rows = queries[begin:end]
            unit = unit_rows(rows.toarray() if sparse.issparse(rows) else np.ascontiguousarray(rows))
            estimates = unit.astype(np.float32) @ self.single.T
            return nearest_rows(Estimated(estimates, self.error(), unit), self.vectors, k)

        rows = min(QUERIES, max(1, CELLS // max(1, len(self.vectors))))
        with one_blas_thread():
            return in_blocks(block, queries.shape[0], rows=rows, threads=threads)


def index_of(vectors: Any) -> Postings | DensePoints:
    """Return the index that suits the vectors: postings for sparse ones."""
    return Postings.of(vectors) if sparse.issparse(vectors) else DensePoints.of(vectors)


def in_blocks(
    block: Callable[[int, int], tuple[Ints, Floats]], queries: int, *, rows: int, threads: int | None
) -> tuple[Ints, Floats]:
    """Return the results of blocks of `rows` queries one below the other, whichever thread made them."""
    tasks = [(begin, min(begin + rows, queries)) for begin in range(0, queries, rows)] or [(0, 0)]
    workers = min(threads or os.cpu_count() or 1, len(tasks))
    if workers == 1:
        parts = [block(*task) for task in tasks]
    else:
        with ThreadPoolExecutor(workers) as pool:
            parts = list(pool.map(lambda task: block(*task), tasks))
    return np.concatenate([nearest for nearest, _ in parts]), np.concatenate([cosines for _, cosines in parts])
