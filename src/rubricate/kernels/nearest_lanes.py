"""The k documents most similar to each of many queries: estimates for 32 queries at once, made exact.

Problem  sim(q, d) = Σ_t q_t d_t; find the k documents of largest sim, as `postings` does, for many queries.
Given    queries by row; the documents three times, in a `LaneIndex`: by row; as postings, which serve the rare terms;
         and, in float32, the values of the frequent terms by row. No row is longer than 1. k, at most `TILE`.
Return   (documents, similarities, spilled): queries × k, best first; and a flag for each query that was given up,
         as more documents than there is room for came too close to the k-th best. The rows of such a query are not set.
Cost     of 32 queries: two vector operations per value of a frequent term, one addition per posting of rare terms, two
         looks at each document; then an inner product for each document whose estimate is within 2 · error of the
         k-th best. Memory: 32 numbers for each document of a tile.
Ties     equal similarities go to the document of smaller number.
Exact    an estimate is off by less than (n + 4) u / (1 − (n + 4) u), for n terms of the query and u = 2⁻²⁴, since
         Σ |q_t d_t| <= 1. The inner products run over the terms in ascending order as those of `postings` do, so that a
         query gets the same answer, to the last digit, from both.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.lane_code import lowest_lane
from rubricate.kernels.postings import PostingLists
from rubricate.kernels.query_lanes import (
    LANES,
    aligned_lanes,
    lanes_count,
    lanes_reach,
    lanes_total,
    prefetch,
)
from rubricate.kernels.rows import Rows

__all__ = ["TILE", "Frequent", "LaneIndex", "nearest_by_lanes"]

TILE = 2048
"""Documents whose totals are held at once: 256 KB, so that they and the rows of a tile stay in the second-level cache.

