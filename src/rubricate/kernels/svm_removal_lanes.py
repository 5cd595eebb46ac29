"""One linear SVM without each of some documents in turn, sixteen of them together where all documents are looked at.

Problem: that of `svm_removals`, and whether documents outside the working set come to violate their margin.

Given  the full solution on the working set, the documents outside it, and the `LaneRemovals`.
Return what `svm_removals` returns; which removals the documents outside leave open: there 1 − y f' of some of them is
       more than the level of the solution; and which of them do.
Cost   for sixteen documents left out: one pass over the stored values of the working set and of the documents near
       enough to be reached, |f'(x) − f(x)| <= |w' − w| |x| + |b' − b|. None where there are no documents outside.
Ties   none.
Edge   a document for which no solution was found is not looked at further.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.lane_code import lowest_lane
from rubricate.kernels.row_lanes import lanes_reached, lanes_short
from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_lanes import LANES, lanes_add, lanes_dot
from rubricate.kernels.svm_removals import Nearby, Room, make_room, retrain, take_out
from rubricate.kernels.svm_retraining import Outside
from rubricate.kernels.wrappers import NO_REFERENCES

__all__ = ["Beside", "LaneRemovals", "Removed", "leave_out_nearby"]

CACHED = 8192
"""Terms whose sixteen weights, half a megabyte, stay in the cache: renumbering them is not worth its cost."""
LEVEL = 0.03
"""Documents outside that lack more than this enter the working set, also where the solution is rougher."""
STEPS = 64
"""Steps of size by which removals are sorted: finer ones than documents would be of no use."""


class Beside(NamedTuple):
    """The products of all documents with each other, as in `Nearby`, by which those outside are looked at.

    Of each document y, its margin − 1 (∞ within the working set), and what the shares of the free rows add to its
    score, all padded to a multiple of 16. Without documents: all outside are looked at, by their terms, not only those
    that resemble the one left out.
    """

    products: np.ndarray
    y: np.ndarray
    spare: np.ndarray
    answer: np.ndarray


class Moved(NamedTuple):
    """Room for rows that have made steps, and by how much their β has changed by that."""

    rows: np.ndarray
    changes: np.ndarray


class LaneRemovals(NamedTuple):
    """Which documents to leave out and how sure to be.

    `rows` are the documents of the working set, `chosen` places among them; `levels`, `bars` and `roofs` (one of each
    document left out) as in `svm_removals`. `W` is room for terms × 16 numbers, each row of which best fills one line
    of the cache.
    """

    rows: np.ndarray
    chosen: np.ndarray
    levels: np.ndarray
    bars: np.ndarray
    roofs: np.ndarray
    beside: Beside
    W: np.ndarray


class Removed(NamedTuple):
    """For each document left out: score, its bounds, free documents (−1: not found), steps, and whether it is open.

    `hit` marks the documents outside that leave it so.
    """

    scores: np.ndarray
    low: np.ndarray
    high: np.ndarray
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
    if width <= CACHED:
        return _Near(outside.rows, rows, outside.rows, outside.places, outside.lengths, width)
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


@numba.njit(cache=True, nogil=True, error_model="numpy", **NO_REFERENCES)
def _note_changes(nearby: Nearby, room: Room, changes: np.ndarray, lane: int) -> float:
    """Set the changes of β and b in a lane; return |w' − w|² = Σ Δβ Δf."""
    n, size = len(nearby.y), 0.0
    for a in range(n):
        change = room.beta[a] - nearby.beta[a]
        changes[a, lane] = change
        size += change * (room.f[a] - nearby.f[a])
    changes[n, lane] = room.bias[0] - nearby.bias
    return max(size, 0.0)


@numba.njit(cache=True, nogil=True, error_model="numpy", **NO_REFERENCES)
def _move_weights(near: _Near, W: np.ndarray, changes: np.ndarray) -> None:
    """Set W = w' − w of every lane (terms × lanes)."""
    W[:] = 0.0
    for a in range(len(near.inner_at)):
        moved = False
        for lane in range(LANES):
            moved |= changes[a, lane] != 0.0
        if moved:
            lanes_add(near.inner, near.inner_at[a], W, changes[a])


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _look_outside(
    outside: Outside, near: _Near, W: np.ndarray, farthest: float, shift: np.ndarray, levels: np.ndarray
) -> np.ndarray:
    """Return for each document outside a bit per lane in which it falls short of its margin by more than the level.

    `farthest` is the largest |w' − w|.
    """
    _, places, spare, _, y, _ = outside
    short, change, single = np.zeros(len(places), np.uint16), np.empty(LANES, np.float32), np.float32
    most, least = np.abs(shift).max(), levels.min()
    for o in range(len(places)):
        # Too far to be reached in any lane (Cauchy and Schwarz).
        if spare[o] + least >= farthest * near.lengths[o] + most:
            continue
        lanes_dot(near.outer, near.outer_at[o], W, change)
        short[o] = lanes_short(change, shift, levels, single(y[o]), single(spare[o]))
    return short


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _by_size(nearby: Nearby, chosen: np.ndarray) -> np.ndarray:
    """Return the order of the removals by |β|, in steps of √|β|; of equals the earlier comes first.

    What is removed together reaches about as far then: the documents to look at are those that the farthest reaches.
    """
    sizes, starts, order = np.empty(len(chosen)), np.zeros(STEPS + 1, np.int64), np.empty(len(chosen), np.int64)
    for k in range(len(chosen)):
        sizes[k] = np.sqrt(abs(nearby.beta[chosen[k]]))
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


