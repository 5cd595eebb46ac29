"""The nearest documents by cosine: sparse vectors over postings, dense vectors by blocks of matrix products."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.classifiers.numerics.matrices import canonical_rows, unit_rows
from rubricate.engines import free_cores, one_blas_thread
from rubricate.kernels.best_candidates import OrderedRows
from rubricate.kernels.nearest_lanes import TILE, UNIT, LaneIndex, nearest_by_lanes
from rubricate.kernels.postings import PostingLists, count_postings, nearest_by_postings
from rubricate.kernels.query_lanes import LANES
from rubricate.kernels.rows import Rows, unit_values
from rubricate.kernels.similar_rows import Estimated, nearest_rows
from rubricate.types import Floats, Ints

__all__ = ["DensePoints", "Postings", "in_blocks", "index_of", "lane_index"]

CELLS = 1 << 24
"""Similarities that one thread holds at once: 64 MB in single precision."""
QUERIES = 256
"""Queries of one task."""
RARE = 96
"""A term in fewer than one of so many documents is rare, and is searched by its postings.

On Reuters, 56 to 128 take about the same time: fewer steps of 64 lanes, or fewer postings."""
OVERHEAD = 8
"""Steps of 64 lanes that each document costs besides its terms."""
MOST = 256
"""The largest k for which 64 queries are searched at once: ranking compares all pairs of candidates."""


@dataclass(frozen=True, eq=False)
class Postings:
    """An index of sparse unit vectors: for each term the documents that hold it and its weight there; and the rows."""

    lists: PostingLists
    vectors: Rows

    @staticmethod
    def of(vectors: sparse.csr_array) -> Postings:
        """Return the postings of documents × terms, by one counting sort."""
        turned = sparse.csc_array(vectors)
        turned.sort_indices()
        starts, documents = turned.indptr.astype(np.int64), turned.indices.astype(np.uint32)
        return Postings(PostingLists(starts, documents, turned.data, vectors.shape[0]), _rows(vectors))

    @cached_property
    def _lengths(self) -> NDArray[np.uint32]:
        """How many documents have each term."""
        return np.diff(self.lists.starts).astype(np.uint32)

    @cached_property
    def lanes(self) -> LaneIndex:
        """The index for many queries at once, made when it is first used."""
        return lane_index(self.vectors, len(self.lists.starts) - 1)

    def nearest(self, queries: Any, k: int, threads: int | None) -> tuple[Ints, Floats]:
        """Return the k nearest documents of each query and their cosines; see `kernels.postings`, `nearest_lanes`."""
        rows = _rows(canonical_rows(sparse.csr_array(queries, dtype=np.float64)))
        size = len(rows.starts) - 1
        found, near = np.empty((size, k), np.int64), np.empty((size, k))

        def block(begin: int, end: int) -> None:
            starts = rows.starts[begin : end + 1]
            terms, values = rows.terms[starts[0] : starts[-1]], unit_values(starts, rows.values)
            unit = Rows(starts - starts[0], terms, values)
            search = self._together if self._gains_from_lanes(unit, k) else self._alone
            search(unit, near[begin:end], found[begin:end])

        workers = threads or free_cores()
        _on_threads(block, _even_parts(size, rows=QUERIES, workers=workers), workers)
        return found, near

    def _gains_from_lanes(self, unit: Rows, k: int) -> bool:
        """Tell whether searching 64 queries at once costs less than their postings."""
        # One addition costs about as much as one step of 64 lanes; a step each goes into comparing and storing totals.
        steps = len(self.vectors.values) + OVERHEAD * self.lists.size
        blocks = -(-(len(unit.starts) - 1) // LANES)
        return k <= MOST and count_postings(unit, self._lengths) > blocks * steps

    def _alone(self, unit: Rows, near: Floats, found: Ints) -> None:
        found[:], near[:] = nearest_by_postings(unit, self.lists, found.shape[1])

    def _together(self, unit: Rows, near: Floats, found: Ints) -> None:
        given_up = np.flatnonzero(nearest_by_lanes(unit, self.lanes, near, found))
        if len(given_up):
            found[given_up], near[given_up] = nearest_by_postings(_take(unit, given_up), self.lists, found.shape[1])


def lane_index(vectors: Rows, terms: int, rare: int = RARE) -> LaneIndex:
    """Return the index for many queries at once; terms in fewer than one of `rare` documents are rare."""
    size, lengths = len(vectors.starts) - 1, np.bincount(vectors.terms, minlength=terms)
    slots, columns = np.empty(terms, np.uint32), min(int((lengths * rare >= max(1, size)).sum()), 1 << 16)
    slots[np.argsort(-lengths, kind="stable")] = np.arange(terms)
    rows = Rows(vectors.starts, slots[vectors.terms], vectors.values)
    documents = np.arange(size)
    counts = np.diff(_starts(rows.terms < columns, rows.starts))
    order = np.lexsort((documents, np.diff(rows.starts), counts, documents // TILE))
    exact = _take(rows, order)
    short, frequent = np.rint(exact.values * UNIT).astype(np.int16), exact.terms < columns
    common = Rows(_starts(frequent, exact.starts), exact.terms[frequent].astype(np.uint16), short[frequent])
    holders, slot = np.repeat(documents, np.diff(exact.starts))[~frequent], exact.terms[~frequent]
    by_term = np.argsort(slot, kind="stable")
    ends = np.concatenate([[0], np.cumsum(lengths[np.argsort(slots)][columns:])])
    lists = Rows(ends, holders[by_term].astype(np.uint32), short[~frequent][by_term])
    return LaneIndex(OrderedRows(order, slots, exact), common, lists, columns)


def _starts(chosen: NDArray[np.bool_], starts: Ints) -> Ints:
    """Return where rows start if only the chosen values are kept."""
    return np.concatenate([[0], np.cumsum(chosen)])[starts]


def _take(rows: Rows, chosen: Ints) -> Rows:
    """Return some of the rows, in the order chosen."""
    lengths = np.diff(rows.starts)[chosen]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    at = np.arange(starts[-1]) + np.repeat(rows.starts[chosen] - starts[:-1], lengths)
    return Rows(starts, rows.terms[at], rows.values[at])


def _rows(vectors: sparse.csr_array) -> Rows:
    return Rows(vectors.indptr.astype(np.int64), vectors.indices.astype(np.uint32), vectors.data)


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


def _even_parts(size: int, *, rows: int, workers: int) -> list[tuple[int, int]]:
    """Return parts of at most `rows` queries, as many for every worker, each of whole lanes but for the last.

    >>> _even_parts(300, rows=256, workers=2), _even_parts(30, rows=256, workers=2), _even_parts(0, rows=9, workers=2)
    ([(0, 192), (192, 300)], [(0, 30)], [])
    """
    lanes = min(LANES, rows)
    units = -(-size // lanes)
    parts = min(-(-units // (rows // lanes) // workers) * workers, units)
    return list(pairwise(min(-(-units * part // max(1, parts)) * lanes, size) for part in range(parts + 1)))


def _on_threads(block: Callable[[int, int], Any], tasks: Sequence[tuple[int, int]], workers: int) -> list[Any]:
    """Return what the tasks return, in their order. This thread takes its share, too: starting one costs time."""
    results: list[Any] = [None] * len(tasks)
    left = iter(range(len(tasks)))

    def work() -> None:
        for i in left:
            results[i] = block(*tasks[i])

    others = min(workers, len(tasks)) - 1
    if others < 1:
        work()
        return results
    with ThreadPoolExecutor(others) as pool:
        shares = [pool.submit(work) for _ in range(others)]
        work()
    for share in shares:
        share.result()
    return results


def in_blocks(
    block: Callable[[int, int], tuple[Ints, Floats]], queries: int, *, rows: int, threads: int | None
) -> tuple[Ints, Floats]:
    """Return the results of blocks of `rows` queries at most, one below the other, whichever thread made them."""
    workers = threads or free_cores()
    parts = _on_threads(block, _even_parts(queries, rows=rows, workers=workers) or [(0, 0)], workers)
    return np.concatenate([nearest for nearest, _ in parts]), np.concatenate([cosines for _, cosines in parts])
