"""One SVM without one document: principal pivots in a table of responses.

Problem: that of `svm_local` with C_i = 0 for one i, and f(x_i) of that solution.

Given  an `Optimum`: the solution with all documents, its rows in two groups. F, with 0 < α < C and so y f = 1, come
       first, then N, with α = 0 or α = C. The table (float32, rows × (rows + 1)) says how everything responds while
       Σ β = 0 and f stays on F: row j of N holds the change of β on F, of f on N and of b for β_j + 1, row j of F the
       same for f(x_j) + 1.
Return f(x_i); what its duality gap is at most on these rows; how many documents then have 0 < α < C, −1 where no
       solution was found; responses added; and in `change` the change of all β and of b.
Cost   responses of n numbers (on Reuters 22 in the median, below 100 in nine cases of ten) and small linear systems.
Ties   none: every row that violates its condition is pivoted at once.
Edge   a pivot element of zero, more than 128 pivoted rows, more than 80 rounds: not found, to be solved otherwise.

Removing i moves β_i to 0 while F follows linearly. Where a β of F leaves [0, C] its row is pinned to the bound and f
is let go; where a row of N comes to violate its margin its β is let go and y f pinned to 1. The pinned rows are solved
together, as a small linear system, until nothing changes (block principal pivoting, judice1994; from the ninth round
on one row at a time, because blocks can cycle). Violations of less than the first level are left alone if the sign is
certain all the same, |f(x_i) − f*(x_i)| <= √(reach2 · gap), or clear by far (`CLEAR`), else the next level counts.
`rubricate.classifiers.svm.leave_one_out` proves the bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.svm_products import respond

__all__ = ["Certainty", "Optimum", "Room", "intervals", "make_room", "retrain"]

HOME, IN, TOP, AWAY = 0, 1, 2, 3
"""A row as in the full solution; among the pinned (F: at zero); F at C; N at its other bound."""
MOST = 128
"""Pinned rows: beyond it the system costs more than solving by rows. Reuters pins 12 in the median and 96 at most."""
ROUNDS, TOGETHER = 80, 8
"""Rounds, and those of them in which all rows are pinned together; then one by one, which ends cycles.

Of 6,454 removals on Reuters half end after 3 rounds, 99 % after 8, all after 34."""
CLEAR = 50.0
"""A score of so many levels is certain too: the solution is exact for targets y that are off by one level at most."""
SLIP = 0.3
"""Of a level, and of C where that is below 1, how far β may lie outside its bounds.