With 8192, a query of Reuters took a third longer on the machine of benchmarks/RESULTS.md."""
GROUPS = 4
"""Groups of documents for each of the k, whose peaks set the bar."""
ROOM = 4
"""Places for candidates of a query, for each of the k."""
ONE = np.uint64(1)
HALVINGS = 12
"""Steps of a search for a bar: it is found to within 2 / 2¹² of the best one."""
HIGHEST = np.float32(1.5)
"""No estimate is as high, and none below its negative: no row is longer than 1."""


class Frequent(NamedTuple):
    """The values of frequent terms: term t is column slots[t] of `rows` (float32), or rare where that is −1.

    Row i belongs to document order[i]; the order keeps to tiles. Rows of one length one after the other, all of an even
    number of values, are faster: processors do not guess well when a loop of varying length ends.
    """

    slots: np.ndarray
    order: np.ndarray
    rows: Rows
    columns: int


class LaneIndex(NamedTuple):
    """The documents as postings, by row, and the frequent terms of them by row in single precision."""

    lists: PostingLists
    vectors: Rows
    frequent: Frequent


class _Rare(NamedTuple):
    """The rare terms of all queries: lane, value, next posting, the one after the last; where each block starts."""

    lanes: np.ndarray
    values: np.ndarray
    positions: np.ndarray
    ends: np.ndarray
    starts: np.ndarray


class _Lanes(NamedTuple):
    """For each block of 32 queries: weights of the frequent terms, peaks of the groups, and one row of each other."""

    weights: np.ndarray
    peaks: np.ndarray
    bars: np.ndarray
    floors: np.ndarray
    errors: np.ndarray


class _Candidates(NamedTuple):
    """Documents, ascending, with their estimates, queries × room; how many of each query; which ran out of room."""

    documents: np.ndarray
    estimates: np.ndarray
    counts: np.ndarray
    spilled: np.ndarray


@numba.njit(cache=True, nogil=True)
def _load(queries: Rows, index: LaneIndex, lanes: _Lanes) -> _Rare:
    """Put the frequent terms of the queries into the lanes, and list the rare ones."""
    starts, terms, values = queries
    post_starts, slots, columns = index.lists.starts, index.frequent.slots, index.frequent.columns
    total, size = len(starts) - 1, starts[-1] - starts[0]
    rare = _Rare(
        np.empty(size, np.int64), np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64),
        np.zeros(len(lanes.bars) + 1, np.int64),
    )  # fmt: skip
    count = 0
    for q in range(total):
        block, lane = q // LANES, q % LANES
        for i in range(starts[q], starts[q + 1]):
            slot = slots[terms[i]]
            if slot >= 0:
                lanes.weights[block * columns + slot, lane] = values[i]
            else:
                rare.lanes[count], rare.values[count] = lane, values[i]
                rare.positions[count], rare.ends[count] = post_starts[terms[i]], post_starts[terms[i] + 1]
                count += 1
        rare.starts[block + 1] = count
        share = (starts[q + 1] - starts[q] + 4) * 2.0**-24
        # Twice the error, since both the estimate and the bar may be off; 2⁻²² for rounding the bar itself.
        lanes.errors[block, lane] = 2 * share / (1 - share) + 2.0**-22 if share < 0.5 else np.inf
    return rare


@numba.njit(cache=True, nogil=True)
def _add_rare(rare: _Rare, block: int, lists: PostingLists, first: int, totals: np.ndarray) -> None:
    """Add the postings of the documents of a tile, which begins at `first`, to their totals."""
    documents, weights, last = lists.documents, lists.weights, first + len(totals)
    for i in range(rare.starts[block], rare.starts[block + 1]):
        lane, value = np.uint64(rare.lanes[i]), rare.values[i]
        at, end = np.uint64(rare.positions[i]), np.uint64(rare.ends[i])
        while at < end and documents[at] < last:
            totals[np.uint64(documents[at] - first), lane] += np.float32(value * weights[at])
            at += ONE
        rare.positions[i] = at


@numba.njit(cache=True, nogil=True)
def _raise_bars(peaks: np.ndarray, k: int, bars: np.ndarray, work: np.ndarray) -> None:
    """Raise the bar of each lane to a number that at least k of its peaks reach, and few more."""
    # Groups of documents are disjoint: k peaks that reach a number are k documents that reach it.
    high, middle, counts = work[0], work[1], work[2]
    high[:] = HIGHEST
    for _ in range(HALVINGS):
        for c in range(LANES):
            middle[c] = np.float32(0.5) * (bars[c] + high[c])
        lanes_count(peaks, len(peaks), middle, counts)
        for c in range(LANES):
            if counts[c] >= k:
                bars[c] = middle[c]
            else:
                high[c] = middle[c]


@numba.njit(cache=True, nogil=True)
def _drop(candidates: _Candidates, q: int, floor: float) -> None:
    """Drop the candidates of a query below the floor; it has spilled if none is."""
    documents, estimates = candidates.documents[q], candidates.estimates[q]
    count = 0
    for i in range(candidates.counts[q]):
        if estimates[i] >= floor:
            documents[count], estimates[count] = documents[i], estimates[i]
            count += 1
    candidates.spilled[q] = count == candidates.counts[q]
    candidates.counts[q] = count


@numba.njit(cache=True, nogil=True)
def _collect(totals: np.ndarray, first: int, block: int, floors: np.ndarray, candidates: _Candidates) -> None:
    """Append the documents of a tile that reach the floors of their lanes."""
    documents, estimates, counts, spilled = candidates
    for d in range(len(totals)):
        bits = lanes_reach(totals[d], floors)
        while bits:
            lane = lowest_lane(bits)
            bits &= bits - 1
            q = block * LANES + lane
            if counts[q] == documents.shape[1]:
                _drop(candidates, q, floors[lane])
                if spilled[q]:
                    floors[lane] = np.inf
            if totals[d, lane] >= floors[lane]:
                documents[q, counts[q]], estimates[q, counts[q]] = first + d, totals[d, lane]
                counts[q] += 1


@numba.njit(cache=True, nogil=True)
def _search(index: LaneIndex, lanes: _Lanes, rare: _Rare, candidates: _Candidates, k: int) -> None:
    """Find the candidates of all queries, one tile of documents after the other."""
    rows, order, documents = index.frequent.rows, index.frequent.order, index.lists.size
    columns = index.frequent.columns
    blocks, groups = len(lanes.bars), len(lanes.peaks) // len(lanes.bars)
    room, work = aligned_lanes(min(TILE, documents)), aligned_lanes(3)
    for first in range(0, documents, TILE):
        totals = room[: min(TILE, documents - first)]
        for block in range(blocks):
            weights = lanes.weights[block * columns : (block + 1) * columns]
            peaks = lanes.peaks[block * groups : (block + 1) * groups]
            bars, floors = lanes.bars[block], lanes.floors[block]
            totals[:] = 0.0
            _add_rare(rare, block, index.lists, first, totals)
            group = first % groups
            for i in range(first, first + len(totals)):
                lanes_total(rows, i, weights, totals[order[i] - first], peaks[group])
                group = group + 1 if group + 1 < groups else 0
            _raise_bars(peaks, k, bars, work)
            for c in range(LANES):
                q = block * LANES + c
                vacant = q >= len(candidates.counts) or candidates.spilled[q]
                floors[c] = np.inf if vacant else bars[c] - lanes.errors[block, c]
            _collect(totals, first, block, floors, candidates)


@numba.njit(cache=True, nogil=True)
def _raised(estimates: np.ndarray, k: int, bar: float) -> float:
    """Return a number, not below the bar, that at least k of the estimates reach, and few more."""
    low, high = np.float32(bar), np.float32(HIGHEST)
    for _ in range(HALVINGS):
        middle, count = np.float32(0.5) * (low + high), np.int32(0)
        for i in range(len(estimates)):
            count += np.int32(estimates[i] >= middle)
        if count >= k:
            low = middle
        else:
            high = middle
    return float(low)


@numba.njit(cache=True, nogil=True)
def _rank(similarities: np.ndarray, documents: np.ndarray, near: np.ndarray, found: np.ndarray) -> None:
    """Put the k best in order, best first. Documents are ascending, so that of equals the earlier comes first."""
    # The place of each is the number of better ones: as many comparisons as pairs, but without a branch.
    for i in range(len(similarities)):
        own, place = similarities[i], 0
        for j in range(len(similarities)):
            place += (similarities[j] > own) | ((similarities[j] == own) & (j < i))
        if place < len(near):
            near[place], found[place] = own, documents[i]


@numba.njit(cache=True, nogil=True)
def _ask_for(vectors: Rows, document: int) -> None:
    """Ask for the row of a document: rows lie anywhere in memory, and waiting takes longer than summing."""
    starts, terms, values = vectors
    for p in range(starts[document], starts[document + 1], 8):
        prefetch(values, p)
        prefetch(terms, p)


@numba.njit(cache=True, nogil=True)
def _compute(query: np.ndarray, vectors: Rows, documents: np.ndarray, upcoming: np.ndarray) -> np.ndarray:
    """Return the similarities of these documents; meanwhile ask for the rows of those that come next."""
    starts, terms, values = vectors
    similarities = np.empty(len(documents))
    for i in range(len(documents)):
        if i < len(upcoming):
            _ask_for(vectors, upcoming[i])
        total, row = 0.0, np.uint64(documents[i])
        for p in range(np.uint64(starts[row]), np.uint64(starts[row + ONE])):
            total += query[np.uint64(terms[p])] * values[p]
        similarities[i] = total
    return similarities


@numba.njit(cache=True, nogil=True)
def _narrow(lanes: _Lanes, candidates: _Candidates, k: int) -> None:
    """Leave only the candidates that may be among the k best."""
    for q in range(len(candidates.counts)):
        if not candidates.spilled[q]:
            bar, error = lanes.bars[q // LANES, q % LANES], lanes.errors[q // LANES, q % LANES]
            _drop(candidates, q, _raised(candidates.estimates[q, : candidates.counts[q]], k, bar) - error)
            candidates.spilled[q] = False


@numba.njit(cache=True, nogil=True)
def nearest_by_lanes(queries: Rows, index: LaneIndex, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the k nearest documents of each query, their similarities, and which queries were given up."""
    starts, terms, values = queries
    total = len(starts) - 1
    blocks, groups = max(1, -(-total // LANES)), min(GROUPS * k, index.lists.size, TILE)
    lanes = _Lanes(
        aligned_lanes(blocks * index.frequent.columns), aligned_lanes(blocks * groups),
        aligned_lanes(blocks), aligned_lanes(blocks), aligned_lanes(blocks),
    )  # fmt: skip
    lanes.peaks[:], lanes.bars[:] = -np.inf, -HIGHEST
    places = (total, ROOM * k)
    candidates = _Candidates(
        np.empty(places, np.int64), np.empty(places, np.float32), np.zeros(total, np.int64), np.zeros(total, np.bool_)
    )
    _search(index, lanes, _load(queries, index, lanes), candidates, k)
    _narrow(lanes, candidates, k)
    found, near, query = np.empty((total, k), np.int64), np.empty((total, k)), np.zeros(len(index.frequent.slots))
    for q in range(total):
        if candidates.spilled[q]:
            continue
        following = min(q + 1, total - 1)
        documents = candidates.documents[q, : candidates.counts[q]]
        upcoming = candidates.documents[following, : candidates.counts[following]]
        for i in range(starts[q], starts[q + 1]):
            query[terms[i]] = values[i]
        _rank(_compute(query, index.vectors, documents, upcoming), documents, near[q], found[q])
        for i in range(starts[q], starts[q + 1]):
            query[terms[i]] = 0.0
    return found, near, candidates.spilled
