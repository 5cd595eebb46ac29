"""One linear SVM without each of some documents in turn, sixteen of them together where all documents are looked at.

Problem: that of `svm_pivots`, and whether documents outside the working set come to violate their margin.

Given  the full solution on the working set, the documents outside it, and the `LaneRemovals`.
Return what `svm_pivots` returns; which signs, or scores, the documents outside leave open, by the gap that they add,
       Σ C_a max(0, 1 − y_a f'(x_a)); and which of them do.
Cost   for sixteen documents left out: one pass over the stored values of the working set and of the documents near
       enough to be reached, |f'(x) − f(x)| <= |w' − w| |x| + |b' − b|.
Ties   none.
Edge   a document for which no solution was found is not looked at further.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_lanes import LANES, lanes_add, lanes_dot
from rubricate.kernels.svm_pivots import Certainty, Optimum, intervals, make_room, retrain
from rubricate.kernels.svm_retraining import Outside

__all__ = ["LaneRemovals", "Pivoted", "leave_out_by_pivots"]

SLACK = 1e-4
"""A margin that falls short by less does not count: single precision gives no more for sums of some hundred terms."""


PAYS = 30
"""Responses of a removal, about: so often a table without free places is read where copying it is worth its cost."""
STEPS = 64
"""Steps of size by which removals are sorted: finer ones than documents would be of no use."""


class LaneRemovals(NamedTuple):
    """Which documents to leave out and how sure to be.

    `rows` are the documents of the working set, `chosen` places among them, `scores` of these by the full solution;
    `levels`, `reach2` and `signs` as in `svm_pivots`, with a bar of each document; a gap above `largest` leaves a score
    open. `W` is room for terms × 16 numbers, each row of which best fills one line of the cache.
    """

    rows: np.ndarray
    chosen: np.ndarray
    scores: np.ndarray
    levels: np.ndarray
    reach2: float
    largest: float
    signs: bool
    bars: np.ndarray
    W: np.ndarray


class Pivoted(NamedTuple):
    """For each document left out: score, free documents (−1: not found), responses, and whether it is open.

    `hit` marks the documents outside that leave it so.
    """

    scores: np.ndarray
    free: np.ndarray
    steps: np.ndarray
    open: np.ndarray
    hit: np.ndarray


class _Near(NamedTuple):
    """Documents by the terms of the working set, for in no other term can w' differ from w.

    `inner` are the rows of the working set, at the places `inner_at`, `outer` the documents outside, at `outer_at`,
    with their `lengths`. Where the working set has few of all terms, these are numbered 0, 1, …, without the others.
    """

    inner: Rows
    inner_at: np.ndarray
    outer: Rows
    outer_at: np.ndarray
    lengths: np.ndarray
    terms: int


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _renumbered(documents: Rows, chosen: np.ndarray, place: np.ndarray) -> Rows:
    """Copy rows in other numbers of the terms; terms without a number (−1) are left out."""
    starts, terms, values = documents
    size = 0
    for r in chosen:
        size += starts[r + 1] - starts[r]
    new_starts, new_terms = np.zeros(len(chosen) + 1, np.int64), np.empty(size, np.uint32)
    new_values, at = np.empty(size, values.dtype), 0
    for a in range(len(chosen)):
        for p in range(starts[chosen[a]], starts[chosen[a] + 1]):
            if place[terms[p]] >= 0:
                new_terms[at], new_values[at] = place[terms[p]], values[p]
                at += 1
        new_starts[a + 1] = at
    return Rows(new_starts, new_terms[:at], new_values[:at])


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _near(outside: Outside, rows: np.ndarray, width: int) -> _Near:
    """Return the documents as `_Near` has them, from the rows of the working set and the number of all terms."""
    starts, terms, _ = outside.rows
    place, used = np.full(width, -1, np.int32), 0
    for r in rows:
        for p in range(starts[r], starts[r + 1]):
            place[terms[p]] = 0
    for t in range(len(place)):
        if place[t] == 0:
            place[t] = used
            used += 1
    if 2 * used > width:
        return _Near(outside.rows, rows, outside.rows, outside.places, outside.lengths, width)
    inner, outer = _renumbered(outside.rows, rows, place), _renumbered(outside.rows, outside.places, place)
    lengths = np.zeros(len(outside.places))
    for o in range(len(lengths)):
        for p in range(outer.starts[o], outer.starts[o + 1]):
            lengths[o] += outer.values[p] * outer.values[p]
    return _Near(inner, np.arange(len(rows)), outer, np.arange(len(lengths)), np.sqrt(lengths), used)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _move_weights(near: _Near, W: np.ndarray, changes: np.ndarray) -> np.ndarray:
    """Set W = w' − w of every lane (terms × lanes); return |w' − w| of each."""
    W[:] = 0.0
    size = np.zeros(LANES, np.float32)
    for a in range(len(near.inner_at)):
        moved = False
        for lane in range(LANES):
            moved |= changes[a, lane] != 0.0
        # All of F moves, but of N only what was pivoted: most of it keeps its β in all sixteen removals.
        if moved:
            lanes_add(near.inner, near.inner_at[a], W, changes[a])
    for t in range(len(W)):
        for lane in range(LANES):
            size[lane] += W[t, lane] * W[t, lane]
    return np.sqrt(size)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _look_outside(
    outside: Outside, near: _Near, W: np.ndarray, sizes: np.ndarray, shift: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return C (1 − y f')₊ of the documents outside, summed per lane, and a bit per lane in which each falls short."""
    _, places, spare, _, y, cap = outside
    extra, short = np.zeros(LANES), np.zeros(len(places), np.uint16)
    change, farthest, most = np.empty(LANES, np.float32), sizes.max(), np.abs(shift).max()
    for o in range(len(places)):
        # Too far to be reached in any lane (Cauchy and Schwarz).
        if spare[o] >= farthest * near.lengths[o] + most:
            continue
        lanes_dot(near.outer, near.outer_at[o], W, change)
        for lane in range(LANES):
            lack = -spare[o] - y[o] * (change[lane] + shift[lane])
            if lack > SLACK:
                extra[lane] += cap[o] * lack
                short[o] |= np.uint16(1 << lane)
    return extra, short


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _taken(optimum: Optimum, chosen: np.ndarray) -> Optimum:
    """Copy the solution without the places at the end that no document has taken (C = 0): every response is shorter.

    For few removals it is taken as it is.
    """
    table, free, y, cap, home, start = optimum
    n = free
    for a in range(free, len(cap)):
        n = a + 1 if cap[a] > 0 else n
    for r in chosen:
        n = max(n, r + 1)
    if PAYS * len(chosen) * (len(cap) - n) < n * n:
        return optimum
    short, begin = np.empty((n, n + 1), table.dtype), np.empty(n + 1, start.dtype)
    short[:, :n], short[:, n] = table[:n, :n], table[:n, len(cap)]
    begin[:n], begin[n] = start[:n], start[len(cap)]
    return Optimum(short, free, y[:n], cap[:n], home[:n], begin)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _certainty(optimum: Optimum, removals: LaneRemovals) -> Certainty:
    levels = removals.levels
    within = np.empty((len(levels), 2, len(optimum.y)), np.float32)
    for k in range(len(levels)):
        within[k] = intervals(optimum, levels[k])
    return Certainty(levels, within, removals.reach2, removals.signs)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _by_size(optimum: Optimum, chosen: np.ndarray) -> np.ndarray:
    """Return the order of the removals by |β|, in steps of √|β|; of equals the earlier comes first.

    What is removed together reaches about as far then: the documents to look at are those that the farthest reaches.
    """
    sizes, starts, order = np.empty(len(chosen)), np.zeros(STEPS + 1, np.int64), np.empty(len(chosen), np.int64)
    for k in range(len(chosen)):
        r = chosen[k]
        sizes[k] = np.sqrt(abs(optimum.start[r] if r < optimum.free else optimum.home[r]))
    scale = (STEPS - 1) / max(sizes.max(), 1e-30) if len(sizes) else 0.0
    for size in sizes:
        starts[np.int64(size * scale) + 1] += 1
    for step in range(STEPS):
        starts[step + 1] += starts[step]
    for k in range(len(chosen)):
        own = np.int64(sizes[k] * scale)
        order[starts[own]] = k
        starts[own] += 1
    return order


