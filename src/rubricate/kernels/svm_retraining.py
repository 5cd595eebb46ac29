"""One SVM without each of some documents in turn, by its own solver, started from the solution with all of them.

Problem: that of `svm_local` (sparse rows, linear kernel) or `svm_smo` (kernel matrix) with C_i = 0 for one i, and
f(x_i) of that solution.

Given  the full solution, and a `Demand`: which rows to leave out, and how sure their scores must be.
Return for each row left out: its score, the steps or sweeps, how many rows then have 0 < α < C, and whether the steps
       ended before the sign was certain. By rows also: which rows outside the working set have to enter it.
Cost   by rows some ten sweeps over the working set for each, and the stored values of those rows outside that are near
       enough to be reached: |f'(x) − f(x)| <= |w' − w| |x| + |b' − b|. By matrix 4 n per step: a few to hand β_i over,
       then some ten to some hundred.
Ties   those of the solvers.
Edge   an interval of optimal biases: its middle. A score that stays within the deviation of the smallest gap is taken
       as it is.

Each removal is solved to the first tolerance of the demand, then to the next, until the duality gap G proves the sign.
From a solution with gap G, |f(x) − f*(x)| <= √(reach2 · G), with reach2 = 2R² for a free bias and K(x, x) else (see
`rubricate.classifiers.svm.leave_one_out`). A free bias is made the best for w, with Σ β = 0, before G is measured. What
the rows outside lack of their margin belongs to G.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_bias import best_bias
from rubricate.kernels.svm_local import Dual, Search, add_row, dot_row, duality_gap, solve_exactly
from rubricate.kernels.svm_smo import Expansion, Goal, KernelMatrix, add_multiple, kernel_row, primal_and_gap, settle

__all__ = ["Demand", "Outside", "Retrained", "leave_out_by_matrix", "leave_out_by_rows"]

SEED = 7
"""Of the order in which rows are visited."""


class Demand(NamedTuple):
    """What is asked: the rows to leave out, and how sure their scores must be.

    `levels` are tolerances of the solver, decreasing, each of which may take `limit` sweeps or steps; `reach2` (of
    every row) is |f(x) − f*(x)|² for a duality gap of 1, at most; a score may be off by `accuracy`, or this share.
    With `signs` its sign must be certain; without, a score that is certain to lie below its bar (one of each row to
    leave out) may be off by more. `penalty` is the λ of ½ λ b².
    """

    chosen: np.ndarray
    levels: np.ndarray
    limit: int
    reach2: np.ndarray
    accuracy: float
    signs: bool
    bars: np.ndarray
    penalty: float


class Outside(NamedTuple):
    """Rows outside the working set: `places` in `rows`, margin − 1 (`spare`), |x|, y and C of each."""

    rows: Rows
    places: np.ndarray
    spare: np.ndarray
    lengths: np.ndarray
    y: np.ndarray
    cap: np.ndarray


class Retrained(NamedTuple):
    """For each row left out: score, rows with 0 < α < C, steps, and whether they ended before the sign was certain."""

    scores: np.ndarray
    free: np.ndarray
    steps: np.ndarray
    short: np.ndarray


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _empty(count: int) -> Retrained:
    return Retrained(np.empty(count), np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.bool_))


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _is_certain(score: float, deviation2: float, demand: Demand, c: int) -> bool:
    """Return whether a score that may deviate says what is asked of removal c."""
    close = deviation2 <= (demand.accuracy * max(abs(score), 1.0)) ** 2
    if demand.signs:
        return score * score > deviation2 and close
    return close or (score < demand.bars[c] and (demand.bars[c] - score) ** 2 > deviation2)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _solve_without(rows: Rows, dual: Dual, c: int, demand: Demand) -> tuple[float, float, int, bool]:
    """Solve without the row of removal c, whose C is 0: (score, gap, sweeps, whether the gap was missed).

    It starts from the dual, which changes.
    """
    beta, w, r = dual.beta, dual.w, demand.chosen[c]
    # With a free bias Σ β is off by β_r now; the augmented Lagrangian brings it back while it solves.
    add_row(rows, r, -beta[r], w)
    beta[r], score, gap, done, short = 0.0, 0.0, np.inf, 0, False
    for level in demand.levels:
        more = solve_exactly(rows, dual, Search(demand.penalty, level, demand.limit, SEED))[2]
        done += more
        gap = duality_gap(rows, dual, demand.penalty)
        score = dot_row(rows, r, w) + dual.bias[0]
        if _is_certain(score, demand.reach2[r] * gap, demand, c):
            break
        short = more >= demand.limit
        if short:
            break
    return score, gap, done, short


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _lack(outside: Outside, change: np.ndarray, shift: float, lacking: np.ndarray) -> float:
    """Return Σ C (1 − y f')₊ of the rows outside when w changes by `change` and b by `shift`; `lacking` marks them."""
    rows, places, spare, lengths, y, cap = outside
    norm, total = 0.0, 0.0
    for value in change:
        norm += value * value
    norm, lacking[:] = np.sqrt(norm), False
    for a in range(len(y)):
        # Cauchy and Schwarz: most rows are too far away to be reached, and their product need not be computed.
        if spare[a] - norm * lengths[a] - abs(shift) >= 0.0:
            continue
        lack = -spare[a] - y[a] * (dot_row(rows, places[a], change) + shift)
        if lack > 0.0 and cap[a] > 0.0:
            lacking[a] = True
            total += cap[a] * lack
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def leave_out_by_rows(
    rows: Rows, dual: Dual, outside: Outside, demand: Demand
) -> tuple[Retrained, np.ndarray, np.ndarray]:
    """Leave out each of the chosen rows of a working set in turn: (results, which to repeat, rows outside to take in).

    A result is to be repeated where the rows outside, as far as they come to violate their margin, leave its sign or
    score open. The levels are relative duality gaps.
    """
    count = len(demand.chosen)
    results, again, hit = _empty(count), np.zeros(count, np.bool_), np.zeros(len(outside.y), np.bool_)
    own = Dual(dual.y, dual.cap, dual.squares, dual.beta.copy(), dual.w.copy(), dual.bias.copy())
    lacking, cap = np.zeros(len(hit), np.bool_), dual.cap
    for c in range(count):
        r = demand.chosen[c]
        # Every removal starts from the full solution, not from the one before: results do not depend on the order.
        own.beta[:], own.w[:], own.bias[0], kept, cap[r] = dual.beta, dual.w, dual.bias[0], cap[r], 0.0
        score, gap, results.steps[c], results.short[c] = _solve_without(rows, own, c, demand)
        for a in range(len(cap)):
            results.free[c] += own.beta[a] != 0 and abs(own.beta[a]) < cap[a]
        results.scores[c], cap[r] = score, kept
        # From here own.w is w' − w, of which the rows outside are tested.
        own.w[:] -= dual.w
        extra = _lack(outside, own.w, own.bias[0] - dual.bias[0], lacking)
        again[c] = extra > 0.0 and not _is_certain(score, demand.reach2[r] * (gap + extra), demand, c)
        if again[c]:
            hit |= lacking
    return results, again, hit


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _hand_over(kernel: KernelMatrix, dual: Expansion, i: int) -> int:
    """Bring β_i to zero and keep Σ β: each time to the row of the best change of the objective per unit handed over.

    Rows of the other side can always take it: handing them back to zero is enough. Returns the steps.
    """
    y, low, high, diagonal, beta, f = dual
    steps, row = 0, kernel_row(kernel, i)
    while beta[i] != 0.0:
        sign = 1.0 if beta[i] > 0 else -1.0
        best, part, gain = -1, 0.0, -np.inf
        for j in range(len(y)):
            room = high[j] - beta[j] if sign > 0 else beta[j] - low[j]
            if j != i and room > 0:
                size = min(room, abs(beta[i]))
                # Change of the objective per unit: first order y − f, second order half the size times |φ_i − φ_j|².
                own = sign * (y[j] - f[j]) - 0.5 * size * (diagonal[i] + diagonal[j] - 2 * row[j])
                if own > gain:
                    best, part, gain = j, size, own
        if best < 0:
            break
        beta[i] = 0.0 if part >= abs(beta[i]) else beta[i] - sign * part
        beta[best] += sign * part
        add_multiple(f, -sign * part, row)
        add_multiple(f, sign * part, kernel_row(kernel, best))
        steps += 1
    return steps


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _settle_without(kernel: KernelMatrix, dual: Expansion, c: int, demand: Demand) -> tuple[float, int, bool]:
    """Solve without the row of removal c, whose bounds are 0: (score, steps, whether the level was missed).

    It starts from the dual, which changes.
    """
    steps, short, score, free = 0, False, 0.0, demand.penalty == 0
    cap, r = dual.high - dual.low, demand.chosen[c]
    for level in demand.levels:
        more = settle(kernel, dual, Goal(free, level, demand.limit))[2]
        steps += more
        b = best_bias(dual.f, dual.y, cap) if free else 0.0
        score = dual.f[r] + b
        gap = max(primal_and_gap(dual, b)[1], 0.0)
        if _is_certain(score, demand.reach2[r] * gap, demand, c):
            break
        short = more >= demand.limit
        if short:
            break
    return score, steps, short


@numba.njit(cache=True, nogil=True, error_model="numpy")
def leave_out_by_matrix(kernel: KernelMatrix, dual: Expansion, demand: Demand) -> Retrained:
    """Leave out each of the chosen rows in turn; the levels are violations of the KKT conditions."""
    results, low, high = _empty(len(demand.chosen)), dual.low, dual.high
    own = Expansion(dual.y, low, high, dual.diagonal, dual.beta.copy(), dual.f.copy())
    for c in range(len(demand.chosen)):
        r = demand.chosen[c]
        own.beta[:], own.f[:] = dual.beta, dual.f
        handed = 0
        if demand.penalty == 0:
            # Steps of `settle` keep Σ β: it must be 0 when they begin.
            handed = _hand_over(kernel, own, r)
        else:
            add_multiple(own.f, -own.beta[r], kernel_row(kernel, r))
            own.beta[r] = 0.0
        kept_low, kept_high, low[r], high[r] = low[r], high[r], 0.0, 0.0
        results.scores[c], steps, results.short[c] = _settle_without(kernel, own, c, demand)
        low[r], high[r] = kept_low, kept_high
        results.steps[c] = handed + steps
        for a in range(len(low)):
            results.free[c] += low[a] < own.beta[a] < high[a] and a != r
    return results
