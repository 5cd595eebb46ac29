"""The k documents most similar to each of many queries: estimates for 64 queries at once, made exact.

Problem  sim(q, d) = Σ_t q_t d_t; find the k documents of largest sim, as `postings` does, for many queries.
Given    queries by row; the documents in a `LaneIndex`: by row in double precision; and in whole numbers of 16 bits,
         the frequent terms by row and the rare ones as postings. No row is longer than 1. k, at most `TILE`.
Return   a flag for each query that was given up, as more documents than there is room for came too close to the k-th
         best; near and found (queries × k) get the similarities, best first, and the documents. The rows of a query
         that was given up are not set.
Cost     of 64 queries: four vector operations per value of a frequent term, one addition per posting of rare terms, two
         looks at each document; then an inner product for each document whose estimate is within the band below the
         k-th best. Memory: 64 short numbers for each document of a tile.
Ties     equal similarities go to the document of smaller number.
Exact    values are a = A d + α and weights w = B q + β, |α|, |β| <= 1/2, A = 2¹⁵ − 1. For n terms of the query, and as
         Σ |q_t| <= √n and Σ |d_t| <= √n over them, the estimate Σ ⌊a w / 2¹⁶⌋ is at most T sim + e and above
         T sim − n − e, for T = A B / 2¹⁶ and e = √n (1/4 + B / 2¹⁷) + n / 2¹⁸. So k documents that reach a bar leave
         only those above bar − n − 2 e. B is such that T + n + e < 2¹⁵, and no sum overflows. The inner products run
         over the terms in ascending order as those of `postings` do, so that a query gets the same answer, to the last
         digit, from both.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from rubricate.kernels.best_candidates import NearCandidates, OrderedRows, rank_candidates
from rubricate.kernels.lane_code import lowest_lane
from rubricate.kernels.query_lanes import (
    LANES,
    aligned_lanes,
    lanes_above,
    lanes_count,
    lanes_reach,
    lanes_total,
    prefetch,
)
from rubricate.kernels.rows import Rows

__all__ = ["TILE", "UNIT", "LaneIndex", "nearest_by_lanes"]

TILE = 8192
"""Documents whose totals are held at once: 1 MB. A query of Reuters took a tenth longer with 4096, for which more
documents are candidates before the bars are up."""
GROUPS = 4
"""Groups of documents for each of the k, whose peaks set the bar."""
ROOM = 4
"""Places for candidates of a query, for each of the k."""
ZERO, ONE = np.uint64(0), np.uint64(1)
UNIT = 2**15 - 1
"""What stands for 1 in the documents (A)."""
LOWEST, HIGHEST = -(2**15), 2**15 - 1
"""No total is as low or as high."""
HALVINGS = 16
"""Steps of a search for a bar among the numbers of 16 bits."""
LONGEST = 2**13
"""Terms of a query beyond which its estimates are too coarse: it is given up."""
AHEAD = 4
"""Rare terms whose postings are asked for ahead of their use: a third of the time of rare terms is saved."""


class LaneIndex(NamedTuple):
    """The documents by row in double precision, and in whole numbers of 16 bits, `UNIT` for 1.

    Terms of slots below `columns`, at most 2¹⁶, are frequent: `frequent` has their values by row. `rare` has a row for
    each other term, with the positions of its documents. The order of documents keeps to tiles, and within a tile to
    the number of frequent terms: processors do not guess well when a loop of varying length ends.
    """

    documents: OrderedRows
    frequent: Rows
    rare: Rows
    columns: int


class _Rare(NamedTuple):
    """The rare terms of all queries: lane, weight, next posting, the one after the last; where each block starts."""

    lanes: np.ndarray
    weights: np.ndarray
    positions: np.ndarray
    ends: np.ndarray
    starts: np.ndarray


class _Lanes(NamedTuple):
    """For each block of 64 queries: weights of the frequent terms, peaks of the groups, and one row of each other."""

    weights: np.ndarray
    peaks: np.ndarray
    bars: np.ndarray
    floors: np.ndarray
    bands: np.ndarray


@numba.njit(cache=True, nogil=True)
def _scale(values: np.ndarray) -> tuple[float, int]:
    """Return what stands for 1 in a query (B), and the band below a bar in which its best documents are."""
    n, largest = len(values), 0.0
    for value in values:
        largest = max(largest, abs(value))
    root = np.sqrt(n)
    # √n + 1 is above e, and another 1 keeps below the highest number.
    scale = (HIGHEST - n - root - 2) * 2.0**16 / UNIT
    if largest * scale > HIGHEST:
        scale = HIGHEST / largest
    # 2 more, since the band is a whole number, and the exact similarities are rounded themselves.
    return scale, int(n + 2 * (root * (0.25 + scale * 2.0**-17) + n * 2.0**-18)) + 2


@numba.njit(cache=True, nogil=True)
def _load(queries: Rows, index: LaneIndex, lanes: _Lanes, spilled: np.ndarray) -> _Rare:
    """Put the frequent terms of the queries into the lanes, and list the rare ones."""
    starts, terms, values = queries
    slots, columns, lists = index.documents.slots, index.columns, index.rare.starts
    total, size = len(starts) - 1, starts[-1] - starts[0]
    rare = _Rare(
        np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.int64), np.empty(size, np.int64),
        np.zeros(len(lanes.bars) + 1, np.int64),
    )  # fmt: skip
    count = ZERO
    for q in range(total):
        block, lane, row = q // LANES, np.uint64(q % LANES), np.uint64(q // LANES * columns)
        if starts[q + 1] - starts[q] > LONGEST:
            spilled[q] = True
        else:
            scale, lanes.bands[block, lane] = _scale(values[starts[q] : starts[q + 1]])
            for i in range(np.uint64(starts[q]), np.uint64(starts[q + 1])):
                slot, weight = np.uint64(slots[terms[i]]), np.rint(scale * values[i])
                if slot < np.uint64(columns):
                    lanes.weights[row + slot, lane] = np.int16(weight)
                else:
                    at = slot - np.uint64(columns)
                    rare.lanes[count], rare.weights[count] = lane, np.int32(weight)
                    rare.positions[count], rare.ends[count] = lists[at], lists[at + ONE]
                    count += ONE
        rare.starts[block + 1] = count
    return rare


@numba.njit(cache=True, nogil=True)
def _add_rare(rare: _Rare, block: int, index: LaneIndex, first: int, totals: np.ndarray) -> None:
    """Add the postings of the documents of a tile, which begins at `first`, to their totals."""
    _, documents, shorts = index.rare
    last, end_of_block = first + len(totals), rare.starts[block + 1]
    for i in range(rare.starts[block], end_of_block):
        ahead = rare.positions[min(i + AHEAD, end_of_block - 1)]
        prefetch(documents, ahead)
        prefetch(shorts, ahead)
        lane, weight = np.uint64(rare.lanes[i]), rare.weights[i]
        at, end = np.uint64(rare.positions[i]), np.uint64(rare.ends[i])
        while at < end and documents[at] < last:
            totals[np.uint64(documents[at] - first), lane] += np.int16((weight * shorts[at]) >> 16)
            at += ONE
        rare.positions[i] = at


@numba.njit(cache=True, nogil=True)
def _add_frequent(rows: Rows, first: int, weights: np.ndarray, totals: np.ndarray, peaks: np.ndarray) -> None:
    """Add the frequent terms of the documents of a tile to their totals, and raise the peaks of their groups."""
    group, groups = np.uint64(first % len(peaks)), np.uint64(len(peaks))
    for i in range(np.uint64(len(totals))):
        lanes_total(rows, np.uint64(first) + i, weights, totals[i], peaks[group])
        group = group + ONE if group + ONE < groups else ZERO


@numba.njit(cache=True, nogil=True)
def _raise_bars(peaks: np.ndarray, k: int, bars: np.ndarray, work: np.ndarray) -> None:
    """Raise the bar of each lane to its k-th highest peak."""
    # Groups of documents are disjoint: k peaks that reach a number are k documents that reach it.
    high, middle, counts = work[0], work[1], work[2]
    for c in range(LANES):
        high[c] = HIGHEST
    for _ in range(HALVINGS):
        for c in range(LANES):
            middle[c] = (np.int32(bars[c]) + np.int32(high[c])) >> 1
        lanes_count(peaks, len(peaks), middle, counts)
        for c in range(LANES):
            reached = counts[c] >= k
            bars[c] = middle[c] if reached else bars[c]
            high[c] = high[c] if reached else middle[c]


@numba.njit(cache=True, nogil=True)
def _drop(candidates: NearCandidates, q: int, floor: int) -> None:
    """Drop the candidates of a query below the floor; it has spilled if none is."""
    positions, estimates = candidates.positions[q], candidates.estimates[q]
    count = ZERO
    for i in range(np.uint64(candidates.counts[q])):
        if estimates[i] >= floor:
            positions[count], estimates[count] = positions[i], estimates[i]
            count += ONE
    candidates.spilled[q] = count == candidates.counts[q]
    candidates.counts[q] = count


@numba.njit(cache=True, nogil=True)
def _find_hits(totals: np.ndarray, floors: np.ndarray, hits: np.ndarray) -> int:
    """List the documents that reach the floor of any lane, with a bit for each such lane; return how many there are."""
    count: Any = ZERO
    # Which documents these are is a matter of chance: no branch depends on it.
    for d in range(np.uint64(len(totals))):
        bits = lanes_reach(totals[d], floors)
        hits[count, 0], hits[count, 1] = d, bits
        count += np.uint64(bits != 0)
    return count


@numba.njit(cache=True, nogil=True)
def _collect(
    totals: np.ndarray, first: int, block: int, hits: np.ndarray, candidates: NearCandidates, floors: np.ndarray
) -> None:
    """Append the documents of a tile that reach the floors of their lanes."""
    positions, estimates, counts, spilled = candidates
    room: Any = np.uint64(positions.shape[1])
    for d, bits in hits:
        row, q_first = np.uint64(d), np.uint64(block * LANES)
        while bits:
            lane = np.uint64(lowest_lane(bits))
            bits &= bits - 1
            q: Any = q_first + lane
            if counts[q] == room and not spilled[q]:
                _drop(candidates, q, floors[lane])
            if not spilled[q]:
                at = np.uint64(counts[q])
                positions[q, at], estimates[q, at] = np.uint64(first) + row, totals[row, lane]
                counts[q] = at + ONE


@numba.njit(cache=True, nogil=True)
def _search(index: LaneIndex, lanes: _Lanes, rare: _Rare, candidates: NearCandidates, k: int) -> None:
    """Find the candidates of all queries, one tile of documents after the other."""
    size, columns = len(index.documents.order), index.columns
    blocks, groups = len(lanes.bars), len(lanes.peaks) // len(lanes.bars)
    room, work, hits = aligned_lanes(min(TILE, size)), aligned_lanes(3), np.empty((min(TILE, size) + 1, 2), np.int64)
    for first in range(0, size, TILE):
        totals = room[: min(TILE, size - first)]
        for block in range(blocks):
            weights = lanes.weights[block * columns : (block + 1) * columns]
            peaks = lanes.peaks[block * groups : (block + 1) * groups]
            bars, floors = lanes.bars[block], lanes.floors[block]
            totals[:] = 0
            _add_rare(rare, block, index, first, totals)
            _add_frequent(index.frequent, first, weights, totals, peaks)
            _raise_bars(peaks, k, bars, work)
            for c in range(LANES):
                q = block * LANES + c
                vacant = q >= len(candidates.counts) or candidates.spilled[q]
                floors[c] = HIGHEST if vacant else max(bars[c] - lanes.bands[block, c], LOWEST)
            _collect(totals, first, block, hits[: _find_hits(totals, floors, hits)], candidates, floors)


@numba.njit(cache=True, nogil=True)
def _raised(estimates: np.ndarray, k: int, bar: int) -> int:
    """Return the k-th highest estimate, which is not below the bar."""
    low, high = int(bar), HIGHEST
    while high - low > 1:
        middle = (low + high) >> 1
        reached = lanes_above(estimates, len(estimates) // LANES, np.int16(middle)) >= k
        low, high = (middle, high) if reached else (low, middle)
    return low


@numba.njit(cache=True, nogil=True)
def _narrow(lanes: _Lanes, candidates: NearCandidates, k: int) -> None:
    """Leave only the candidates that may be among the k best."""
    for q in range(len(candidates.counts)):
        if not candidates.spilled[q]:
            bar, band = lanes.bars[q // LANES, q % LANES], lanes.bands[q // LANES, q % LANES]
            estimates, count = candidates.estimates[q], candidates.counts[q]
            whole = -(-count // LANES) * LANES
            for i in range(count, whole):
                estimates[i] = LOWEST
            _drop(candidates, q, _raised(estimates[:whole], k, bar) - band)
            candidates.spilled[q] = False


@numba.njit(cache=True, nogil=True)
def nearest_by_lanes(queries: Rows, index: LaneIndex, near: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Set the k nearest documents of each query and their similarities; return which queries were given up."""
    total, k = near.shape
    blocks, groups = max(1, -(-total // LANES)), min(GROUPS * k, len(index.documents.order), TILE)
    lanes = _Lanes(
        aligned_lanes(blocks * index.columns), aligned_lanes(blocks * groups),
        aligned_lanes(blocks), aligned_lanes(blocks), aligned_lanes(blocks),
    )  # fmt: skip
    lanes.weights[:], lanes.peaks[:], lanes.bars[:] = 0, LOWEST, LOWEST
    places = (total, -(-ROOM * k // LANES) * LANES)
    candidates = NearCandidates(
        np.empty(places, np.uint32), np.empty(places, np.int16), np.zeros(total, np.int64), np.zeros(total, np.bool_)
    )
    _search(index, lanes, _load(queries, index, lanes, candidates.spilled), candidates, k)
    _narrow(lanes, candidates, k)
    rank_candidates(queries, index.documents, candidates, near, found)
    return candidates.spilled
