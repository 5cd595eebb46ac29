"""One linear SVM without each of some documents in turn, sixteen of them together where all documents are looked at.

Problem: that of `svm_leave_one_out_pivots`, and whether documents outside the working set come to violate their margin.

Given  the table of responses of the working set, all documents in CSR form (float32), and those outside with their
       margin beyond 1 (`spare`), y and C.
Return what `svm_leave_one_out_pivots` returns; the gap that the documents outside add, Σ C_a max(0, 1 − y_a f'(x_a));
       and which of them violate their margin where that leaves the sign open.
Cost   for sixteen documents left out: one pass over the stored values of the working set and of the documents near
       enough to be reached, |f'(x) − f(x)| <= |w' − w| |x| + |b' − b|.
Ties   none.
Edge   a document for which no solution was found is not looked at further.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.svm_lanes import LANES, lanes_add, lanes_dot
from rubricate.kernels.svm_leave_one_out_pivots import MOST, intervals, retrain

__all__ = ["leave_out_lanes"]

SLACK = 1e-4
"""A margin that falls short by less does not count."""


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _directions(
    starts: np.ndarray, terms: np.ndarray, values: np.ndarray, rows: np.ndarray, changes: np.ndarray, W: np.ndarray
) -> np.ndarray:
    """W = w' − w of every lane (terms × lanes); returns |w' − w| of each."""
    W[:] = 0.0
    size = np.zeros(LANES, np.float32)
    for a in range(len(rows)):
        moved = False
        for lane in range(LANES):
            moved |= changes[a, lane] != 0.0
        if moved:
            lanes_add(terms, values, W, starts[rows[a]], starts[rows[a] + 1], changes[a])
    for t in range(len(W)):
        for lane in range(LANES):
            size[lane] += W[t, lane] * W[t, lane]
    return np.sqrt(size)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _look(
    starts: np.ndarray,
    terms: np.ndarray,
    values: np.ndarray,
    outside: np.ndarray,
    spare: np.ndarray,
    lengths: np.ndarray,
    outer_y: np.ndarray,
    outer_cap: np.ndarray,
    W: np.ndarray,
    sizes: np.ndarray,
    shift: np.ndarray,
    extra: np.ndarray,
    short: np.ndarray,
) -> None:
    """`extra` += C (1 − y f')₊ of the documents outside; bit l of `short` marks one that falls short in lane l."""
    change, farthest, most = np.empty(LANES, np.float32), sizes.max(), np.abs(shift).max()
    for o in range(len(outside)):
        if spare[o] >= farthest * lengths[o] + most:
            continue
        lanes_dot(terms, values, W, starts[outside[o]], starts[outside[o] + 1], change)
        for lane in range(LANES):
            lack = -spare[o] - outer_y[o] * (change[lane] + shift[lane])
            if lack > SLACK:
                extra[lane] += outer_cap[o] * lack
                short[o] |= np.uint16(1 << lane)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def leave_out_lanes(
    table: np.ndarray,
    free: int,
    y: np.ndarray,
    cap: np.ndarray,
    home: np.ndarray,
    start: np.ndarray,
    chosen: np.ndarray,
    full: np.ndarray,
    levels: np.ndarray,
    reach2: float,
    largest: float,
    starts: np.ndarray,
    terms: np.ndarray,
    values: np.ndarray,
    W: np.ndarray,
    rows: np.ndarray,
    outside: np.ndarray,
    spare: np.ndarray,
    lengths: np.ndarray,
    outer_y: np.ndarray,
    outer_cap: np.ndarray,
    found: np.ndarray,
    loose: np.ndarray,
    steps: np.ndarray,
    open_: np.ndarray,
    hit: np.ndarray,
) -> None:
    """Leave out each of the `chosen` rows. Filled: `found` (scores), `loose` (free documents, −1: not found), `steps`.

    `full` are their scores by the full solution, `W` is room for terms × 16 numbers, each row of which best fills one
    line of the cache. `open_` marks those whose sign, or with a gap above `largest` whose score, documents outside may
    still change, and `hit` these documents. The score is w'·x + b' with w' from the changes of β: errors of the table
    cancel there, where documents are nearly equal.
    """
    n = len(y)
    v, base, change = np.empty(n + 1, np.float32), np.empty(n + 1, np.float32), np.empty(n + 1)
    state, pinned, x, A = np.empty(n, np.int8), np.empty(MOST, np.int64), np.empty(MOST), np.empty((MOST, MOST))
    changes = np.empty((n + 1, LANES), np.float32)
    product = np.empty(LANES, np.float32)
    gaps, extra, short = np.zeros(LANES), np.zeros(LANES), np.zeros(len(outside), np.uint16)
    within = np.empty((len(levels), 2, n), np.float32)
    for k in range(len(levels)):
        within[k] = intervals(free, y, cap, home, levels[k])
    for first in range(0, len(chosen), LANES):
        last = min(first + LANES, len(chosen))
        changes[:], extra[:], short[:] = 0.0, 0.0, 0
        for k in range(first, last):
            found[k], gaps[k - first], loose[k], steps[k] = retrain(
                table,
                free,
                y,
                cap,
                home,
                start,
                chosen[k],
                levels,
                within,
                reach2,
                v,
                base,
                state,
                pinned,
                x,
                A,
                change,
            )
            if loose[k] >= 0:
                for a in range(n + 1):
                    changes[a, k - first] = change[a]
        sizes = _directions(starts, terms, values, rows, changes, W)
        _look(starts, terms, values, outside, spare, lengths, outer_y, outer_cap, W, sizes, changes[n], extra, short)
        for k in range(first, last):
            lanes_dot(terms, values, W, starts[rows[chosen[k]]], starts[rows[chosen[k]] + 1], product)
            if loose[k] >= 0:
                found[k] = full[k] + product[k - first] + changes[n, k - first]
        marked = np.uint16(0)
        for k in range(first, last):
            lane = k - first
            more = gaps[lane] + extra[lane]
            open_[k] = extra[lane] > 0 and (found[k] * found[k] <= reach2 * more or more > largest)
            marked |= np.uint16(open_[k]) << np.uint16(lane)
        for o in range(len(outside)):
            hit[o] |= (short[o] & marked) != 0
