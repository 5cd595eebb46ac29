"""One linear SVM on sparse rows without each of some documents in turn, from the solution with all of them.

Problem: that of `svm_local` with C_i = 0 for one i, and f(x_i) = w·x_i + b of that solution.

Given  the rows of the working set in CSR form with compact terms, y, C, the optimum β with w and b; the rows outside
       with the same terms, their margins, lengths, y and C.
Return for each document left out: its score, sweeps, the free documents (0 < α < C), which documents outside
       have to enter the working set, and whether sweeps ended before the sign was certain.
Cost   some ten sweeps over the working set for each; the look at the documents outside costs the stored values of
       those near enough to be reached: |f'(x) − f(x)| <= |w' − w| |x| + |b' − b|.
Ties   as in `svm_local`.
Edge   an interval of optimal biases: its middle. A score that stays within the deviation of the smallest gap is taken
       as it is.

A free bias is made the best for w, with Σ β = 0, before the gap G is measured. Then |f(x) − f*(x)| <= √(reach2 · G),
with `reach2` as in `svm_leave_one_out_pivots` (2R² with a free bias; K(x, x) without one, a penalised one included),
which settles the sign where |f(x)| is more. What the documents outside lack of their margin belongs to G.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.svm_bias import best_bias, duality_gap
from rubricate.kernels.svm_local import _add, _dot, balance, scores, solve_rows

__all__ = ["leave_out_rows", "polish_rows"]

SEED = 7


@numba.njit(cache=True, nogil=True, error_model="numpy")
def polish_rows(
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
) -> tuple[float, float, int]:
    """Solve the rows from β, which with w changes in place: (b, primal, sweeps); a free b is the best for w."""
    b, _, primal, done = solve_rows(starts, terms, values, squares, y, cap, beta, w, b, penalty, tol, sweeps, SEED)
    if penalty == 0:
        balance(starts, terms, values, y, cap, beta, w)
        b = best_bias(scores(starts, terms, values, w, 0.0), y, cap)
    return b, primal, done


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _lacking(
    starts: np.ndarray,
    terms: np.ndarray,
    values: np.ndarray,
    lengths: np.ndarray,
    margins: np.ndarray,
    y: np.ndarray,
    cap: np.ndarray,
    change: np.ndarray,
    shift: float,
    lacking: np.ndarray,
) -> float:
    """Σ C (1 − y f')₊ of the rows outside when w changes by `change` and b by `shift`; `lacking` marks them."""
    norm, total = 0.0, 0.0
    for value in change:
        norm += value * value
    norm, lacking[:] = np.sqrt(norm), False
    for a in range(len(y)):
        if margins[a] - norm * lengths[a] - abs(shift) >= 1.0:
            continue
        lack = 1.0 - margins[a] - y[a] * (_dot(terms, values, change, starts[a], starts[a + 1]) + shift)
        if lack > 0.0 and cap[a] > 0.0:
            lacking[a] = True
            total += cap[a] * lack
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _certain(f: float, reach2: float, gap: float, accuracy: float) -> bool:
    """Whether a gap settles the sign of a score, and the score to `accuracy` (or that share of it)."""
    deviation2 = reach2 * gap
    return f * f > deviation2 and deviation2 <= (accuracy * max(abs(f), 1.0)) ** 2


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _without(
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
    primal: float,
    gaps: np.ndarray,
    sweeps: int,
    r: int,
    reach2: float,
    accuracy: float,
) -> tuple[float, float, float, int, bool]:
    """Solve without row r, whose C is 0 by now, from β, which with w changes: (b, score, gap, sweeps, gap missed)."""
    _add(terms, values, w, starts[r], starts[r + 1], -beta[r])
    beta[r], f, rest, done, short = 0.0, 0.0, np.inf, 0, False
    for gap in gaps:
        b, _, _, more = solve_rows(
            starts, terms, values, squares, y, cap, beta, w, b, penalty, gap / primal, sweeps, SEED
        )
        done += more
        if penalty == 0:
            balance(starts, terms, values, y, cap, beta, w)
            b = best_bias(scores(starts, terms, values, w, 0.0), y, cap)
        rest = duality_gap(scores(starts, terms, values, w, b), y, cap, beta, b, penalty)
        f = _dot(terms, values, w, starts[r], starts[r + 1]) + b
        if _certain(f, reach2, rest, accuracy):
            break
        short = more >= sweeps
        if short:
            break
    return b, f, rest, done, short


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _free(beta: np.ndarray, cap: np.ndarray) -> int:
    """How many rows have 0 < α < C."""
    found = 0
    for a in range(len(beta)):
        found += beta[a] != 0 and abs(beta[a]) < cap[a]
    return found


@numba.njit(cache=True, nogil=True, error_model="numpy")
def leave_out_rows(
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
    primal: float,
    gaps: np.ndarray,
    sweeps: int,
    chosen: np.ndarray,
    reach2: np.ndarray,
    accuracy: float,
    outer_starts: np.ndarray,
    outer_terms: np.ndarray,
    outer_values: np.ndarray,
    outer_lengths: np.ndarray,
    outer_margins: np.ndarray,
    outer_y: np.ndarray,
    outer_cap: np.ndarray,
    found: np.ndarray,
    done: np.ndarray,
    free: np.ndarray,
    again: np.ndarray,
    short: np.ndarray,
    hit: np.ndarray,
) -> None:
    """Leave out each of the `chosen` rows in turn, `reach2` being of each.

    `gaps` are absolute duality gaps, decreasing, tried until the sign is certain and the score is within `accuracy`;
    `short` marks those that did not reach one within `sweeps`. Filled: `found` (scores), `done` (sweeps), `free`,
    `again`, where rows outside (marked in `hit`) leave the sign or score open.
    """
    own, own_w, lacking = np.empty(len(y)), np.empty(len(w)), np.zeros(len(hit), np.bool_)
    for c in range(len(chosen)):
        r = chosen[c]
        own[:], own_w[:], kept, cap[r] = beta, w, cap[r], 0.0
        own_b, f, gap, done[c], short[c] = _without(
            starts, terms, values, squares, y, cap, own, own_w, b, penalty, primal, gaps, sweeps, r, reach2[c], accuracy
        )
        free[c], found[c], cap[r] = _free(own, cap), f, kept
        own_w -= w
        extra = _lacking(
            outer_starts, outer_terms, outer_values, outer_lengths, outer_margins, outer_y, outer_cap, own_w,
            own_b - b, lacking,
        )  # fmt: skip
        again[c] = extra > 0.0 and not _certain(f, reach2[c], gap + extra, accuracy)
        if again[c]:
            hit |= lacking