@numba.njit(cache=True, nogil=True, error_model="numpy", **NO_REFERENCES)
def _list_moved(nearby: Nearby, room: Room, r: int, moved: Moved) -> int:
    """List the rows whose β has changed by more than their share of what is gone, and by how much more."""
    count, step = 0, nearby.beta[r] / (np.float32(1) - nearby.share[r])
    for a in range(len(nearby.y)):
        shared = nearby.beta[a] + step * nearby.share[a]
        moved.rows[count], moved.changes[count] = a, room.beta[a] - shared
        count += room.beta[a] != shared and a != r
    return count


@numba.njit(cache=True, nogil=True, error_model="numpy", **NO_REFERENCES)
def _look_beside(
    nearby: Nearby, room: Room, removals: LaneRemovals, r: int, reached: float, moved: Moved, hit: np.ndarray
) -> bool:
    """Return whether documents outside that resemble the one left out fall short by more than the level; mark them.

    Only those are looked at whose margin the loss of β_i x_i alone would bring so low. What the others answer moves all
    documents a little, and those of the same side upwards.
    """
    beside, rows, single, short = removals.beside, removals.rows, np.float32, False
    y, spare, G, i = beside.y, beside.spare, beside.products, rows[r]
    step, shift, level = nearby.beta[r] / (single(1) - nearby.share[r]), room.bias[0] - nearby.bias, min(reached, LEVEL)
    back, single_shift, single_level, count = single(step * nearby.unit), single(shift), single(level), -1
    block, bits = lanes_reached(y, spare, G, i, 0, back, single_shift, single_level)
    while bits != 0:
        if count < 0:
            count = _list_moved(nearby, room, r, moved) if reached < np.inf else 0
        while bits != 0:
            o, change = LANES * block + lowest_lane(bits), 0.0
            bits &= bits - 1
            for m in range(count):
                change += moved.changes[m] * G[o, rows[moved.rows[m]]]
            change = nearby.unit * change + shift + step * beside.answer[o] - back * G[i, o]
            if spare[o] + level + y[o] * change < 0.0:
                hit[o] = short = True
        block, bits = lanes_reached(y, spare, G, i, block + 1, back, single_shift, single_level)
    return short


@numba.njit(cache=True, nogil=True, error_model="numpy")
def leave_out_nearby(nearby: Nearby, outside: Outside, removals: LaneRemovals) -> Removed:
    """Leave out each of the chosen documents.

    Documents outside are looked at where there are any: by `beside`, or sixteen removals together by their terms.
    """
    chosen, n, count = removals.chosen, len(nearby.y), len(removals.chosen)
    beside, hit = len(removals.beside.y) > 0, np.zeros(len(removals.beside.y), np.bool_)
    moved = Moved(np.empty(n, np.int64), np.empty(n))
    look = len(outside.places) > 0 and not beside
    found = Removed(
        np.zeros(count), np.zeros(count), np.zeros(count), np.zeros(count, np.int64), np.zeros(count, np.int64),
        np.zeros(count, np.bool_), np.zeros(len(outside.places), np.bool_),
    )  # fmt: skip
    near = _near(outside, removals.rows if look else removals.rows[:0], len(removals.W))
    W, room, order = removals.W[: near.terms], make_room(nearby), _by_size(nearby, chosen)
    changes = np.zeros((n + 1, LANES), np.float32)
    for first in range(0, count, LANES):
        together, levels, size2 = order[first : first + LANES], np.full(LANES, np.inf, np.float32), 0.0
        if look:
            changes[:] = 0.0
        for lane, k in enumerate(together):
            done = retrain(nearby, room, chosen[k], removals.levels, removals.bars[k], removals.roofs[k])
            found.scores[k], found.low[k], found.high[k], found.free[k] = done.score, done.low, done.high, done.free
            found.steps[k] = done.steps
            if done.free < 0:
                continue
            levels[lane] = min(done.level, LEVEL)
            if look:
                if done.level == np.inf:
                    take_out(nearby, room, chosen[k])
                size2 = max(size2, _note_changes(nearby, room, changes, lane))
            elif beside:
                found.open[k] = _look_beside(nearby, room, removals, chosen[k], done.level, moved, hit)
        if look:
            # One pass over the documents for all sixteen: this is what the lanes are for.
            _move_weights(near, W, changes)
            short = _look_outside(outside, near, W, np.sqrt(size2), changes[n], levels)
            marked = np.uint16(0)
            for o in range(len(short)):
                found.hit[o] |= short[o] != 0
                marked |= short[o]
            for lane, k in enumerate(together):
                found.open[k] = (marked >> np.uint16(lane)) & 1 != 0
    if beside:
        for o in range(len(outside.places)):
            found.hit[o] = hit[outside.places[o]]
    return found
