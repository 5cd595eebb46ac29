"""One SVM without one document: its score then, by coordinate steps on the kernel matrix of documents near the margin.

Problem: that of `svm_local` with C_i = 0 for one i, and f(x_i) of that solution.

Given  a `Nearby`: the solution with all documents on a working set, and its kernel matrix in whole numbers of 16 bits,
       which is enough for C · K(x, x) up to 20.
Return f(x_i), and bounds of it; the level to which the conditions of the optimum hold; how many documents then have
       0 < α < C, −1 where no solution was found; the steps; in `room` β and b of the solution.
Cost   n for the first estimate, n per step and pass, sixteen numbers at a time. Of 1,000 rows 17 steps on average to a
       level of .018, 90 (.0056), 240 (.0018).
Ties   rows are visited in order.
Edge   no document with 0 < α < C is left for a free bias, or too many steps: not found, to be solved otherwise. Where
       the optimum has none, so that its bias is an interval, a solution at a level may still have one, and any bias.

**Steps.** Removing i moves f by −β_i K_i. First the free rows F (0 < α < C) take over β_i by fixed shares, so that Σ β
stays as it is, and b moves by their mean violation: K times the shares is known, which makes this one pass. Every row
keeps an interval in which f + b may lie: y alone where 0 < α < C, from the margin on where α = 0, up to the margin
where α = C. Rows that lie outside by more than a threshold make their Newton step, in order, and the threshold falls
from level to level: large violations are repaired first, as by the greedy rule, without the search for the largest. The
bias moves with every step, as in `svm_local` (augmented Lagrangian).

**Estimate.** Let δ be the change of (β_F, b) so far, and s what the scores of F, and Σ β, still lack. With M the matrix
of the equations of F and b, the optimum is δ* = δ + M⁻¹ s, and since removing i asked for M δ* = β_i (k, 1), with k the
products of i with F,

    f*(x_i) = f(x_i) + (k, 1)·M⁻¹ s = f(x_i) + (δ·s + s·M⁻¹ s) / β_i.

So δ·s / β_i corrects the score at hand, and what remains, y (f* − f) = s·M⁻¹s / α_i, has a sign and is of second order:
between 0 and about s·s / α_i, as the eigenvalues of K_FF are about 1. Where rows reach a bound or leave it, this is not
exact, and some levels are added on both sides, more of them where documents resemble each other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from rubricate.kernels.lane_code import lowest_lane
from rubricate.kernels.row_lanes import lanes_lack, lanes_lack_without, lanes_move, lanes_seek, lanes_shift
from rubricate.kernels.svm_local import Dual
from rubricate.kernels.svm_products import Coded
from rubricate.kernels.wrappers import FROM_KERNELS, NO_REFERENCES

__all__ = ["Nearby", "Room", "Spread", "WithoutRow", "make_room", "prepare", "retrain", "take_out"]

EXPECTED, FIRST = 1.3, 2.2
"""How much of s·s / α the remainder s·M⁻¹s / α may be: after some steps, and before the first.

It is .2 to .9 in 98 of 100 removals before the first step, and up to 2.1, where many rows then change sides."""
BELOW, ABOVE, SIMILAR, APART = 0.2, 1.0, 32.0, 0.02
"""By how many levels y_i f(x_i) of the optimum may lie below and above these bounds besides, and how many more for the
mean similarity of the free rows beyond APART.

Of 60,760 removals from SVMs of five corpora with C of .1, .7, 1, 3 and 10, at six levels each, 15 lie above these
bounds, by .01 at most, two below by .00005, all of them questions of four terms. The mean similarity is .02 in long
documents, .05 to .3 in questions of ten words. Larger numbers send more scores to the next level, which takes two to
three times as long."""
NOISE = 5e-4
"""What the full solution lacks of its optimum, and sums of float32, may add to that."""
STILL = 0.1
"""The first estimate is used if Σ β is off by no more than what moves the bias by this."""
OFTEN = 2
"""Bounds are computed at every second level: each time costs as much as three steps."""
WITHIN: Any = {"inline": "always"} | FROM_KERNELS
"""Options of functions that become part of `retrain`: a call with named tuples of arrays counts references to each, for
a third of a microsecond."""
LANES = 16
"""Rows that are tested together, by vector instructions."""
RESIST = 1.0
"""The share of free rows by which a change of the bias is damped: .2, as in `svm_local`, takes a tenth more steps."""
STEPS, PASSES = 100, 1000
"""Steps per row, and passes, after which a removal is given up: webkb at C = 10 takes 5 per row in the mean."""
SWINGS = 20
"""Passes after which b is moved no more by what Σ β lacks, as long as that is within the level.

