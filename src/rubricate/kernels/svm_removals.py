"""One SVM without one document: coordinate steps on the kernel matrix of the documents near its margin.

Problem: that of `svm_local` with C_i = 0 for one i, and f(x_i) of that solution.

Given  a `Nearby`: the solution with all documents on a working set, and its kernel matrix in float32, which is enough
       for C · K(x, x) up to 20.
Return f(x_i); the level to which the conditions of the optimum hold; how many documents then have 0 < α < C, −1 where
       no solution was found; the steps; in `room` β and b of the solution.
Cost   n per step and pass, sixteen numbers at a time. Of 1,000 rows 13 steps in the mean to a level of .03, 90 (.01),
       440 (.003), 930 (.001).
Ties   rows are visited in order.
Edge   no document with 0 < α < C is left for a free bias, or too many steps: not found, to be solved otherwise. Where
       the optimum has none, so that its bias is an interval, a solution at a level may still have one, and any bias.

Removing i moves f by −β_i K_i. Every row keeps an interval in which f + b may lie: y alone where 0 < α < C, from the
margin on where α = 0, up to the margin where α = C. Rows that lie outside by more than a threshold make their Newton
step, in order, and the threshold falls from level to level: large violations are mended first, as by the greedy rule,
without the search of the largest one. The bias moves with every step, as in `svm_local` (augmented Lagrangian).

The solution at a level is exact for targets y that are off by this level at most. What is missing are answers of other
documents to the removal, and these raise y_i f(x_i): more of them can move, so that the loss of α_i costs less. So the
score is almost a bound from one side, for which `BELOW` levels are enough; the other side takes `ABOVE`.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.lane_code import lowest_lane
from rubricate.kernels.row_lanes import lanes_move, lanes_off

__all__ = ["ABOVE", "BELOW", "Nearby", "Room", "interval", "make_room", "prepare", "retrain"]

BELOW, ABOVE = 3.0, 7.0
"""By how many levels y_i f(x_i) of the optimum may lie below and above that of a solution at this level.

