"""One linear SVM on a set of rows, from any feasible start, by dual coordinate descent.

Problem (see `svm_joint`): max over 0 <= y_i β_i <= C_i of  Σ |β_i| − ½ |w|² − (Σ β_i)² / 2λ,  w = Σ β_i x_i.
λ = 0 is a free bias (Σ β_i = 0), λ = ∞ none.

Given  the rows (terms uint32), and a `Dual`: y ±1, `cap` C_i (0 leaves a row out), |x_i|², a start β with
       its w, and b in an array of one. β, w and b change in place.
Return (gap, primal, sweeps): the duality gap and the primal value on these rows as last measured.
Cost   a sweep is two operations per stored value of the rows that are active and do not rest.
Ties   rows are visited in a new random order each sweep, from `seed` alone.
Edge   |x_i| = 0: β_i goes to the bound that its gradient points to. With λ = 0, Σ β_i is only as small as the gap
       asks; `balance` makes it zero.

Coordinate descent is that of Hsieh et al. (2008) with one change: the bias moves with every step as if it had the
penalty λ + .2 · free rows (0 < |β| < C) / mean |x|², and is drawn towards Σβ / λ after each sweep (an augmented
Lagrangian), because a bias that is a feature of size 1 couples all rows and makes the steps short.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import ZERO, Rows
from rubricate.kernels.svm_bias import least_loss
from rubricate.kernels.wrappers import FROM_KERNELS, FROM_PYTHON, NO_REFERENCES

__all__ = [
    "Dual",
    "LaneDocuments",
    "Search",
    "WorkingSets",
    "add_row",
    "balance",
    "bias_step",
    "copy_rows",
    "dot_row",
    "duality_gap",
    "scores",
    "solve_block",
    "solve_exactly",
    "solve_rows",
]

SHRINK = 0.003
"""A row with β = 0 that lies this far beyond the margin sleeps until the rest has converged.

Larger values keep more rows awake, smaller ones send rows to sleep that have to be woken again. Between .0003 and .03
the sweeps of 90 Reuters SVMs change by 5 %, the time by less than the noise."""
QUIET = 0.9
"""A row whose step changes its score by less than this share of the mean of the sweep before rests for one sweep.