@numba.njit(cache=True, nogil=True, error_model="numpy")
def leave_out_by_pivots(solution: Optimum, outside: Outside, removals: LaneRemovals) -> Pivoted:
    """Leave out each of the chosen documents.

    The score is w'·x + b' with w' from the changes of β: errors of the table cancel there, where documents are nearly
    equal.
    """
    chosen, optimum = removals.chosen, _taken(solution, removals.chosen)
    near = _near(outside, removals.rows[: len(optimum.y)], len(removals.W))
    W = removals.W[: near.terms]
    n, count = len(optimum.y), len(chosen)
    scores, free, steps = np.zeros(count), np.zeros(count, np.int64), np.zeros(count, np.int64)
    open_, hit = np.zeros(count, np.bool_), np.zeros(len(outside.places), np.bool_)
    room, certainty = make_room(n), _certainty(optimum, removals)
    changes, product, gaps = np.empty((n + 1, LANES), np.float32), np.empty(LANES, np.float32), np.zeros(LANES)
    order = _by_size(optimum, chosen)
    for first in range(0, count, LANES):
        together = order[first : first + LANES]
        changes[:] = 0.0
        for lane, k in enumerate(together):
            scores[k], gaps[lane], free[k], steps[k] = retrain(optimum, room, chosen[k], certainty, removals.bars[k])
            if free[k] >= 0:
                for a in range(n + 1):
                    changes[a, lane] = room.change[a]
        # One pass over the documents for all sixteen: this is what the lanes are for.
        sizes = _move_weights(near, W, changes)
        extra, short = _look_outside(outside, near, W, sizes, changes[n])
        marked = np.uint16(0)
        for lane, k in enumerate(together):
            if free[k] >= 0:
                lanes_dot(near.inner, near.inner_at[chosen[k]], W, product)
                scores[k] = removals.scores[k] + product[lane] + changes[n, lane]
            gap = gaps[lane] + extra[lane]
            # Only if documents outside add to the gap can they turn the sign or, where it is asked for, the score.
            proved = (scores[k] - removals.bars[k]) ** 2 > removals.reach2 * gap
            if removals.signs:
                open_[k] = extra[lane] > 0 and (not proved or gap > removals.largest)
            else:
                below = proved and scores[k] < removals.bars[k]
                open_[k] = extra[lane] > 0 and not below and gap > removals.largest
            marked |= np.uint16(open_[k]) << np.uint16(lane)
        for o in range(len(hit)):
            hit[o] |= (short[o] & marked) != 0
    return Pivoted(scores, free, steps, open_, hit)
