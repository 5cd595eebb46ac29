"""The k best of a few candidates of each query, by inner products in double precision.

Problem  sim(q, d) = Σ_t q_t d_t; find the k candidates of largest sim.
Given    queries by row; documents as `OrderedRows`; the positions of the candidates of each query, at least k, and
         which queries to leave out.
Return   nothing: near and found (queries × k) get the similarities, best first, and the numbers of the documents. Rows
         of queries that are left out stay as they are.
Cost     one multiplication and addition per stored value of a candidate, and, with vectors of 16 lanes, a comparison of
         all pairs of candidates of one query.
Ties     equal similarities go to the document of smaller number.
Exact    products are summed in the order of a document's row. A term that the query does not have adds 0, which changes
         no digit: the sums are those of `postings` if rows are in the order of the queries' terms.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic

from rubricate.kernels.lane_code import LaneCode
from rubricate.kernels.query_lanes import prefetch
from rubricate.kernels.rows import Rows

__all__ = ["NearCandidates", "OrderedRows", "rank_candidates"]

STRIDE = 16
"""Similarities that are ranked at once."""
AHEAD = 4
"""Rows lie anywhere in memory, and waiting takes longer than summing: they are asked for so many rows ahead.

Only the first 24 values: loops over all lines of a row took longer than they saved (Reuters, 43 values per row)."""
ONE = np.uint64(1)
LAST = np.iinfo(np.int64).max
"""The number of no document, behind all others."""
_intrinsic: Any = intrinsic


class OrderedRows(NamedTuple):
    """Documents in an order of their own: row p is that of document order[p]. Its terms are slots: term t is slots[t].

    Slots count from the most frequent term on, so that what is looked up often lies together.
    """

    order: np.ndarray
    slots: np.ndarray
    rows: Rows


class NearCandidates(NamedTuple):
    """Positions of documents with their estimates, queries × room; how many of each query; which are given up."""

    positions: np.ndarray
    estimates: np.ndarray
    counts: np.ndarray
    spilled: np.ndarray


@_intrinsic
def count_better(typing: Any, values: Any, numbers: Any, chunk: Any, places: Any) -> Any:
    """Set the places of one chunk of sixteen values: how many are larger, or equal and of smaller number."""
    signature = types.void(values, numbers, types.int64, places)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        reals = LaneCode(context, builder, signature, arguments, like=0, lanes=STRIDE)
        wholes = LaneCode(context, builder, signature, arguments, like=1, lanes=STRIDE)
        own = reals.load(builder.gep(reals.rows(0), [arguments[2]]))
        number = wholes.load(builder.gep(wholes.rows(1), [arguments[2]]))
        arrays = [context.make_array(kind)(context, builder, arguments[i]) for i, kind in enumerate(signature.args[:2])]
        total = cgutils.alloca_once_value(builder, wholes.constant(0))
        with cgutils.for_range(builder, builder.extract_value(arrays[0].shape, 0)) as loop:
            value, other = (builder.load(builder.gep(array.data, [loop.index])) for array in arrays)
            better = builder.fcmp_ordered(">", reals.splat(value), own)
            equal = builder.fcmp_ordered("==", reals.splat(value), own)
            smaller = builder.icmp_signed("<", wholes.splat(other), number)
            before = builder.or_(better, builder.and_(equal, smaller))
            builder.store(builder.sub(builder.load(total), builder.sext(before, wholes.vector)), total)
        wholes.store(builder.load(total), wholes.rows(3))
        return context.get_dummy_value()

    return signature, generate


@numba.njit(cache=True, nogil=True)
def _compute(query: np.ndarray, rows: Rows, positions: np.ndarray, similarities: np.ndarray) -> None:
    """Set the similarities of the documents at these positions."""
    starts, terms, values = rows
    n = len(positions)
    for i in range(n):
        ahead = starts[np.uint64(positions[min(i + AHEAD, n - 1)])]
        for line in range(3):
            prefetch(values, ahead + 8 * line)
        for line in range(2):
            prefetch(terms, ahead + 16 * line)
        total, row = 0.0, np.uint64(positions[i])
        for p in range(np.uint64(starts[row]), np.uint64(starts[row + ONE])):
            total += query[np.uint64(terms[p])] * values[p]
        similarities[i] = total


@numba.njit(cache=True, nogil=True)
def _rank(similarities: np.ndarray, numbers: np.ndarray, near: np.ndarray, found: np.ndarray) -> None:
    """Put the k best in order, best first. There are as many as a multiple of `STRIDE`."""
    # The place of each is the number of better ones: as many comparisons as pairs, but without a branch.
    places = np.empty(STRIDE, np.int64)
    for chunk in range(len(similarities) // STRIDE):
        count_better(similarities, numbers, chunk, places)
        for c in range(STRIDE):
            if places[c] < len(near):
                i = chunk * STRIDE + c
                near[places[c]], found[places[c]] = similarities[i], numbers[i]


@numba.njit(cache=True, nogil=True)
def rank_candidates(
    queries: Rows, documents: OrderedRows, candidates: NearCandidates, near: np.ndarray, found: np.ndarray
) -> None:
    """Rank the candidates of each query by their similarities in double precision."""
    starts, terms, values = queries
    order, slots, rows = documents
    room = candidates.positions.shape[1] + STRIDE
    query, similarities, numbers = np.zeros(len(slots)), np.empty(room), np.empty(room, np.int64)
    for q in range(len(near)):
        if candidates.spilled[q]:
            continue
        count = candidates.counts[q]
        positions, whole = candidates.positions[q, :count], -(-count // STRIDE) * STRIDE
        for i in range(count):
            numbers[i] = order[np.uint64(positions[i])]
        similarities[count:whole], numbers[count:whole] = -np.inf, LAST
        for i in range(starts[q], starts[q + 1]):
            query[slots[terms[i]]] = values[i]
        _compute(query, rows, positions, similarities)
        for i in range(starts[q], starts[q + 1]):
            query[slots[terms[i]]] = 0.0
        _rank(similarities[:whole], numbers[:whole], near[q], found[q])
