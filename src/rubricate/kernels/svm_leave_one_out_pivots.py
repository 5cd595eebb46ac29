"""One SVM without each of some documents in turn: principal pivots in a table of responses.

Problem: that of `svm_local` with C_i = 0 for one i, and f(x_i) of that solution.

Given  at the optimum with all documents, its rows in two groups: F, with 0 < α < C and so y f = 1, first, then N, with
       α = 0 or α = C. `table` P (float32, rows × (rows + 1)) says how everything responds while Σ β = 0 and f stays on
       F: row j of N holds the change of β on F, of f on N and of b for β_j + 1, row j of F the same for f(x_j) + 1.
       `start` are β on F, f on N and b; `home` is β on N.
Return for each document left out: f(x_i); what its duality gap is at most on these rows; how many documents then have
       0 < α < C, −1 where no solution was found; responses added; and the change of all β and of b.
Cost   some ten responses of n numbers and a linear system of as many unknowns (Reuters: 3 to 15).
Ties   none: every row that violates its condition is pivoted at once.
Edge   a pivot element of zero, more than 128 pivoted rows, more than 80 rounds: not found, to be solved otherwise.

Removing i moves β_i to 0 while F follows linearly. Where a β of F leaves [0, C] its row is pinned to the bound and f
is let go; where a row of N comes to violate its margin its β is let go and y f pinned to 1. The pinned rows are solved
together, as a small linear system, until nothing changes (block principal pivoting, judice1994; from the ninth round
on one row at a time, because blocks can cycle). Violations of less than `levels[0]` are left alone if the sign is
certain all the same, |f(x_i) − f*(x_i)| <= √(reach2 · gap), or clear by far (`CLEAR`), else the next level counts.
`reach2` is 2R² with a free bias, where b is a quantile of y − w·x and moves by no more than w·x does somewhere; K(x, x)
without. The gap bounds |w − w*|² because it is the primal's distance from the optimum and the dual's, each at least
half of that.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.svm_leave_one_out_products import respond

__all__ = ["intervals", "retrain"]

HOME, IN, TOP, AWAY = 0, 1, 2, 3
"""A row as in the full solution; among the pinned (F: at zero); F at C; N at its other bound."""
MOST, ROUNDS, TOGETHER = 128, 80, 8
"""Pinned rows, rounds, and those of them in which all rows are pinned together; then one by one, which ends cycles."""
CLEAR = 50.0
"""A score of so many levels is certain too: the solution is exact for targets y that are off by one level at most."""
SLIP = 0.3
"""Of a level, and of C where that is below 1, how far β may lie outside its bounds."""


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _across(y: np.ndarray, cap: np.ndarray, home: np.ndarray, a: int) -> float:
    """The way of β from its bound to the other one."""
    return y[a] * cap[a] if home[a] == 0 else -home[a]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _release(
    table: np.ndarray,
    free: int,
    y: np.ndarray,
    cap: np.ndarray,
    home: np.ndarray,
    r: int,
    level: float,
    base: np.ndarray,
    state: np.ndarray,
    pinned: np.ndarray,
    x: np.ndarray,
    count: int,
    limit: int,
) -> int:
    """Take those (up to `limit`) out of the pinned rows that need it no longer; how many are left."""
    k, least = 0, count - limit
    while k < count and count > least:
        a = pinned[k]
        out = False
        if a >= free:
            alpha = y[a] * (home[a] + x[k])
            slip = SLIP * level * min(cap[a], 1.0)
            if alpha < -slip or alpha > cap[a] + slip:
                out = True
                far = (alpha < 0) == (home[a] != 0)
                state[a] = AWAY if far else HOME
                if far:
                    respond(base, table[a], _across(y, cap, home, a))
        elif a != r and (y[a] * x[k] < -level if state[a] == IN else y[a] * x[k] > level):
            out = True
            state[a] = HOME
        if out:
            count -= 1
            pinned[k], x[k] = pinned[count], x[count]
        else:
            k += 1
    return count


@numba.njit(cache=True, nogil=True, error_model="numpy")
def intervals(free: int, y: np.ndarray, cap: np.ndarray, home: np.ndarray, level: float) -> np.ndarray:
    """Where a row keeps its role, as 2 × rows: β of F within its bounds, f of N on its side of the margin."""
    found = np.empty((2, len(y)), np.float32)
    for a in range(len(y)):
        if cap[a] == 0:
            found[0, a], found[1, a] = -np.inf, np.inf
        elif a < free:
            slip = SLIP * level * min(cap[a], 1.0)
            found[0, a], found[1, a] = min(y[a] * cap[a], 0.0) - slip, max(y[a] * cap[a], 0.0) + slip
        elif (home[a] == 0) == (y[a] > 0):
            found[0, a], found[1, a] = y[a] - level, np.inf
        else:
            found[0, a], found[1, a] = -np.inf, y[a] + level
    return found


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _violation(y: np.ndarray, home: np.ndarray, v: np.ndarray, state: np.ndarray, a: int) -> float:
    """By how much a row of N violates its margin (y f >= 1 at α = 0, <= 1 at α = C)."""
    at_zero = (home[a] == 0) == (state[a] == HOME)
    return 1.0 - y[a] * v[a] if at_zero else y[a] * v[a] - 1.0


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _gap(
    free: int, y: np.ndarray, cap: np.ndarray, home: np.ndarray, r: int, v: np.ndarray, state: np.ndarray
) -> float:
    """What the violations that are left alone add to the duality gap: Σ C (violation)₊."""
    gap = 0.0
    for a in range(free, len(y)):
        if a != r and state[a] != IN:
            gap += cap[a] * max(_violation(y, home, v, state, a), 0.0)
    return gap


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _pin(
    table: np.ndarray,
    free: int,
    y: np.ndarray,
    cap: np.ndarray,
    home: np.ndarray,
    r: int,
    within: np.ndarray,
    level: float,
    v: np.ndarray,
    base: np.ndarray,
    state: np.ndarray,
    pinned: np.ndarray,
    count: int,
    limit: int,
) -> int:
    """Pin up to `limit` rows that are off by more than `level`; how many are pinned then."""
    most = min(count + limit, MOST + 1)
    for a in range(len(y)):
        if state[a] != AWAY and within[0, a] <= v[a] <= within[1, a]:
            continue
        if count >= most:
            break
        if a == r or state[a] == IN or state[a] == TOP:
            continue
        if a < free:
            state[a] = IN if y[a] * v[a] < 0 else TOP
        else:
            if _violation(y, home, v, state, a) <= level:
                continue
            if state[a] == AWAY:
                respond(base, table[a], -_across(y, cap, home, a))
            state[a] = IN
        if count < MOST:
            pinned[count] = a
        count += 1
    return count


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _eliminate(A: np.ndarray, x: np.ndarray, count: int) -> bool:
    """Solve A x = x by Gauss with row pivots; False where A is singular."""
    for k in range(count):
        best = k
        for i in range(k + 1, count):
            best = i if abs(A[i, k]) > abs(A[best, k]) else best
        if abs(A[best, k]) < 1e-9:
            return False
        for j in range(k, count):
            A[k, j], A[best, j] = A[best, j], A[k, j]
        x[k], x[best] = x[best], x[k]
        for i in range(k + 1, count):
            factor = A[i, k] / A[k, k]
            for j in range(k + 1, count):
                A[i, j] -= factor * A[k, j]
            x[i] -= factor * x[k]
    for k in range(count - 1, -1, -1):
        for j in range(k + 1, count):
            x[k] -= A[k, j] * x[j]
        x[k] /= A[k, k]
    return True


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _solve(
    table: np.ndarray,
    free: int,
    y: np.ndarray,
    cap: np.ndarray,
    base: np.ndarray,
    state: np.ndarray,
    pinned: np.ndarray,
    count: int,
    A: np.ndarray,
    x: np.ndarray,
    v: np.ndarray,
) -> bool:
    """Move the pinned rows so that F is at its bounds and N at its margin; `v` follows."""
    for i in range(count):
        a = pinned[i]
        x[i] = (y[a] if a >= free else y[a] * cap[a] if state[a] == TOP else 0.0) - base[a]
        for j in range(count):
            A[i, j] = table[pinned[j], a]
    if not _eliminate(A, x, count):
        return False
    v[:] = base
    for i in range(count):
        respond(v, table[pinned[i]], x[i])
    return True


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _loose(free: int, pinned: np.ndarray, count: int) -> int:
    """How many documents have 0 < α < C."""
    found = free
    for k in range(count):
        found += 1 if pinned[k] >= free else -1
    return found


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _moves(
    free: int,
    y: np.ndarray,
    cap: np.ndarray,
    home: np.ndarray,
    start: np.ndarray,
    r: int,
    v: np.ndarray,
    state: np.ndarray,
    pinned: np.ndarray,
    x: np.ndarray,
    count: int,
    change: np.ndarray,
) -> None:
    """The change of every β, and of b in the last place."""
    for a in range(len(y)):
        change[a] = v[a] - start[a] if a < free else _across(y, cap, home, a) if state[a] == AWAY else 0.0
    for k in range(count):
        if pinned[k] >= free:
            change[pinned[k]] = x[k]
    if r >= free:
        change[r] = -home[r]
    change[len(y)] = v[len(y)] - start[len(y)]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def retrain(
    table: np.ndarray,
    free: int,
    y: np.ndarray,
    cap: np.ndarray,
    home: np.ndarray,
    start: np.ndarray,
    r: int,
    levels: np.ndarray,
    within: np.ndarray,
    reach2: float,
    v: np.ndarray,
    base: np.ndarray,
    state: np.ndarray,
    pinned: np.ndarray,
    x: np.ndarray,
    A: np.ndarray,
    change: np.ndarray,
) -> tuple[float, float, int, int]:
    """The solution without row r: (score, gap, free documents or −1, responses); `change` is filled.

    `within` are the `intervals` of each level.
    """
    count, steps, k, score, gap = 0, 1, 0, 0.0, 0.0
    base[:], state[:] = start, HOME
    if r >= free:
        respond(base, table[r], -home[r])
    else:
        state[r], pinned[0], count = IN, r, 1
    v[:] = base
    for round in range(ROUNDS):
        before = count
        if round > 0 or r >= free:
            limit = len(y) if round < TOGETHER else 1
            left = _release(table, free, y, cap, home, r, levels[k], base, state, pinned, x, count, limit)
            limit -= count - left
            count = _pin(table, free, y, cap, home, r, within[k], levels[k], v, base, state, pinned, left, limit)
            if count > MOST or _loose(free, pinned, count) < 1:
                return 0.0, np.inf, -1, steps
            if left == before and count == left:
                score = v[r]
                for i in range(count):
                    score = y[r] + x[i] if pinned[i] == r else score
                gap = _gap(free, y, cap, home, r, v, state)
                k += 1
                if k == len(levels) or score * score > reach2 * gap or abs(score) > CLEAR * levels[k - 1]:
                    _moves(free, y, cap, home, start, r, v, state, pinned, x, count, change)
                    return score, gap, _loose(free, pinned, count) + (r < free), steps
                continue
        if not _solve(table, free, y, cap, base, state, pinned, count, A, x, v):
            return 0.0, np.inf, -1, steps
        steps += count
    return 0.0, np.inf, -1, steps