1.7 and 5.6 at most in 8,404 removals from SVMs of five corpora with C of .1, 1 and 10; 99 of 100 lie between −1.6 and
4.6. Larger values send more scores to the next level, which takes twice as long."""
LANES = 16
"""Rows that are tested together, by vector instructions."""
RESIST = 1.0
"""The share of free rows by which a change of the bias is damped: .2, as in `svm_local`, takes a tenth more steps."""
STEPS, PASSES = 40, 400
"""Steps per row, and passes, after which a removal is given up: webkb at C = 10 takes 5 per row in the mean."""
FLAT = 1e-12
"""Stands for a curvature of zero."""


class Nearby(NamedTuple):
    """The full solution on a working set: kernel matrix, y, C, K(x, x), β, f = Kβ without the bias, b.

    Rows of K are as long as a multiple of 16, and end in zeros, as f does. `low` and `high` are where f + b of each row
    may lie; `penalty` is the λ of ½ λ b², `pull` how far the bias moves per unit of β.
    """

    K: np.ndarray
    y: np.ndarray
    cap: np.ndarray
    squares: np.ndarray
    beta: np.ndarray
    f: np.ndarray
    bias: float
    low: np.ndarray
    high: np.ndarray
    penalty: float
    pull: float


class Room(NamedTuple):
    """What one removal works on: β, f and intervals now, and b in an array of one."""

    beta: np.ndarray
    f: np.ndarray
    low: np.ndarray
    high: np.ndarray
    bias: np.ndarray


@numba.njit(cache=True, nogil=True, error_model="numpy")
def make_room(nearby: Nearby) -> Room:
    """Return room for removals."""
    n, wide, single = len(nearby.y), len(nearby.f), np.float32
    return Room(np.empty(n), np.empty(wide, single), np.empty(wide, single), np.empty(wide, single), np.empty(1))


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _limits(y: float, cap: float, beta: float) -> tuple[float, float]:
    """Return where f + b may lie: y alone if 0 < α < C; α = 0: y f >= 1; α = C: y f <= 1; C = 0: anywhere."""
    if cap == 0.0:
        return -np.inf, np.inf
    if beta != 0.0 and abs(beta) < cap:
        return y, y
    return (y, np.inf) if (beta == 0.0) == (y > 0) else (-np.inf, y)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def prepare(
    K: np.ndarray, y: np.ndarray, cap: np.ndarray, beta: np.ndarray, scores: np.ndarray, bias: float, penalty: float
) -> Nearby:
    """Return the solution β, b with these scores f + b as removals start from it."""
    n, wide, free, size, squares = len(y), K.shape[1], 0, 0.0, np.empty(len(y))
    f, low, high = np.zeros(wide, np.float32), np.full(wide, -np.inf, np.float32), np.full(wide, np.inf, np.float32)
    for a in range(n):
        low[a], high[a] = _limits(y[a], cap[a], beta[a])
        f[a], squares[a] = scores[a] - bias, K[a, a]
        size += squares[a] / n
        free += beta[a] != 0 and abs(beta[a]) < cap[a]
    resistance = RESIST * max(free, 5) / max(size, FLAT)
    pull = 0.0 if penalty == np.inf else 1 / (penalty + resistance)
    return Nearby(K, y, cap, squares, beta, f, bias, low, high, penalty, pull)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _pass(nearby: Nearby, room: Room, theta: float) -> tuple[int, float]:
    """Visit all rows once; those that are off by more than theta make their step: (steps, change of Σ β)."""
    K, y, cap, squares, pull = nearby.K, nearby.y, nearby.cap, nearby.squares, nearby.pull
    beta, f, low, high, b = room.beta, room.f, room.low, room.high, room.bias[0]
    steps, moved, single = 0, 0.0, np.float32
    for block in range(len(f) // LANES):
        bits = lanes_off(f, low, high, block, single(b + theta), single(b - theta))
        while bits != 0:
            lane = lowest_lane(bits)
            a = LANES * block + lane
            # Newton's step, clipped; the bias moves along, which makes the direction steeper by `pull`.
            curve = max(squares[a] + pull, FLAT)
            new = y[a] * min(max(y[a] * (beta[a] - (f[a] + b - y[a]) / curve), 0.0), cap[a])
            step = new - beta[a]
            beta[a], b = new, b + pull * step
            low[a], high[a] = _limits(y[a], cap[a], new)
            lanes_move(f, K, a, single(step))
            steps += 1
            moved += step
            # The step may have mended rows of this block, or put them off; those before it wait for the next pass.
            bits = lanes_off(f, low, high, block, single(b + theta), single(b - theta)) & (-2 << lane)
    room.bias[0] = b
    return steps, moved


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _count_free(nearby: Nearby, room: Room) -> int:
    free = 0
    for a in range(len(nearby.y)):
        free += room.low[a] == room.high[a]
    return free


@numba.njit(cache=True, nogil=True, error_model="numpy")
def interval(score: float, y: float, level: float) -> tuple[float, float]:
    """Return where the score of the optimum lies, from that of a solution at this level."""
    if y > 0:
        return score - BELOW * level, score + ABOVE * level
    return score - ABOVE * level, score + BELOW * level


@numba.njit(cache=True, nogil=True, error_model="numpy")
def retrain(
    nearby: Nearby, room: Room, r: int, levels: np.ndarray, bar: float, roof: float
) -> tuple[float, float, int, int]:
    """Solve without row r to the first level that proves its score to lie below `bar` or above `roof`, or to the last.

    Returns (score, level, free documents or −1, steps).
    """
    room.beta[:], room.f[:], room.low[:], room.high[:] = nearby.beta, nearby.f, nearby.low, nearby.high
    biased, gone = nearby.penalty < np.inf, nearby.beta[r]
    room.beta[r], room.low[r], room.high[r] = 0.0, -np.inf, np.inf
    room.bias[0] = nearby.bias - nearby.pull * gone
    lanes_move(room.f, nearby.K, r, np.float32(-gone))
    # Σ β − λ b; the full solution has none.
    lean, steps, k = -gone + nearby.penalty * nearby.pull * gone if biased else 0.0, 0, 0
    for _ in range(PASSES):
        theta = levels[k]
        made, moved = _pass(nearby, room, theta)
        steps += made
        if biased:
            lean += moved * (1.0 - nearby.penalty * nearby.pull)
            room.bias[0] += nearby.pull * lean
            lean -= nearby.penalty * nearby.pull * lean
        if steps > STEPS * len(nearby.y):
            break
        if made == 0 and nearby.pull * abs(lean) <= theta:
            score = room.f[r] + room.bias[0]
            low, high = interval(score, nearby.y[r], theta)
            k += 1
            if k == len(levels) or high < bar or low > roof:
                free = _count_free(nearby, room)
                return score, theta, free if free > 0 or nearby.penalty > 0 else -1, steps
    return 0.0, np.inf, -1, steps