A β moves f by about K(x, x) = 1 times its own change, so that this is of the order of a level of f."""
SINGULAR = 1e-9
"""A pivot element below this ends the search: float32 responses say nothing any more."""


class Optimum(NamedTuple):
    """The full solution on a working set: table of responses, rows in F, y, C.

    `home` is β on N, `start` β on F, f on N and b.
    """

    table: np.ndarray
    free: int
    y: np.ndarray
    cap: np.ndarray
    home: np.ndarray
    start: np.ndarray


class Certainty(NamedTuple):
    """How sure a score must be: levels of violation, the `intervals` of each, and |f − f*|² for a gap of 1.

    With `signs` a level is enough that proves the sign, without one that proves the score to be below the bar.
    """

    levels: np.ndarray
    within: np.ndarray
    reach2: float
    signs: bool


class Room(NamedTuple):
    """What one removal works on, kept from one to the next.

    `v`: β on F, f on N, b now; `base`: the same without the pinned rows; `state` of each row; `pinned` rows, how many
    (`size`, an array of one), their moves `x`, and their system `A`; `change` of β and b at the end.
    """

    v: np.ndarray
    base: np.ndarray
    state: np.ndarray
    pinned: np.ndarray
    size: np.ndarray
    x: np.ndarray
    A: np.ndarray
    change: np.ndarray


class _Removal(NamedTuple):
    """The row left out, what counts as a violation (level, intervals of every row), and how many rows may change."""

    r: int
    level: float
    within: np.ndarray
    limit: int


@numba.njit(cache=True, nogil=True, error_model="numpy")
def make_room(n: int) -> Room:
    """Return room for removals from n rows."""
    return Room(
        np.empty(n + 1, np.float32), np.empty(n + 1, np.float32), np.empty(n, np.int8), np.empty(MOST, np.int64),
        np.zeros(1, np.int64), np.empty(MOST), np.empty((MOST, MOST)), np.empty(n + 1),
    )  # fmt: skip


@numba.njit(cache=True, nogil=True, error_model="numpy")
def intervals(optimum: Optimum, level: float) -> np.ndarray:
    """Return where a row keeps its role, as 2 × rows: β of F within its bounds, f of N on its side of the margin."""
    y, cap, home = optimum.y, optimum.cap, optimum.home
    ends = np.empty((2, len(y)), np.float32)
    for a in range(len(y)):
        if cap[a] == 0:
            ends[0, a], ends[1, a] = -np.inf, np.inf
        elif a < optimum.free:
            slip = SLIP * level * min(cap[a], 1.0)
            ends[0, a], ends[1, a] = min(y[a] * cap[a], 0.0) - slip, max(y[a] * cap[a], 0.0) + slip
        # At α = 0 y f must stay above 1, at α = C below: which end of f that is depends on y.
        elif (home[a] == 0) == (y[a] > 0):
            ends[0, a], ends[1, a] = y[a] - level, np.inf
        else:
            ends[0, a], ends[1, a] = -np.inf, y[a] + level
    return ends


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _across(optimum: Optimum, a: int) -> float:
    """Return the way of β from its bound to the other one."""
    return optimum.y[a] * optimum.cap[a] if optimum.home[a] == 0 else -optimum.home[a]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _release(optimum: Optimum, room: Room, removal: _Removal) -> None:
    """Take those (up to the limit) out of the pinned rows that need it no longer."""
    y, cap, home, pinned, x, state = optimum.y, optimum.cap, optimum.home, room.pinned, room.x, room.state
    k, count, level = 0, room.size[0], removal.level
    least = count - removal.limit
    while k < count and count > least:
        a = pinned[k]
        out = False
        if a >= optimum.free:
            # A row of N on its margin: when its β passes a bound, it stays there, at home or at the other one.
            alpha = y[a] * (home[a] + x[k])
            slip = SLIP * level * min(cap[a], 1.0)
            if alpha < -slip or alpha > cap[a] + slip:
                out = True
                far = (alpha < 0) == (home[a] != 0)
                state[a] = AWAY if far else HOME
                if far:
                    respond(room.base, optimum.table[a], _across(optimum, a))
        elif a != removal.r and (y[a] * x[k] < -level if state[a] == IN else y[a] * x[k] > level):
            # A row of F at a bound: when its margin is on the wrong side for that bound, its β is free again.
            out = True
            state[a] = HOME
        if out:
            count -= 1
            pinned[k], x[k] = pinned[count], x[count]
        else:
            k += 1
    room.size[0] = count


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _violation(optimum: Optimum, room: Room, a: int) -> float:
    """Return by how much a row of N violates its margin (y f >= 1 at α = 0, <= 1 at α = C)."""
    at_zero = (optimum.home[a] == 0) == (room.state[a] == HOME)
    margin = optimum.y[a] * room.v[a]
    return 1.0 - margin if at_zero else margin - 1.0


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _gap(optimum: Optimum, room: Room, r: int) -> float:
    """Return what the violations that are left alone add to the duality gap: Σ C (violation)₊."""
    gap = 0.0
    for a in range(optimum.free, len(optimum.y)):
        if a != r and room.state[a] != IN:
            gap += optimum.cap[a] * max(_violation(optimum, room, a), 0.0)
    return gap


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _pin(optimum: Optimum, room: Room, removal: _Removal) -> None:
    """Pin rows, up to the limit, that are off by more than the level; the count may exceed `MOST` by one, to say so."""
    v, state, low, high = room.v, room.state, removal.within[0], removal.within[1]
    count = room.size[0]
    most = min(count + removal.limit, MOST + 1)
    for a in range(len(state)):
        # Nearly all rows keep their role: one comparison with an interval made once decides that.
        if state[a] != AWAY and low[a] <= v[a] <= high[a]:
            continue
        if count >= most:
            break
        if a == removal.r or state[a] == IN or state[a] == TOP:
            continue
        if a < optimum.free:
            state[a] = IN if optimum.y[a] * v[a] < 0 else TOP
        else:
            if _violation(optimum, room, a) <= removal.level:
                continue
            # Back from the other bound first: x counts from home.
            if state[a] == AWAY:
                respond(room.base, optimum.table[a], -_across(optimum, a))
            state[a] = IN
        # Beyond MOST rows are only counted; `retrain` then gives up.
        if count < MOST:
            room.pinned[count] = a
        count += 1
    room.size[0] = count


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _eliminate(A: np.ndarray, x: np.ndarray, count: int) -> bool:
    """Solve A x = x by Gauss with row pivots; False where A is singular."""
    for k in range(count):
        best = k
        for i in range(k + 1, count):
            best = i if abs(A[i, k]) > abs(A[best, k]) else best
        # A is not symmetric (F and N respond with opposite signs), so that Cholesky is no choice.
        if abs(A[best, k]) < SINGULAR:
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
def _solve(optimum: Optimum, room: Room) -> bool:
    """Move the pinned rows so that F is at its bounds and N at its margin; `v` follows."""
    table, y, base, pinned, x, count = optimum.table, optimum.y, room.base, room.pinned, room.x, room.size[0]
    for i in range(count):
        a = pinned[i]
        at_bound = y[a] * optimum.cap[a] if room.state[a] == TOP else 0.0
        x[i] = (y[a] if a >= optimum.free else at_bound) - base[a]
        # A is the part of the table where pinned rows respond to each other: a principal submatrix, hence the name.
        for j in range(count):
            room.A[i, j] = table[pinned[j], a]
    if not _eliminate(room.A, x, count):
        return False
    # From the base, not from the last v: rounding does not add up over the rounds.
    room.v[:] = base
    for i in range(count):
        respond(room.v, table[pinned[i]], x[i])
    return True


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _count_free(optimum: Optimum, room: Room) -> int:
    """Return how many documents have 0 < α < C: a pinned row of N has, one of F has not."""
    total = optimum.free
    for k in range(room.size[0]):
        total += 1 if room.pinned[k] >= optimum.free else -1
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _note_changes(optimum: Optimum, room: Room, r: int) -> None:
    """Set the change of every β, and of b in the last place."""
    n, v, start, change = len(optimum.y), room.v, optimum.start, room.change
    for a in range(n):
        away = _across(optimum, a) if room.state[a] == AWAY else 0.0
        change[a] = v[a] - start[a] if a < optimum.free else away
    for k in range(room.size[0]):
        if room.pinned[k] >= optimum.free:
            change[room.pinned[k]] = room.x[k]
    if r >= optimum.free:
        change[r] = -optimum.home[r]
    change[n] = v[n] - start[n]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _begin(optimum: Optimum, room: Room, r: int) -> None:
    """Remove r from the full solution: from N by its response, from F by pinning its β to zero."""
    room.base[:], room.state[:], room.size[0] = optimum.start, HOME, 0
    if r >= optimum.free:
        respond(room.base, optimum.table[r], -optimum.home[r])
    else:
        room.state[r], room.pinned[0], room.size[0] = IN, r, 1
    room.v[:] = room.base


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _score(optimum: Optimum, room: Room, r: int) -> float:
    """Return f(x_r): for r in F it is what moved its pinned row, from y."""
    score = np.float64(room.v[r])
    for i in range(room.size[0]):
        score = optimum.y[r] + room.x[i] if room.pinned[i] == r else score
    return score


@numba.njit(cache=True, nogil=True, error_model="numpy")
def retrain(optimum: Optimum, room: Room, r: int, certainty: Certainty, bar: float) -> tuple[float, float, int, int]:
    """Solve without row r: (score, gap, free documents or −1, responses); `room.change` is filled.

    `bar` is what the score is compared with: 0 for its sign.
    """
    levels, count, steps, k = certainty.levels, room.size, 1, 0
    _begin(optimum, room, r)
    for round in range(ROUNDS):
        before = count[0]
        if round > 0 or r >= optimum.free:
            limit = len(optimum.y) if round < TOGETHER else 1
            _release(optimum, room, _Removal(r, levels[k], certainty.within[k], limit))
            left = count[0]
            _pin(optimum, room, _Removal(r, levels[k], certainty.within[k], limit - (before - left)))
            if count[0] > MOST or _count_free(optimum, room) < 1:
                return 0.0, np.inf, -1, steps
            if left == before and count[0] == left:
                # Every condition holds to this level: enough if what is asked is proved, else on to the next level.
                score, gap = _score(optimum, room, r), _gap(optimum, room, r)
                k += 1
                apart = abs(score - bar)
                clear = apart * apart > certainty.reach2 * gap or apart > CLEAR * levels[k - 1]
                if k == len(levels) or (clear and (certainty.signs or score < bar)):
                    _note_changes(optimum, room, r)
                    return score, gap, _count_free(optimum, room) + (r < optimum.free), steps
                continue
        if not _solve(optimum, room):
            return 0.0, np.inf, -1, steps
        steps += count[0]
    return 0.0, np.inf, -1, steps
