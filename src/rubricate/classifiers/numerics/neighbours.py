"""The nearest documents by cosine: sparse vectors over postings, dense vectors by blocks of matrix products."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.classifiers.numerics.matrices import unit_rows
from rubricate.engines import free_cores, one_blas_thread
from rubricate.kernels.nearest_lanes import TILE, Frequent, LaneIndex, nearest_by_lanes
from rubricate.kernels.postings import PostingLists, nearest_by_postings
from rubricate.kernels.query_lanes import LANES
from rubricate.kernels.rows import Rows
from rubricate.kernels.similar_rows import Estimated, nearest_rows
from rubricate.types import Floats, Ints

__all__ = ["DensePoints", "Postings", "frequent_rows", "in_blocks", "index_of"]

CELLS = 1 << 24
"""Similarities that one thread holds at once: 64 MB in single precision."""
QUERIES = 256
"""Queries of one task."""
RARE = 64
"""A term in fewer than one of so many documents is rare, and is searched by its postings.

On Reuters, 40 to 128 take about the same time: fewer steps of 32 lanes, or fewer postings."""
OVERHEAD = 8
"""Steps of 32 lanes that each document costs besides its terms."""
MOST = 256
"""The largest k for which 32 queries are searched at once: ranking compares all pairs of candidates."""


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
    def lanes(self) -> LaneIndex:
        """The index for many queries at once, made when it is first used."""
        lengths = np.diff(self.lists.starts)
        frequent = np.flatnonzero(lengths * RARE >= max(1, self.lists.size))
        slots = np.full(len(lengths), -1)
        slots[frequent] = np.arange(len(frequent))
        return LaneIndex(self.lists, self.vectors, frequent_rows(self.vectors, slots))

    def nearest(self, queries: Any, k: int, threads: int | None) -> tuple[Ints, Floats]:
        """Return the k nearest documents of each query and their cosines; see `kernels.postings`, `nearest_lanes`."""
        unit = unit_rows(sparse.csr_array(queries))
        many = self._gains_from_lanes(unit, k)
        first, order = int(many.sum()), np.argsort(~many, kind="stable")
        mixed = 0 < first < len(many)
        sorted_ = unit[order] if mixed else unit

        def block(begin: int, end: int) -> tuple[Ints, Floats]:
            return (self._together if begin < first else self._alone)(sorted_[begin:end], k)

        neighbours, cosines = in_blocks(block, len(many), rows=QUERIES, threads=threads, border=first)
        if mixed:
            neighbours[order], cosines[order] = neighbours.copy(), cosines.copy()
        return neighbours, cosines

    def _gains_from_lanes(self, unit: sparse.csr_array, k: int) -> NDArray[np.bool_]:
        """Tell for each query whether searching 32 at once costs less than its postings; for none if they are few."""
        no = np.zeros(unit.shape[0], bool)
        if unit.shape[0] < LANES or k > MOST:
            return no
        postings = np.concatenate([[0], np.cumsum(np.diff(self.lists.starts)[unit.indices])])[unit.indptr]
        # One addition costs about as much as one step of 32 lanes; a step each goes into comparing and storing totals.
        steps = len(self.vectors.values) + OVERHEAD * self.lists.size
        many = LANES * np.diff(postings) > steps
        return many if many.sum() >= LANES else no

    def _alone(self, unit: sparse.csr_array, k: int) -> tuple[Ints, Floats]:
        return nearest_by_postings(_rows(unit), self.lists, k)

    def _together(self, unit: sparse.csr_array, k: int) -> tuple[Ints, Floats]:
        neighbours, cosines, given_up = nearest_by_lanes(_rows(unit), self.lanes, k)
        if given_up.any():
            neighbours[given_up], cosines[given_up] = self._alone(unit[given_up], k)
        return neighbours, cosines


def frequent_rows(vectors: Rows, slots: Ints) -> Frequent:
    """Return the values of the terms that have a slot, by row: within a tile, rows of one length together.

    A row of an odd number of values gets a further one, 0, in the column behind the last.
    """
    starts, terms, values = vectors
    columns = int(slots.max(initial=-1)) + 1
    own = slots[terms]
    ends = np.concatenate([[0], np.cumsum(own >= 0)])[starts]
    lengths, documents = np.diff(ends), np.arange(len(starts) - 1)
    order = np.lexsort((documents, lengths, documents // TILE))
    places = np.concatenate([[0], np.cumsum(lengths[order] + lengths[order] % 2)])
    slot, value = np.full(places[-1], columns, np.uint32), np.zeros(places[-1], np.float32)
    shift = np.empty_like(lengths)
    shift[order] = places[:-1] - ends[order]
    kept = np.flatnonzero(own >= 0)
    at = np.arange(len(kept)) + np.repeat(shift, lengths)
    slot[at], value[at] = own[kept], values[kept]
    return Frequent(slots, order, Rows(places, slot, value), columns + 1)


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


def _even_parts(first: int, last: int, *, rows: int, workers: int) -> list[tuple[int, int]]:
    """Return parts of at most `rows` queries, as many for every worker, each of whole lanes but for the last.

    >>> _even_parts(0, 300, rows=256, workers=2), _even_parts(300, 340, rows=256, workers=2)
    ([(0, 160), (160, 300)], [(300, 332), (332, 340)])
    """
    lanes = min(LANES, rows)
    units = -(-(last - first) // lanes)
    parts = min(-(-units // (rows // lanes) // workers) * workers, units)
    borders = [min(first + -(-units * part // parts) * lanes, last) for part in range(parts + 1)] if parts else []
    return list(pairwise(borders))


def in_blocks(
    block: Callable[[int, int], tuple[Ints, Floats]],
    queries: int,
    *,
    rows: int,
    threads: int | None,
    border: int = 0,
) -> tuple[Ints, Floats]:
    """Return the results of blocks of `rows` queries at most, one below the other, whichever thread made them.

    No block goes across the border.
    """
    workers = threads or free_cores()
    tasks = [
        part for ends in ((0, border), (border, queries)) for part in _even_parts(*ends, rows=rows, workers=workers)
    ] or [(0, 0)]
    if min(workers, len(tasks)) == 1:
        parts = [block(*task) for task in tasks]
    else:
        with ThreadPoolExecutor(workers) as pool:
            parts = list(pool.map(lambda task: block(*task), tasks))
    return np.concatenate([nearest for nearest, _ in parts]), np.concatenate([cosines for _, cosines in parts])
