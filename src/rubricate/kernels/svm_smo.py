"""One kernel SVM by sequential minimal optimisation, its kernel rows in a cache that categories share.

Problem: max over β of  Σ |β_i| − ½ Σ β_i β_j K(x_i, x_j),  low_i <= β_i <= high_i  (β_i = y_i α_i, so that the bounds
are 0 and C_i for y_i = 1, −C_i and 0 for y_i = −1), with a free bias also Σ β_i = 0.

Given  documents in CSR form, their squares |x_i|², the kernel (`kind` 0 linear x·z, 1 polynomial (γ x·z + c)^degree,
       2 RBF exp(−γ |x − z|²)), a constant `shift` added to it (a penalised bias is K + 1), y, C, and a cache.
Return β (in place) and Σ_j β_j K_ij for all i, the bias (0 where there is none), the steps.
Cost   a step costs 3 n, and n kernel values (stored values of X operations) when a row is not in the cache.
Ties   the first row.
Edge   K(x_i, x_i) = 0 or two equal rows: the step goes to a bound.

With a free bias the pair is chosen as in Fan, Chen and Lin (2005): i of the largest y − f that may grow, j of the
largest second-order gain. Without one, the row of the largest gain (y − f)² / K_ii, together with the support vector
that adds most to it where both stay inside their bounds. Deviations from LIBSVM: it stops by the relative duality gap,
rows never sleep, and rows of the kernel stay in the cache for the next category.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["solve_smo"]

TINY = 1e-12
"""Stands for the curvature of a direction without any."""
MEASURE = 16
"""Steps between two measurements of the gap."""


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _kernel(
    kind: int, product: float, a: float, b: float, gamma: float, degree: float, coef0: float, shift: float
) -> float:
    if kind == 1:
        return (gamma * product + coef0) ** degree + shift
    if kind == 2:
        return np.exp(-gamma * max(a + b - 2 * product, 0.0)) + shift
    return product + shift


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _row(
    starts: np.ndarray,
    terms: np.ndarray,
    values: np.ndarray,
    squares: np.ndarray,
    spec: tuple[int, float, float, float, float],
    i: int,
    dense: np.ndarray,
    cache: np.ndarray,
    slots: np.ndarray,
    owners: np.ndarray,
    clock: np.ndarray,
) -> int:
    """The slot of row i of the kernel matrix; the slot used longest ago is given up for it.

    `slots` holds the slot of each document or −1, `owners` the document of each slot or −1, `clock` when each slot was
    used last, and in its last place the time.
    """
    clock[-1] += 1
    slot = slots[i]
    if slot >= 0:
        clock[slot] = clock[-1]
        return slot
    slot = 0
    for k in range(len(owners)):
        slot = k if clock[k] < clock[slot] else slot
    if owners[slot] >= 0:
        slots[owners[slot]] = -1
    for p in range(starts[i], starts[i + 1]):
        dense[terms[p]] = values[p]
    for r in range(len(squares)):
        product = 0.0
        for p in range(starts[r], starts[r + 1]):
            product += dense[terms[p]] * values[p]
        cache[slot, r] = _kernel(spec[0], product, squares[i], squares[r], spec[1], spec[2], spec[3], spec[4])
    for p in range(starts[i], starts[i + 1]):
        dense[terms[p]] = 0.0
    slots[i], clock[slot], owners[slot] = slot, clock[-1], i
    return slot


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _move(f: np.ndarray, step: float, row: np.ndarray) -> None:
    for i in range(len(f)):
        f[i] += step * row[i]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _gap(y: np.ndarray, cap: np.ndarray, beta: np.ndarray, f: np.ndarray, bias: float) -> tuple[float, float]:
    """(primal − dual, primal) at this bias."""
    gap, primal = 0.0, 0.0
    for i in range(len(y)):
        hinge = cap[i] * max(0.0, 1 - y[i] * (f[i] + bias))
        gap += hinge - abs(beta[i]) + beta[i] * f[i]
        primal += hinge + 0.5 * beta[i] * f[i]
    return gap, primal


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _ends(
    y: np.ndarray, low: np.ndarray, high: np.ndarray, beta: np.ndarray, f: np.ndarray
) -> tuple[int, float, float]:
    """The row of the largest y − f that may grow, that value, and the least y − f of a row that may shrink."""
    best, up, down = -1, -np.inf, np.inf
    for i in range(len(y)):
        rest = y[i] - f[i]
        if beta[i] < high[i] and rest > up:
            best, up = i, rest
        if beta[i] > low[i] and rest < down:
            down = rest
    return best, up, down


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _opposite(
    y: np.ndarray, low: np.ndarray, beta: np.ndarray, f: np.ndarray, row: np.ndarray, diagonal: np.ndarray, i: int
) -> int:
    """With a free bias: the row that may shrink of the largest gain, (difference)² / curvature."""
    best, gain, up = -1, 0.0, y[i] - f[i]
    for j in range(len(y)):
        difference = up - (y[j] - f[j])
        if beta[j] > low[j] and difference > 0:
            found = difference * difference / max(diagonal[i] + diagonal[j] - 2 * row[j], TINY)
            if found > gain:
                best, gain = j, found
    return best


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _exchange(low: np.ndarray, high: np.ndarray, beta: np.ndarray, rest: float, curve: float, i: int, j: int) -> float:
    """Move β_i up and β_j down by rest / curve, at most to the nearer bound, exactly onto it; the step."""
    step = rest / max(curve, TINY)
    room_i, room_j = high[i] - beta[i], beta[j] - low[j]
    if step < min(room_i, room_j):
        beta[i] += step
        beta[j] -= step
        return step
    step = min(room_i, room_j)
    beta[i] = high[i] if room_i <= room_j else beta[i] + step
    beta[j] = low[j] if room_j <= room_i else beta[j] - step
    return step


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _single(
    y: np.ndarray, low: np.ndarray, high: np.ndarray, beta: np.ndarray, f: np.ndarray, diagonal: np.ndarray
) -> int:
    """Without a free bias: the row of the largest gain of its own, (y − f)² / K_ii."""
    best, gain = -1, 0.0
    for i in range(len(y)):
        rest = y[i] - f[i]
        if (rest > 0 and beta[i] < high[i]) or (rest < 0 and beta[i] > low[i]):
            found = rest * rest / max(diagonal[i], TINY)
            if found > gain:
                best, gain = i, found
    return best


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _partner(y: np.ndarray, f: np.ndarray, row: np.ndarray, diagonal: np.ndarray, beta: np.ndarray, i: int) -> int:
    """The row with β ≠ 0 of the largest gain when moved together with i, or −1 if none adds to the gain of i alone."""
    best, rest = -1, y[i] - f[i]
    gain = 1.0001 * rest * rest / max(diagonal[i], TINY)
    for j in range(len(y)):
        if beta[j] != 0 and j != i:
            other, volume = y[j] - f[j], diagonal[i] * diagonal[j] - row[j] * row[j]
            if volume > TINY * diagonal[i] * diagonal[j]:
                found = (rest * rest * diagonal[j] - 2 * rest * other * row[j] + other * other * diagonal[i]) / volume
                if found > gain:
                    best, gain = j, found
    return best


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _together(
    y: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    beta: np.ndarray,
    f: np.ndarray,
    row: np.ndarray,
    other: np.ndarray,
    diagonal: np.ndarray,
    i: int,
    j: int,
) -> bool:
    """Move i and j to their common minimum if both stay inside their bounds; whether they moved."""
    volume, rest_i, rest_j = diagonal[i] * diagonal[j] - row[j] * row[j], y[i] - f[i], y[j] - f[j]
    step_i = (rest_i * diagonal[j] - rest_j * row[j]) / volume
    step_j = (rest_j * diagonal[i] - rest_i * row[j]) / volume
    if not (low[i] <= beta[i] + step_i <= high[i] and low[j] <= beta[j] + step_j <= high[j]):
        return False
    beta[i] += step_i
    beta[j] += step_j
    _move(f, step_i, row)
    _move(f, step_j, other)
    return True


@numba.njit(cache=True, nogil=True, error_model="numpy")
def solve_smo(
    starts: np.ndarray,
    terms: np.ndarray,
    values: np.ndarray,
    squares: np.ndarray,
    spec: tuple[int, float, float, float, float],
    y: np.ndarray,
    cap: np.ndarray,
    beta: np.ndarray,
    free: bool,
    tol: float,
    limit: int,
    cache: np.ndarray,
    slots: np.ndarray,
    owners: np.ndarray,
    clock: np.ndarray,
    features: int,
) -> tuple[np.ndarray, float, int]:
    """Solve one category from `beta`, changed in place, to a relative duality gap of `tol` or for `limit` steps.

    Returns (Σ_j β_j K_ij, bias, steps). `spec` is (kind, γ, degree, c, shift); `free` says whether there is a free
    bias, and then Σ β must be 0; `cache` is slots × documents.
    """
    dense, f, diagonal = np.zeros(features), np.zeros(len(y)), np.empty(len(y))
    low, high = np.empty(len(y)), np.empty(len(y))
    for i in range(len(y)):
        square, low[i], high[i] = squares[i], min(y[i] * cap[i], 0.0), max(y[i] * cap[i], 0.0)
        diagonal[i] = _kernel(spec[0], square, square, square, spec[1], spec[2], spec[3], spec[4])
        if beta[i] != 0:
            slot = _row(starts, terms, values, squares, spec, i, dense, cache, slots, owners, clock)
            _move(f, beta[i], cache[slot])
    steps, bias = 0, 0.0
    while steps < limit:
        if free:
            i, up, down = _ends(y, low, high, beta, f)
            bias = 0.5 * (up + down)
        else:
            i = _single(y, low, high, beta, f, diagonal)
        if steps % MEASURE == 0:
            gap, primal = _gap(y, cap, beta, f, bias)
            if gap <= tol * primal:
                break
        if i < 0 or (free and up <= down):
            break
        steps += 1
        row = cache[_row(starts, terms, values, squares, spec, i, dense, cache, slots, owners, clock)]
        j = _opposite(y, low, beta, f, row, diagonal, i) if free else _partner(y, f, row, diagonal, beta, i)
        if free and j < 0:
            break
        if j >= 0:
            other = cache[_row(starts, terms, values, squares, spec, j, dense, cache, slots, owners, clock)]
        if free:
            rest = up - (y[j] - f[j])
            step = _exchange(low, high, beta, rest, diagonal[i] + diagonal[j] - 2 * row[j], i, j)
            _move(f, step, row)
            _move(f, -step, other)
            continue
        if j >= 0 and _together(y, low, high, beta, f, row, other, diagonal, i, j):
            continue
        step = min(max(beta[i] + (y[i] - f[i]) / max(diagonal[i], TINY), low[i]), high[i]) - beta[i]
        beta[i] += step
        _move(f, step, row)
    return f, bias, steps