Where a row without terms has 0 < α < C, the least change of b makes it take a large step, so that b may swing about its
y, and all rows with it, for ever."""
FLAT = 1e-12
"""Stands for a curvature of zero."""


class Nearby(NamedTuple):
    """The full solution on a working set: kernel matrix, its unit, y, C, K(x, x), β, f = Kβ without the bias, b.

    K is `Coded`: its rows have at least as many numbers as β and f, whose length is a multiple of 16 and which end in
    zeros, as what they meet of K does. C, β and f are float32, so that a β at its bound is equal to it. `low` and
    `high` are where f + b of each row may lie; `penalty` is the λ of ½ λ b², `pull` how far the bias moves per unit of
    β, `inverse` = 1 / (K(x, x) + pull). `share` is how the free rows take over the β of a row that is removed, `answer`
    = K share, `middle` = share · answer; all zero if they cannot. `similarity` is the mean product of two free rows,
    `free` their number.
    """

    K: np.ndarray
    unit: float
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
    inverse: np.ndarray
    share: np.ndarray
    answer: np.ndarray
    middle: float
    similarity: float
    free: int


class Spread(NamedTuple):
    """How the free rows take over the β of a row that is removed: their shares of it, and what those add to scores.

    Both are zeros if they do not; `similarity` is the mean product of two free rows all the same.
    """

    share: np.ndarray
    answer: np.ndarray
    similarity: float


class Room(NamedTuple):
    """What one removal works on: β, f and intervals now, and b in an array of one."""

    beta: np.ndarray
    f: np.ndarray
    low: np.ndarray
    high: np.ndarray
    bias: np.ndarray


class WithoutRow(NamedTuple):
    """The solution without a row: its score, within which bounds that of the optimum lies, the level, the number of
    free rows (−1: not found), and the steps."""

    score: float
    low: float
    high: float
    level: float
    free: int
    steps: int


@numba.njit(cache=True, nogil=True, error_model="numpy")
def make_room(nearby: Nearby) -> Room:
    """Return room for removals."""
    wide, single = len(nearby.f), np.float32
    return Room(
        np.empty(wide, single), np.empty(wide, single), np.empty(wide, single), np.empty(wide, single), np.empty(1)
    )


@numba.njit(cache=True, nogil=True, error_model="numpy", **WITHIN)
def _limits(y: float, cap: np.float32, beta: np.float32) -> tuple[float, float]:
    """Return where f + b may lie: y alone if 0 < α < C; α = 0: y f >= 1; α = C: y f <= 1; C = 0: anywhere."""
    if cap == 0.0:
        return -np.inf, np.inf
    if beta != 0.0 and abs(beta) < cap:
        return y, y
    return (y, np.inf) if (beta == 0.0) == (y > 0) else (-np.inf, y)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def prepare(products: Coded, dual: Dual, scores: np.ndarray, spread: Spread, penalty: float) -> Nearby:
    """Return a solution with these scores f + b as removals start from it; w of the dual is not used."""
    y, cap, squares, beta, bias = dual.y, dual.cap, dual.squares, dual.beta, dual.bias[0]
    wide, free, size, single, middle = -(-len(y) // LANES) * LANES, 0, 0.0, np.float32, 0.0
    own, f, share, answer = (
        np.zeros(wide, single),
        np.zeros(wide, single),
        np.zeros(wide, single),
        np.zeros(wide, single),
    )
    low, high, tops = np.full(wide, -np.inf, single), np.full(wide, np.inf, single), np.empty(len(y), single)
    for a in range(len(y)):
        own[a], f[a], share[a], answer[a] = beta[a], scores[a] - bias, spread.share[a], spread.answer[a]
        size, tops[a] = size + squares[a] / len(y), cap[a]
        low[a], high[a] = _limits(y[a], tops[a], own[a])
        free += low[a] == high[a]
        middle += spread.share[a] * spread.answer[a]
    resistance = RESIST * max(free, 5) / max(size, FLAT)
    pull = 0.0 if penalty == np.inf else 1 / (penalty + resistance)
    inverse, sides = np.empty(len(y), single), np.empty(len(y), single)
    for a in range(len(y)):
        inverse[a], sides[a] = 1 / max(squares[a] + pull, FLAT), y[a]
    K, unit = products
    start, more = (own, f, bias, low, high, penalty, pull, inverse), (middle, spread.similarity, free)
    return Nearby(K, unit, sides, tops, squares, *start, share, answer, *more)


@numba.njit(cache=True, nogil=True, error_model="numpy", **WITHIN)
def _pass(nearby: Nearby, room: Room, theta: float) -> tuple[int, float]:
    """Visit all rows once; those that are off by more than theta make their step: (steps, change of Σ β)."""
    single = np.float32
    K, y, cap, inverse, unit, pull = nearby.K, nearby.y, nearby.cap, nearby.inverse, single(nearby.unit), nearby.pull
    beta, f, low, high, b = room.beta, room.f, room.low, room.high, room.bias[0]
    steps, moved, up, down = 0, 0.0, single(b + theta), single(b - theta)
    block, bits = lanes_seek(f, low, high, 0, up, down)
    while bits != 0:
        while bits != 0:
            a = np.uint64(LANES * block + lowest_lane(bits))
            bits &= bits - 1
            # Steps of rows before it in this block may have mended it; whom they put off waits for the next pass.
            if f[a] + up >= low[a] and f[a] + down <= high[a]:
                continue
            # Newton's step, clipped; the bias moves along, which makes the direction steeper by `pull`.
            least, most = min(y[a] * cap[a], single(0)), max(y[a] * cap[a], single(0))
            new = min(max(beta[a] - (f[a] + (single(b) - y[a])) * inverse[a], least), most)
            step = new - beta[a]
            lanes_move(f, K, a, step * unit)
            beta[a], b = new, b + pull * step
            low[a], high[a] = _limits(y[a], cap[a], new)
            up, down = single(b + theta), single(b - theta)
            steps += 1
            moved += step
        block, bits = lanes_seek(f, low, high, block + 1, up, down)
    room.bias[0] = b
    return steps, moved


@numba.njit(cache=True, nogil=True, error_model="numpy", **WITHIN)
def _count_free(nearby: Nearby, room: Room) -> int:
    free = 0
    for a in range(len(nearby.y)):
        free += room.low[a] == room.high[a]
    return free


@numba.njit(cache=True, nogil=True, error_model="numpy", **WITHIN)
def _first_bias(nearby: Nearby, r: int) -> tuple[float, float]:
    """Return b when row r has gone, and Σ β − λ b.

    If the free rows take over its β, b moves by what makes the mean of their violations, weighted by shares, zero.
    """
    gone, penalty = nearby.beta[r], nearby.penalty
    if penalty == np.inf:
        return nearby.bias, 0.0
    if nearby.middle > 0:
        moved = gone / (1 - nearby.share[r]) * (nearby.answer[r] - nearby.middle)
        return nearby.bias + moved, -penalty * moved
    return nearby.bias - nearby.pull * gone, -gone + penalty * nearby.pull * gone


@numba.njit(cache=True, nogil=True, error_model="numpy", **WITHIN)
def _first_estimate(nearby: Nearby, room: Room, r: int) -> tuple[float, float]:
    """Return what `_estimate` returns before any step; (0, ∞) if the free rows cannot take over the β of row r.

    Of the room only the bias is set.
    """
    gone, share = nearby.beta[r], nearby.share[r]
    b, lean = _first_bias(nearby, r)
    room.bias[0] = b
    if gone == 0 or nearby.pull * abs(lean) > STILL:
        return 0.0, np.inf
    step, single = gone / (np.float32(1) - share), np.float32
    lacks, work = lanes_lack_without(
        nearby.f,
        nearby.low,
        nearby.high,
        nearby.share,
        nearby.answer,
        nearby.K,
        r,
        step,
        single(step * nearby.unit),
        single(b),
    )
    score = nearby.f[r] + step * (nearby.answer[r] - nearby.squares[r]) + b
    # Row r itself is not asked for: nothing is lacking where it is.
    own = max(nearby.low[r] - score, 0.0) + min(nearby.high[r] - score, 0.0)
    return _expected(nearby, r, score, step * (work - share * own) - (b - nearby.bias) * lean), (
        max(lacks - own * own, 0.0) / abs(gone)
    )


@numba.njit(cache=True, nogil=True, error_model="numpy", **NO_REFERENCES)
def take_out(nearby: Nearby, room: Room, r: int) -> float:
    """Remove row r; its β goes to the free rows by their shares. Return Σ β − λ b."""
    step, single = nearby.beta[r] / (np.float32(1) - nearby.share[r]), np.float32
    room.bias[0], lean = _first_bias(nearby, r)
    lanes_shift(room.f, nearby.f, nearby.answer, nearby.K, r, step, single(step * nearby.unit))
    for a in range(np.uint64(0), np.uint64(len(room.beta))):
        room.beta[a] = nearby.beta[a] + step * nearby.share[a]
    for a in range(np.uint64(0), np.uint64(len(room.beta))):
        room.low[a] = nearby.low[a]
    for a in range(np.uint64(0), np.uint64(len(room.beta))):
        room.high[a] = nearby.high[a]
    room.beta[r], room.low[r], room.high[r] = 0.0, single(-np.inf), single(np.inf)
    return lean


@numba.njit(cache=True, nogil=True, error_model="numpy", **WITHIN)
def _expected(nearby: Nearby, r: int, score: float, work: float) -> float:
    """Return the score with its correction, work / β.

    A row never gains by its removal, and loses at most 2 α K(x, x) (joachims2000, lemma 1): where α is tiny, this says
    more than a quotient by α.
    """
    gone, y, full = nearby.beta[r], nearby.y[r], nearby.f[r] + nearby.bias
    loss = y * (full - score - work / gone)
    return full - y * min(max(loss, 0.0), 2 * abs(gone) * nearby.squares[r])


@numba.njit(cache=True, nogil=True, error_model="numpy", **WITHIN)
def _estimate(nearby: Nearby, room: Room, r: int, lean: float) -> tuple[float, float]:
    """Return what the score of row r is expected to be at the optimum, at the least of y f, and s·s / α_r."""
    score, gone, moved = room.f[r] + room.bias[0], nearby.beta[r], room.bias[0] - nearby.bias
    if gone == 0:
        return score, 0.0
    lacks, work = lanes_lack(room.f, room.low, room.high, nearby.beta, room.beta, np.float32(room.bias[0]))
    return _expected(nearby, r, score, work - moved * lean), lacks / abs(gone)


@numba.njit(cache=True, nogil=True, error_model="numpy", **WITHIN)
def _interval(nearby: Nearby, r: int, score: float, lack: float, level: float) -> tuple[float, float]:
    """Return bounds of the score of the optimum, from an estimate at this level; ∞ is before any step."""
    below, above = NOISE, NOISE + (FIRST if level == np.inf else EXPECTED) * lack
    if level < np.inf:
        alike = SIMILAR * max(nearby.similarity - APART, 0.0)
        below, above = below + (BELOW + alike) * level, above + (ABOVE + alike) * level
    return (score - below, score + above) if nearby.y[r] > 0 else (score - above, score + below)


@numba.njit(cache=True, nogil=True, error_model="numpy", **WITHIN)
def _descend(nearby: Nearby, room: Room, theta: float, lean: float) -> tuple[int, float]:
    """Make steps until no row, and not the bias, is off by more than theta: (steps or −1, Σ β − λ b)."""
    penalty, pull, steps = nearby.penalty, nearby.pull, 0
    for done in range(PASSES):
        made, moved = _pass(nearby, room, theta)
        steps += made
        if penalty < np.inf:
            lean += moved * (1.0 - penalty * pull)
            if done < SWINGS or pull * abs(lean) > theta:
                room.bias[0] += pull * lean
                lean -= penalty * pull * lean
        if made == 0 and pull * abs(lean) <= theta:
            return steps, lean
        if steps > STEPS * len(nearby.y):
            break
    return -1, lean


@numba.njit(cache=True, nogil=True, error_model="numpy", **NO_REFERENCES)
def retrain(nearby: Nearby, room: Room, r: int, levels: np.ndarray, bar: float, roof: float) -> WithoutRow:
    """Solve without row r until its score is certain to lie below `bar` or above `roof`, or to the last level.

    If the first estimate is enough, or there are no levels, the level is ∞, and of the room only the bias is set.
    """
    half, level, steps = 0.5 * EXPECTED * nearby.y[r], np.inf, 0
    score, lack = _first_estimate(nearby, room, r)
    low, high = _interval(nearby, r, score, lack, level) if lack < np.inf else (-np.inf, np.inf)
    if len(levels) == 0 or high < bar or low > roof:
        free = nearby.free - (nearby.low[r] == nearby.high[r])
        score = score + half * lack if lack < np.inf else nearby.f[r] + nearby.bias
        return WithoutRow(score, low, high, level, free if free > 0 or nearby.penalty > 0 else -1, 0)
    lean = take_out(nearby, room, r)
    for k in range(len(levels)):
        more, lean = _descend(nearby, room, levels[k], lean)
        if more < 0:
            break
        steps, level = steps + more, levels[k]
        if (len(levels) - k) % OFTEN != 1:
            continue
        score, lack = _estimate(nearby, room, r, lean)
        lower, upper = _interval(nearby, r, score, lack, level)
        # Every level bounds the same number. Where two of them contradict each other, the finer one is right.
        low, high = (max(low, lower), min(high, upper)) if max(low, lower) <= min(high, upper) else (lower, upper)
        if k == len(levels) - 1 or high < bar or low > roof:
            free = _count_free(nearby, room)
            score = min(max(score + half * lack, low), high)
            return WithoutRow(score, low, high, level, free if free > 0 or nearby.penalty > 0 else -1, steps)
    return WithoutRow(0.0, -np.inf, np.inf, np.inf, -1, steps)
