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
def count_larger(typing: Any, values: Any, chunk: Any, counts: Any) -> Any:
    """Set for one chunk of sixteen values how many of all values are larger."""
    signature = types.void(values, types.int64, counts)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        reals = LaneCode(context, builder, signature, arguments, like=0, lanes=STRIDE)
        wholes = LaneCode(context, builder, signature, arguments, like=2, lanes=STRIDE)
        own = reals.load(builder.gep(reals.rows(0), [arguments[1]]))
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        total = cgutils.alloca_once_value(builder, wholes.constant(0))
        with cgutils.for_range(builder, builder.extract_value(array.shape, 0)) as loop:
            value = reals.splat(builder.load(builder.gep(array.data, [loop.index])))
            larger = builder.sext(builder.fcmp_ordered(">", value, own), wholes.vector)
            builder.store(builder.sub(builder.load(total), larger), total)
        wholes.store(builder.load(total), wholes.rows(2))
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
def _rank(
    similarities: np.ndarray, numbers: np.ndarray, places: np.ndarray, best: np.ndarray, names: np.ndarray
) -> None:
    """Put similarities and numbers in order, best first; similarities without a number are −∞."""
    # As many comparisons as pairs, but without a branch.
    for chunk in range(len(similarities) // STRIDE):
        count_larger(similarities, chunk, places[chunk * STRIDE : (chunk + 1) * STRIDE])
    for i in range(len(numbers)):
        names[i] = LAST
    for i in range(len(numbers)):
        # As many are better than each of several equals: these take the places from there on, by their numbers.
        at, number = np.uint64(places[i]), numbers[i]
        while names[at] != LAST:
            if number < names[at]:
                number, names[at] = names[at], number
            at += ONE
        best[at], names[at] = similarities[i], number


@numba.njit(cache=True, nogil=True)
def rank_candidates(
    queries: Rows, documents: OrderedRows, candidates: NearCandidates, near: np.ndarray, found: np.ndarray
) -> None:
    """Rank the candidates of each query by their similarities in double precision."""
    starts, terms, values = queries
    order, slots, rows = documents
    room = candidates.positions.shape[1] + STRIDE
    query, similarities, best = np.zeros(len(slots)), np.empty(room), np.empty(room)
    numbers, places, names = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    for q in range(len(near)):
        if candidates.spilled[q]:
            continue
        count = candidates.counts[q]
        positions, whole = candidates.positions[q, :count], -(-count // STRIDE) * STRIDE
        for i in range(count):
            numbers[i] = order[np.uint64(positions[i])]
        for i in range(starts[q], starts[q + 1]):
            query[slots[terms[i]]] = values[i]
        _compute(query, rows, positions, similarities)
        for i in range(starts[q], starts[q + 1]):
            query[slots[terms[i]]] = 0.0
        for i in range(count, whole):
            similarities[i] = -np.inf
        _rank(similarities[:whole], numbers[:count], places, best, names)
        for i in range(near.shape[1]):
            near[q, i], found[q, i] = best[i], names[i]
