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


class LaneRemovals(NamedTuple):
    """Which documents to leave out and how sure to be.

    `rows` are the documents of the working set, `chosen` places among them, `scores` of these by the full solution;
    `levels` and `reach2` as in `svm_pivots`; a gap above `largest` leaves a score open. `W` is room for terms × 16
    numbers, each row of which best fills one line of the cache.
    """

    rows: np.ndarray
    chosen: np.ndarray
    scores: np.ndarray
    levels: np.ndarray
    reach2: float
    largest: float
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


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _move_weights(documents: Rows, removals: LaneRemovals, changes: np.ndarray) -> np.ndarray:
    """Set W = w' − w of every lane (terms × lanes); return |w' − w| of each."""
    rows, W = removals.rows, removals.W
    W[:] = 0.0
    size = np.zeros(LANES, np.float32)
    for a in range(len(rows)):
        moved = False
        for lane in range(LANES):
            moved |= changes[a, lane] != 0.0
        # All of F moves, but of N only what was pivoted: most of it keeps its β in all sixteen removals.
        if moved:
            lanes_add(documents, rows[a], W, changes[a])
    for t in range(len(W)):
        for lane in range(LANES):
            size[lane] += W[t, lane] * W[t, lane]
    return np.sqrt(size)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _look_outside(
    outside: Outside, W: np.ndarray, sizes: np.ndarray, shift: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return C (1 − y f')₊ of the documents outside, summed per lane, and a bit per lane in which each falls short."""
    documents, places, spare, lengths, y, cap = outside
    extra, short = np.zeros(LANES), np.zeros(len(places), np.uint16)
    change, farthest, most = np.empty(LANES, np.float32), sizes.max(), np.abs(shift).max()
    for o in range(len(places)):
        # Too far to be reached in any lane (Cauchy and Schwarz).
        if spare[o] >= farthest * lengths[o] + most:
            continue
        lanes_dot(documents, places[o], W, change)
        for lane in range(LANES):
            lack = -spare[o] - y[o] * (change[lane] + shift[lane])
            if lack > SLACK:
                extra[lane] += cap[o] * lack
                short[o] |= np.uint16(1 << lane)
    return extra, short


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _certainty(optimum: Optimum, removals: LaneRemovals) -> Certainty:
    levels = removals.levels
    within = np.empty((len(levels), 2, len(optimum.y)), np.float32)
    for k in range(len(levels)):
        within[k] = intervals(optimum, levels[k])
    return Certainty(levels, within, removals.reach2)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def leave_out_by_pivots(optimum: Optimum, outside: Outside, removals: LaneRemovals) -> Pivoted:
    """Leave out each of the chosen documents.

    The score is w'·x + b' with w' from the changes of β: errors of the table cancel there, where documents are nearly
    equal.
    """
    documents, chosen, W = outside.rows, removals.chosen, removals.W
    n, count = len(optimum.y), len(chosen)
    scores, free, steps = np.zeros(count), np.zeros(count, np.int64), np.zeros(count, np.int64)
    open_, hit = np.zeros(count, np.bool_), np.zeros(len(outside.places), np.bool_)
    room, certainty = make_room(n), _certainty(optimum, removals)
    changes, product, gaps = np.empty((n + 1, LANES), np.float32), np.empty(LANES, np.float32), np.zeros(LANES)
    for first in range(0, count, LANES):
        last = min(first + LANES, count)
        changes[:] = 0.0
        for k in range(first, last):
            scores[k], gaps[k - first], free[k], steps[k] = retrain(optimum, room, chosen[k], certainty)
            if free[k] >= 0:
                for a in range(n + 1):
                    changes[a, k - first] = room.change[a]
        # One pass over the documents for all sixteen: this is what the lanes are for.
        sizes = _move_weights(documents, removals, changes)
        extra, short = _look_outside(outside, W, sizes, changes[n])
        marked = np.uint16(0)
        for k in range(first, last):
            lane = k - first
            if free[k] >= 0:
                lanes_dot(documents, removals.rows[chosen[k]], W, product)
                scores[k] = removals.scores[k] + product[lane] + changes[n, lane]
            gap = gaps[lane] + extra[lane]
            # Only if documents outside add to the gap can they turn the sign or, where it is asked for, the score.
            open_[k] = extra[lane] > 0 and (scores[k] * scores[k] <= removals.reach2 * gap or gap > removals.largest)
            marked |= np.uint16(open_[k]) << np.uint16(lane)
        for o in range(len(hit)):
            hit[o] |= (short[o] & marked) != 0
    return Pivoted(scores, free, steps, open_, hit)
