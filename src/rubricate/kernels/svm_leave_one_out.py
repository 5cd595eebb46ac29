"""One SVM without each of some documents in turn, from the solution with all of them, by its kernel matrix.

Problem (see `svm_smo`): max over low_i <= β_i <= high_i of  Σ y_i β_i − ½ Σ β_i β_j K_ij, with a free bias also
Σ β_i = 0; then the same with β_i = 0 for one i, and f(x_i) of that solution.

Given  the kernel matrix K (a penalised bias is K + 1), y, bounds, the optimum β with f = Kβ.
Return for each document left out: its score, steps, and how many documents then have 0 < α < C.
Cost   a step costs 4 n; β_i is handed over in a few steps, then some ten to some hundred steps follow.
Ties   the first row.
Edge   an interval of optimal biases: the score is with its middle, as in `svm_bias.best_bias`.

Steps end when the KKT conditions hold to the first of the `levels`; where the duality gap G then leaves the sign open,
|f| <= √(reach2 · G) (see `svm_leave_one_out_rows`, which does the same for sparse rows and a linear kernel), or the
score may be off by more than `accuracy`, to the next one, and so on.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.svm_bias import best_bias, duality_gap
from rubricate.kernels.svm_smo import _ends, _exchange, _move, _opposite, _partner, _single

__all__ = ["leave_out", "settle"]

FLAT = 1e-12


@numba.njit(cache=True, nogil=True, error_model="numpy")
def settle(
    K: np.ndarray,
    diagonal: np.ndarray,
    y: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    beta: np.ndarray,
    f: np.ndarray,
    free: bool,
    level: float,
    limit: int,
) -> tuple[float, float, int]:
    """Steps until no KKT condition is off by more than `level`: (ends of the interval of optimal biases, steps).

    `beta` and `f` change in place. Without a free bias the interval is [0, 0].
    """
    steps = 0
    while True:
        if free:
            i, up, down = _ends(y, low, high, beta, f)
            if up - down <= level or steps >= limit:
                return min(up, 0.5 * (up + down)), max(down, 0.5 * (up + down)), steps
            j = _opposite(y, low, beta, f, K[i], diagonal, i)
            if j < 0:
                return up, up, steps
            step = _exchange(low, high, beta, up - (y[j] - f[j]), diagonal[i] + diagonal[j] - 2 * K[i, j], i, j)
            _move(f, step, K[i])
            _move(f, -step, K[j])
        else:
            i = _single(y, low, high, beta, f, diagonal)
            if i < 0 or abs(y[i] - f[i]) <= level or steps >= limit:
                return 0.0, 0.0, steps
            _alone(K, diagonal, y, low, high, beta, f, i)
        steps += 1


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _alone(
    K: np.ndarray,
    diagonal: np.ndarray,
    y: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    beta: np.ndarray,
    f: np.ndarray,
    i: int,
) -> None:
    """A step without a free bias: of i and the partner that adds most where both stay inside, else of i alone."""
    j = _partner(y, f, K[i], diagonal, beta, i)
    if j >= 0:
        volume, rest_i, rest_j = diagonal[i] * diagonal[j] - K[i, j] * K[i, j], y[i] - f[i], y[j] - f[j]
        step_i = (rest_i * diagonal[j] - rest_j * K[i, j]) / volume
        step_j = (rest_j * diagonal[i] - rest_i * K[i, j]) / volume
        if low[i] <= beta[i] + step_i <= high[i] and low[j] <= beta[j] + step_j <= high[j]:
            beta[i] += step_i
            beta[j] += step_j
            _move(f, step_i, K[i])
            _move(f, step_j, K[j])
            return
    new = min(max(beta[i] + (y[i] - f[i]) / max(diagonal[i], FLAT), low[i]), high[i])
    _move(f, new - beta[i], K[i])
    beta[i] = new


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _hand_over(
    K: np.ndarray,
    diagonal: np.ndarray,
    y: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    beta: np.ndarray,
    f: np.ndarray,
    i: int,
) -> int:
    """Bring β_i to zero and keep Σ β: each time to the row of the best change of the objective a unit handed over.

    Rows of the other side can always take it: handing them back to zero is enough. Returns the steps.
    """
    steps = 0
    while beta[i] != 0.0:
        sign = 1.0 if beta[i] > 0 else -1.0
        best, part, gain = -1, 0.0, -np.inf
        for j in range(len(y)):
            room = high[j] - beta[j] if sign > 0 else beta[j] - low[j]
            if j != i and room > 0:
                size = min(room, abs(beta[i]))
                found = sign * (y[j] - f[j]) - 0.5 * size * (diagonal[i] + diagonal[j] - 2 * K[i, j])
                if found > gain:
                    best, part, gain = j, size, found
        if best < 0:
            break
        beta[i] = 0.0 if part >= abs(beta[i]) else beta[i] - sign * part
        beta[best] += sign * part
        _move(f, -sign * part, K[i])
        _move(f, sign * part, K[best])
        steps += 1
    return steps


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _retrain(
    K: np.ndarray,
    diagonal: np.ndarray,
    y: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    beta: np.ndarray,
    f: np.ndarray,
    free: bool,
    levels: np.ndarray,
    limit: int,
    r: int,
    reach2: float,
    accuracy: float,
) -> tuple[float, int, bool]:
    """The solution without row r: (its score, steps, whether they ended before the sign was certain)."""
    steps, short, score = 0, False, 0.0
    if free:
        steps += _hand_over(K, diagonal, y, low, high, beta, f, r)
    else:
        _move(f, -beta[r], K[r])
        beta[r] = 0.0
    kept_low, kept_high = low[r], high[r]
    low[r], high[r] = 0.0, 0.0
    cap = high - low
    for level in levels:
        _, _, more = settle(K, diagonal, y, low, high, beta, f, free, level, limit)
        steps += more
        b = best_bias(f, y, cap) if free else 0.0
        score = f[r] + b
        deviation2 = reach2 * duality_gap(f + b, y, cap, beta, b, np.inf)
        if score * score > deviation2 and deviation2 <= (accuracy * max(abs(score), 1.0)) ** 2:
            break
        short = more >= limit
        if short:
            break
    low[r], high[r] = kept_low, kept_high
    return score, steps, short


@numba.njit(cache=True, nogil=True, error_model="numpy")
def leave_out(
    K: np.ndarray,
    y: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    beta: np.ndarray,
    f: np.ndarray,
    free: bool,
    chosen: np.ndarray,
    levels: np.ndarray,
    limit: int,
    reach2: np.ndarray,
    accuracy: float,
    found: np.ndarray,
    steps: np.ndarray,
    free_rows: np.ndarray,
    short: np.ndarray,
) -> None:
    """Leave out each of the `chosen` rows in turn, `reach2` being of each.

    Filled: `found` (scores), `steps`, `free_rows` (0 < α < C), `short` (`limit` steps did not settle the sign).
    """
    diagonal, mine, mine_f = np.empty(len(y)), np.empty(len(y)), np.empty(len(y))
    for r in range(len(y)):
        diagonal[r] = K[r, r]
    for c in range(len(chosen)):
        r = chosen[c]
        mine[:], mine_f[:] = beta, f
        found[c], steps[c], short[c] = _retrain(
            K, diagonal, y, low, high, mine, mine_f, free, levels, limit, r, reach2[c], accuracy
        )
        for a in range(len(y)):
            free_rows[c] += low[a] < mine[a] < high[a] and a != r