Solves of Reuters take 11 % less with .4 to 1.2, those of banking77 at C = 1 and 4 a tenth and a quarter less. Rests of
two or three sweeps for the smallest steps take longer than none."""
RESTLESS = 500
"""Sweeps after which no row rests any more: a few small problems with a free bias otherwise go round in a circle."""
RESIST = 0.2
"""The share of free rows by which a change of the bias is damped: with less it overshoots, with more it lags behind."""
EMPTY = 1e-200
"""A mean square length up to this is that of rows of zeros."""
STILL = 1e-12
"""Steps that change a score by less are not made."""
VANISHED = 1e-6
"""The share of the primal of all rows below which that of the rows awake wakes the others. Small: it is for rows that
pull the bias away while all others sleep, and a relative gap of nothing is never reached."""
ONE, TWO, THREE, FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)


class Dual(NamedTuple):
    """One linear SVM on its rows: y ±1, bounds C_i, |x_i|², β = yα, w = Σ β_i x_i, and b in an array of one."""

    y: np.ndarray
    cap: np.ndarray
    squares: np.ndarray
    beta: np.ndarray
    w: np.ndarray
    bias: np.ndarray


class Search(NamedTuple):
    """How to solve: the λ of ½ λ b², the duality gap as a share of the primal, the most sweeps, the random seed."""

    penalty: float
    tol: float
    sweeps: int
    seed: int


class LaneDocuments(NamedTuple):
    """Documents of a block of SVMs: bit c of `labels` is y in lane c; C_i = weights[i] · costs[y, c]."""

    labels: np.ndarray
    weights: np.ndarray
    squares: np.ndarray
    costs: np.ndarray


class WorkingSets(NamedTuple):
    """Working sets end to end: lane c has rows `members[offsets[c]:offsets[c + 1]]` with their β, a bias and a seed.

    `w` is room for a weight of every term, zeros before and after.
    """

    offsets: np.ndarray
    members: np.ndarray
    beta: np.ndarray
    bias: np.ndarray
    seeds: np.ndarray
    w: np.ndarray


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS, **NO_REFERENCES)
def dot_row(rows: Rows, i: int, w: np.ndarray) -> float:
    """Return w·x_i; four sums are kept apart, which lets the processor overlap them."""
    starts, terms, values = rows
    a, b, c, d, p, end = 0.0, 0.0, 0.0, 0.0, np.uint64(starts[i]), np.uint64(starts[i + 1])
    while p + FOUR <= end:
        a += w[terms[p]] * values[p]
        b += w[terms[p + ONE]] * values[p + ONE]
        c += w[terms[p + TWO]] * values[p + TWO]
        d += w[terms[p + THREE]] * values[p + THREE]
        p += FOUR
    while p < end:
        a += w[terms[p]] * values[p]
        p += ONE
    return (a + b) + (c + d)


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS, **NO_REFERENCES)
def add_row(rows: Rows, i: int, factor: float, w: np.ndarray) -> None:
    """Add factor · x_i to w."""
    starts, terms, values = rows
    p, end = np.uint64(starts[i]), np.uint64(starts[i + 1])
    while p < end:
        w[terms[p]] += factor * values[p]
        p += ONE


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS, **NO_REFERENCES)
def _sum(values: np.ndarray) -> float:
    total = 0.0
    for i in range(len(values)):
        total += values[i]
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS)
def scores(rows: Rows, w: np.ndarray, b: float) -> np.ndarray:
    """Return w·x_i + b of every row."""
    scores = np.empty(len(rows.starts) - 1)
    for i in range(len(scores)):
        scores[i] = dot_row(rows, i, w) + b
    return scores


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS)
def bias_step(penalty: float, free: int, size: float) -> float:
    """Return how far the bias moves per unit of Σ β: 1 / (λ + .2 · free rows / mean K(x, x)), 0 without a bias.

    Rows of zeros alone resist nothing: their β are at the bounds, wherever the bias is.
    """
    if penalty == np.inf:
        return 0.0
    resistance = RESIST * max(free, 5) / size if size > EMPTY else 0.0
    return 1 / (penalty + resistance) if penalty + resistance > 0 else 1.0


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS, **NO_REFERENCES)
def _shuffle(order: np.ndarray, state: np.uint64) -> np.uint64:
    """Shuffle in place (Fisher and Yates) by xorshift64; returns its next state."""
    count = len(order)
    for a in range(count - 1):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        # The upper half of the state times the range: no division, and no bias worth the name for ranges below 2³².
        j = a + np.int64(((state >> np.uint64(32)) * np.uint64(count - a)) >> np.uint64(32))
        order[a], order[j] = order[j], order[a]
    return state


class _Swept(NamedTuple):
    """A sweep: the gap without the bias, Σ C ξ and Σ β w·x of the rows visited; active, free and resting rows; and the
    mean change of a score by the steps."""

    gap: float
    hinge: float
    norm: float
    active: int
    free: int
    resting: int
    change: float


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS, **NO_REFERENCES)
def _sweep(rows: Rows, dual: Dual, order: np.ndarray, rests: np.ndarray, pull: float, quiet: float) -> _Swept:
    """Visit the rows in order once, except those that rest; they will be visited in the next sweep.

    Rows that fall asleep are moved behind the active ones; rows whose step changes their score by less than `quiet`
    begin to rest.
    """
    y, cap, squares, beta, w, bias = dual
    gap, hinge, norm, change, b = 0.0, 0.0, 0.0, 0.0, bias[0]
    free, resting, a, active = 0, 0, 0, len(order)
    while a < active:
        r = order[a]
        if rests[r]:
            rests[r] = 0
            resting += 1
            free += beta[r] != 0 and abs(beta[r]) < cap[r]
            a += 1
            continue
        f = dot_row(rows, r, w) + b
        old, yr, top = beta[r], y[r], cap[r]
        lack = 1 - yr * f
        # The gap is a sum of terms C ξ − α (1 − y f) >= 0, measured as the rows pass, with β before its step.
        hinge += top * max(lack, 0.0)
        gap += top * max(lack, 0.0) - abs(old) * lack
        norm += old * (f - b)
        # Newton's step in β_r alone, clipped; the bias moves along, which makes the direction steeper by `pull`.
        curve = max(squares[r] + pull, 1e-300)
        new = yr * min(max(yr * (old - (f - yr) / curve), 0.0), top)
        free += new != 0 and abs(new) < top
        step = new - old
        change += abs(step) * curve
        rests[r] = abs(step) * curve < quiet
        if abs(step) * curve > STILL or curve <= 1e-300:
            beta[r] = new
            b += pull * step
            add_row(rows, r, step, w)
        elif new == 0 and lack < -SHRINK:
            # Asleep: swapped behind the active rows, and the row that comes here is looked at next.
            active -= 1
            order[a], order[active] = order[active], r
            continue
        a += 1
    bias[0] = b
    return _Swept(gap, hinge, norm, active, free, resting, change / max(len(order) - resting, 1))


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS)
def solve_rows(rows: Rows, dual: Dual, search: Search) -> tuple[float, float, int]:
    """Solve to a gap of `tol` · primal or for `sweeps` sweeps: (gap, primal, sweeps done)."""
    beta, cap, bias, penalty = dual.beta, dual.cap, dual.bias, search.penalty
    count = len(beta)
    # xorshift64 must not start at 0: a linear congruential step spreads small seeds over all bits.
    order, rests, state = np.empty(count, np.int64), np.empty(count, np.bool_), np.uint64(search.seed)
    state = state * np.uint64(2862933555777941757) + np.uint64(88172645463325252)
    biased, free, size = penalty < np.inf, ZERO, max(_sum(dual.squares) / max(count, 1), 1e-300)
    for r in range(count):
        order[r], rests[r] = r, False
        free += beta[r] != 0 and abs(beta[r]) < cap[r]
    active, gap, primal, done, whole, change = count, np.inf, 0.0, 0, 0.0, 0.0
    while done < search.sweeps:
        state = _shuffle(order[:active], state)
        # `free` is of the sweep before: it changes little once the roles of the rows have settled.
        pull = bias_step(penalty, free, size)
        quiet = QUIET * change if done < RESTLESS else 0.0
        swept = _sweep(rows, dual, order[:active], rests, pull, quiet)
        full = active == count and swept.resting == 0
        gap, active, free, change = swept.gap, swept.active, swept.free, swept.change
        done += 1
        # Σ β w·x = |w|², so that half of it is the regulariser of the primal.
        primal, lean = swept.hinge + 0.5 * swept.norm, 0.0
        if biased:
            # Σ β = λ b holds only at the optimum: what it is off by belongs to the gap.
            b = bias[0]
            lean = _sum(beta) - penalty * b
            gap += lean * lean / (2 * penalty) if penalty > 0 else abs(b * lean) + 0.5 * lean * lean
            primal += 0.5 * penalty * b * b
        whole = primal if full else whole
        # Where the rows awake have next to no loss left, the bias has gone over to them: the others must be heard.
        if gap <= search.tol * primal or (not full and primal < VANISHED * whole):
            if full:
                break
            # The gap of the rows visited is small enough: only a sweep over all of them proves it.
            active = count
            for r in range(count):
                rests[r] = False
            continue
        # The step of the multiplier of Σ β = λ b (augmented Lagrangian).
        bias[0] += pull * lean
    return gap, primal, done


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS)
def balance(rows: Rows, dual: Dual) -> None:
    """Shift the free β evenly, then the bounded ones, until Σ β = 0; w follows."""
    y, cap, beta, w = dual.y, dual.cap, dual.beta, dual.w
    for _ in range(100):
        total, size, free = 0.0, 0.0, 0
        for r in range(len(beta)):
            total += beta[r]
            size += abs(beta[r])
            free += beta[r] != 0 and abs(beta[r]) < cap[r]
        if abs(total) <= 1e-15 * size:
            return
        # Free rows take it evenly, as they can move both ways; what one of them clips is left for the next pass.
        for r in range(len(beta)):
            if (beta[r] != 0 and abs(beta[r]) < cap[r]) if free else beta[r] * total > 0:
                share = total / free if free else total
                new = y[r] * min(max(y[r] * (beta[r] - share), 0.0), cap[r])
                add_row(rows, r, new - beta[r], w)
                total -= 0.0 if free else beta[r] - new
                beta[r] = new


@numba.njit(cache=True, nogil=True, error_model="numpy", inline="always", **FROM_KERNELS)
def _solve_exactly(rows: Rows, dual: Dual, search: Search) -> tuple[float, float, int]:
    gap, primal, done = solve_rows(rows, dual, search)
    if search.penalty == 0:
        balance(rows, dual)
        dual.bias[0] = least_loss(scores(rows, dual.w, 0.0), dual.y, dual.cap)
    return gap, primal, done


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def solve_exactly(rows: Rows, dual: Dual, search: Search) -> tuple[float, float, int]:
    """Solve as `solve_rows`; then, with a free bias, make Σ β = 0 and b the best for w on these rows."""
    return _solve_exactly(rows, dual, search)


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def duality_gap(rows: Rows, dual: Dual, penalty: float) -> float:
    """Return primal − dual: Σ C (1 − yf)₊ − |β| (1 − yf), and (Σβ − λb)² / 2λ for a penalised b.

    Each term is >= 0. λ = 0 is a free bias, for which Σ β must be 0; λ = ∞ none.
    """
    y, cap, beta, w, b = dual.y, dual.cap, dual.beta, dual.w, dual.bias[0]
    gap, total = 0.0, 0.0
    for i in range(len(y)):
        lack = 1.0 - y[i] * (dot_row(rows, i, w) + b)
        gap += cap[i] * max(lack, 0.0) - abs(beta[i]) * lack
        total += beta[i]
    if 0.0 < penalty < np.inf:
        gap += (total - penalty * b) ** 2 / (2.0 * penalty)
    return max(gap, 0.0)


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS)
def _copy_rows(rows: Rows, chosen: np.ndarray) -> Rows:
    starts, terms, values = rows
    own = np.empty(len(chosen) + 1, np.int64)
    own[0] = 0
    for a in range(len(chosen)):
        own[a + 1] = own[a] + starts[chosen[a] + 1] - starts[chosen[a]]
    mine, copy = np.empty(own[-1], np.uint32), np.empty(own[-1])
    for a in range(len(chosen)):
        first, length, to = np.uint64(starts[chosen[a]]), np.uint64(own[a + 1] - own[a]), np.uint64(own[a])
        for p in range(length):
            mine[to + p], copy[to + p] = terms[first + p], values[first + p]
    return Rows(own, mine, copy)


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def copy_rows(rows: Rows, chosen: np.ndarray) -> Rows:
    """Copy rows, so that they lie together."""
    return _copy_rows(rows, chosen)


def solve_block(rows: Rows, documents: LaneDocuments, sets: WorkingSets, search: Search) -> np.ndarray:
    """Solve each lane of a block (see `svm_joint`) on its working set; β and bias of `sets` change in place.

    Returns the sweeps of each. The seeds are those of `sets`.
    """
    done = np.zeros(len(sets.offsets) - 1, np.int64)
    _solve_block(rows, documents, sets, search, done)
    return done


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def _solve_block(rows: Rows, documents: LaneDocuments, sets: WorkingSets, search: Search, done: np.ndarray) -> None:
    labels, weights, squares, costs = documents
    offsets, bias = sets.offsets, sets.bias
    for c in range(len(done)):
        own, beta = sets.members[offsets[c] : offsets[c + 1]], sets.beta[offsets[c] : offsets[c + 1]]
        # Rows that lie together are worth the copy. Renumbering their terms as well, so that w is short, is not: the
        # most frequent terms come first in `rows`, and what is used of w stays in the cache.
        near = _copy_rows(rows, own)
        dual = Dual(np.empty(len(own)), np.empty(len(own)), np.empty(len(own)), beta, sets.w, bias[c : c + 1])
        for a in range(len(own)):
            positive = (labels[own[a]] >> c) & 1
            y, cap = 2.0 * positive - 1, weights[own[a]] * costs[positive, c]
            dual.y[a], dual.cap[a], dual.squares[a] = y, cap, squares[own[a]]
            # The guess is in single precision: its β may lie outside the bounds by a rounding.
            beta[a] = y * min(max(y * beta[a], 0.0), cap)
            if beta[a] != 0:
                add_row(near, a, beta[a], dual.w)
        done[c] = _solve_exactly(near, dual, Search(search.penalty, search.tol, search.sweeps, sets.seeds[c]))[2]
        if len(near.terms) < len(sets.w):
            for p in range(len(near.terms)):
                sets.w[near.terms[p]] = 0.0
        else:
            for t in range(len(sets.w)):
                sets.w[t] = 0.0
