"""One linear SVM on a set of rows, from any feasible start, by dual coordinate descent.

Problem (see `svm_joint`): max over 0 <= y_i β_i <= C_i of  Σ |β_i| − ½ |w|² − (Σ β_i)² / 2λ,  w = Σ β_i x_i.
λ = 0 is a free bias (Σ β_i = 0), λ = ∞ none.

Given  the rows in CSR form with compact terms (uint32), `squares` |x_i|², y ±1, `cap` C_i (0 leaves a row out),
       a start `beta` with its `w` (both changed in place) and bias b.
Return (b, gap, primal, sweeps): the duality gap and the primal value on these rows as last measured.
Cost   a sweep is two operations a stored value of the rows still active.
Ties   rows are visited in a new random order each sweep, from `seed` alone.
Edge   |x_i| = 0: β_i goes to the bound that its gradient points to. With λ = 0, Σ β_i is only as small as the gap
       asks; `balance` makes it zero.

Coordinate descent is that of Hsieh et al. (2008) with one change: the bias moves with every step as if it had the
penalty λ + .2 · free rows (0 < |β| < C) / mean |x|², and is drawn towards Σβ / λ after each sweep (an augmented
Lagrangian), because a bias that is a feature of size 1 couples all rows and makes the steps short.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.svm_bias import best_bias

__all__ = ["balance", "compact", "scores", "solve_block", "solve_rows", "weight_vectors"]

SHRINK = 0.003
"""A row with β = 0 that lies this far beyond the margin sleeps until the rest has converged."""
RESIST = 0.2
ONE, TWO = np.uint64(1), np.uint64(2)
"""The share of free rows by which a change of the bias is damped."""


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _dot(terms: np.ndarray, values: np.ndarray, w: np.ndarray, start: int, stop: int) -> float:
    even, odd, p, end = 0.0, 0.0, np.uint64(start), np.uint64(stop)
    while p + TWO <= end:
        even += w[terms[p]] * values[p]
        odd += w[terms[p + ONE]] * values[p + ONE]
        p += TWO
    if p < end:
        even += w[terms[p]] * values[p]
    return even + odd


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _add(terms: np.ndarray, values: np.ndarray, w: np.ndarray, start: int, stop: int, factor: float) -> None:
    p, end = np.uint64(start), np.uint64(stop)
    while p < end:
        w[terms[p]] += factor * values[p]
        p += ONE


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _sum(values: np.ndarray) -> float:
    total = 0.0
    for value in values:
        total += value
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def scores(starts: np.ndarray, terms: np.ndarray, values: np.ndarray, w: np.ndarray, b: float) -> np.ndarray:
    """w·x_i + b of every row."""
    found = np.empty(len(starts) - 1)
    for i in range(len(found)):
        found[i] = _dot(terms, values, w, starts[i], starts[i + 1]) + b
    return found


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _shuffle(order: np.ndarray, count: int, state: np.uint64) -> np.uint64:
    for a in range(count - 1):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        j = a + np.int64(((state >> np.uint64(32)) * np.uint64(count - a)) >> np.uint64(32))
        order[a], order[j] = order[j], order[a]
    return state


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _sweep(
    starts: np.ndarray,
    terms: np.ndarray,
    values: np.ndarray,
    squares: np.ndarray,
    y: np.ndarray,
    cap: np.ndarray,
    beta: np.ndarray,
    w: np.ndarray,
    b: float,
    pull: float,
    order: np.ndarray,
    active: int,
) -> tuple[float, float, float, float, int, int]:
    """Visit the active rows once: (b, gap without the bias, Σ C ξ, Σ β w·x, active rows, free rows)."""
    gap, hinge, wf, free, a = 0.0, 0.0, 0.0, 0, 0
    while a < active:
        r = order[a]
        f = _dot(terms, values, w, starts[r], starts[r + 1]) + b
        old, yr, top = beta[r], y[r], cap[r]
        lack = 1 - yr * f
        hinge += top * max(lack, 0.0)
        gap += top * max(lack, 0.0) - abs(old) * lack
        wf += old * (f - b)
        curve = max(squares[r] + pull, 1e-300)
        new = yr * min(max(yr * (old - (f - yr) / curve), 0.0), top)
        free += new != 0 and abs(new) < top
        step = new - old
        if abs(step) * curve > 1e-12 or curve <= 1e-300:
            beta[r] = new
            b += pull * step
            _add(terms, values, w, starts[r], starts[r + 1], step)
        elif new == 0 and lack < -SHRINK:
            active -= 1
            order[a], order[active] = order[active], r
            continue
        a += 1
    return b, gap, hinge, wf, active, free


@numba.njit(cache=True, nogil=True, error_model="numpy")
def solve_rows(
    starts: np.ndarray,
    terms: np.ndarray,
    values: np.ndarray,
    squares: np.ndarray,
    y: np.ndarray,
    cap: np.ndarray,
    beta: np.ndarray,
    w: np.ndarray,
    b: float,
    penalty: float,
    tol: float,
    sweeps: int,
    seed: int,
) -> tuple[float, float, float, int]:
    """Solve to a gap of `tol` · primal or for `sweeps` sweeps: (b, gap, primal, sweeps done)."""
    count = len(y)
    order, state = np.arange(count), np.uint64(seed)
    state = state * np.uint64(2862933555777941757) + np.uint64(88172645463325252)
    biased, free, size = penalty < np.inf, 0, max(_sum(squares) / max(len(y), 1), 1e-300)
    for r in range(count):
        free += beta[r] != 0 and abs(beta[r]) < cap[r]
    active, gap, primal, done = count, np.inf, 0.0, 0
    while done < sweeps:
        full = active == count
        state = _shuffle(order, active, state)
        pull = 1 / (penalty + RESIST * max(free, 5) / size) if biased else 0.0
        b, gap, hinge, wf, active, free = _sweep(
            starts, terms, values, squares, y, cap, beta, w, b, pull, order, active
        )
        done += 1
        primal = hinge + 0.5 * wf
        lean = 0.0
        if biased:
            lean = _sum(beta) - penalty * b
            gap += lean * lean / (2 * penalty) if penalty > 0 else abs(b * lean) + 0.5 * lean * lean
            primal += 0.5 * penalty * b * b
        if gap <= tol * primal:
            if full:
                break
            active = count
            continue
        b += pull * lean
    return b, gap, primal, done


@numba.njit(cache=True, nogil=True, error_model="numpy")
def balance(
    starts: np.ndarray,
    terms: np.ndarray,
    values: np.ndarray,
    y: np.ndarray,
    cap: np.ndarray,
    beta: np.ndarray,
    w: np.ndarray,
) -> None:
    """Shift the free β evenly, then the bounded ones, until Σ β = 0; w follows."""
    for _ in range(100):
        total, size, free = 0.0, 0.0, 0
        for r in range(len(beta)):
            total += beta[r]
            size += abs(beta[r])
            free += beta[r] != 0 and abs(beta[r]) < cap[r]
        if abs(total) <= 1e-15 * size:
            return
        for r in range(len(beta)):
            if (beta[r] != 0 and abs(beta[r]) < cap[r]) if free else beta[r] * total > 0:
                share = total / free if free else total
                new = y[r] * min(max(y[r] * (beta[r] - share), 0.0), cap[r])
                _add(terms, values, w, starts[r], starts[r + 1], new - beta[r])
                total -= 0.0 if free else beta[r] - new
                beta[r] = new


@numba.njit(cache=True, nogil=True, error_model="numpy")
def compact(
    starts: np.ndarray, terms: np.ndarray, values: np.ndarray, rows: np.ndarray, place: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Copy rows and renumber their terms 0, 1, …: (starts, terms, values, number of terms).

    `place` holds −1 for every term, before and after.
    """
    own = np.zeros(len(rows) + 1, np.int64)
    for a in range(len(rows)):
        own[a + 1] = own[a] + starts[rows[a] + 1] - starts[rows[a]]
    mine, copy, used, seen = np.empty(own[-1], np.uint32), np.empty(own[-1]), 0, np.empty(own[-1], np.uint32)
    for a in range(len(rows)):
        shift = own[a] - starts[rows[a]]
        for p in range(starts[rows[a]], starts[rows[a] + 1]):
            t = terms[p]
            if place[t] < 0:
                place[t] = used
                seen[used] = t
                used += 1
            mine[p + shift] = place[t]
            copy[p + shift] = values[p]
    for t in seen[:used]:
        place[t] = -1
    return own, mine, copy, used


@numba.njit(cache=True, nogil=True, error_model="numpy")
def solve_block(
    starts: np.ndarray,
    terms: np.ndarray,
    values: np.ndarray,
    squares: np.ndarray,
    weights: np.ndarray,
    labels: np.ndarray,
    offsets: np.ndarray,
    rows: np.ndarray,
    near: np.ndarray,
    features: int,
    count: int,
    costs: np.ndarray,
    bias: np.ndarray,
    penalty: float,
    tol: float,
    sweeps: int,
    seeds: np.ndarray,
) -> np.ndarray:
    """Solve each lane of a block (see `svm_joint`) on its near rows; `near` (β) and `bias` change in place.

    Returns the sweeps of each. With a free bias, Σ β = 0 and the bias is the best for w on these rows.
    """
    place = np.full(features, -1, np.int32)
    done = np.zeros(count, np.int64)
    for c in range(count):
        own = rows[offsets[c] : offsets[c + 1]]
        beta = near[offsets[c] : offsets[c + 1]]
        first, mine, copy, used = compact(starts, terms, values, own, place)
        y, cap, length, w = np.empty(len(own)), np.empty(len(own)), np.empty(len(own)), np.zeros(used)
        for a in range(len(own)):
            positive = (labels[own[a]] >> c) & 1
            y[a], cap[a], length[a] = 2 * positive - 1, weights[own[a]] * costs[positive, c], squares[own[a]]
            beta[a] = y[a] * min(max(y[a] * beta[a], 0.0), cap[a])
            _add(mine, copy, w, first[a], first[a + 1], beta[a])
        bias[c], _, _, done[c] = solve_rows(
            first, mine, copy, length, y, cap, beta, w, bias[c], penalty, tol, sweeps, seeds[c]
        )
        if penalty == 0:
            balance(first, mine, copy, y, cap, beta, w)
            bias[c] = best_bias(scores(first, mine, copy, w, 0.0), y, cap)
    return done


@numba.njit(cache=True, nogil=True, error_model="numpy")
def weight_vectors(
    starts: np.ndarray,
    terms: np.ndarray,
    values: np.ndarray,
    support: np.ndarray,
    categories: np.ndarray,
    beta: np.ndarray,
    W: np.ndarray,
) -> None:
    """W[t, c] += Σ_i β_ic x_it, terms × categories; β is in CSR form (`support` its row starts)."""
    for i in range(len(starts) - 1):
        for p in range(starts[i], starts[i + 1]):
            for k in range(support[i], support[i + 1]):
                W[terms[p], categories[k]] += beta[k] * values[p]
