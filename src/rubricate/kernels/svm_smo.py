"""One kernel SVM by sequential minimal optimisation, its kernel rows in a cache that categories share.

Problem: max over β of  Σ |β_i| − ½ Σ β_i β_j K(x_i, x_j),  low_i <= β_i <= high_i  (β_i = y_i α_i, so that the bounds
are 0 and C_i for y_i = 1, −C_i and 0 for y_i = −1), with a free bias also Σ β_i = 0.

Given  a `KernelMatrix` (documents, kernel, cache) and an `Expansion` (y, bounds, β, f = Kβ), which changes in place.
Return `solve_smo` stops by the relative duality gap: (bias, steps), the bias 0 where there is none. `settle` stops by
       the KKT conditions: (ends of the interval of optimal biases, steps).
Cost   a step costs 3 n, and n kernel values (stored values of X operations) when a row is not in the cache.
Ties   the first row.
Edge   K(x_i, x_i) = 0 or two equal rows: the step goes to a bound.

With a free bias the pair is chosen as in Fan, Chen and Lin (2005): i of the largest y − f that may grow, j of the
largest second-order gain. Without one, the row of the largest gain (y − f)² / K_ii, together with the support vector
that adds most to it where both stay inside their bounds. Deviations from LIBSVM: it stops by the relative duality gap,
rows never sleep, and rows of the kernel stay in the cache for the next category.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Rows

__all__ = [
    "Expansion", "Goal", "KernelCache", "KernelForm", "KernelMatrix", "add_multiple", "expand", "kernel_row",
    "primal_and_gap", "settle", "solve_smo",
]  # fmt: skip

TINY = 1e-12
"""Stands for the curvature of a direction without any."""
MEASURE = 16
"""Steps between two measurements of the gap, which cost about a step each."""
WORTH = 1.0001
"""A partner must add more than this share to the gain of a single row: else its kernel row is not worth computing."""


class KernelForm(NamedTuple):
    """Which kernel: `kind` 0 is x·z, 1 (γ x·z + coef0)^degree, 2 exp(−γ |x − z|²); `shift` is added to it.

    A penalised bias is a shift of 1.
    """

    kind: int
    gamma: float
    degree: float
    coef0: float
    shift: float


class KernelCache(NamedTuple):
    """Rows of the kernel matrix: `values` (slots × documents), the slot of each document, the document of each slot.

    −1 stands for none. `clock` says when each slot was used last, and in its last place the time.
    """

    values: np.ndarray
    slots: np.ndarray
    owners: np.ndarray
    clock: np.ndarray


class KernelMatrix(NamedTuple):
    """The kernel matrix of documents, row by row: |x|² of each, and room for one dense document (zeros)."""

    rows: Rows
    squares: np.ndarray
    form: KernelForm
    cache: KernelCache
    dense: np.ndarray


class Expansion(NamedTuple):
    """One SVM by its dual variables: y ±1, low <= β <= high, K(x, x), β, and f = Kβ."""

    y: np.ndarray
    low: np.ndarray
    high: np.ndarray
    diagonal: np.ndarray
    beta: np.ndarray
    f: np.ndarray


class Goal(NamedTuple):
    """Whether there is a free bias (then Σ β must be 0), the tolerance, and the steps after which to stop."""

    free: bool
    tol: float
    limit: int


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _kernel(form: KernelForm, product: float, lengths: float) -> float:
    """Return K(x, z) from x·z and |x|² + |z|²."""
    if form.kind == 1:
        return (form.gamma * product + form.coef0) ** form.degree + form.shift
    if form.kind == 2:
        return np.exp(-form.gamma * max(lengths - 2 * product, 0.0)) + form.shift
    return product + form.shift


@numba.njit(cache=True, nogil=True, error_model="numpy")
def kernel_row(kernel: KernelMatrix, i: int) -> np.ndarray:
    """Return row i of the kernel matrix; the slot used longest ago is given up for it where it has none."""
    values, slots, owners, clock = kernel.cache
    # Least recently used: two rows are in use at a time, and the cache holds two at least.
    clock[-1] += 1
    slot = slots[i]
    if slot < 0:
        slot = 0
        for k in range(len(owners)):
            slot = k if clock[k] < clock[slot] else slot
        if owners[slot] >= 0:
            slots[owners[slot]] = -1
        _compute_row(kernel, i, values[slot])
        slots[i], owners[slot] = slot, i
    clock[slot] = clock[-1]
    return values[slot]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _compute_row(kernel: KernelMatrix, i: int, row: np.ndarray) -> None:
    (starts, terms, values), squares, form, dense = kernel.rows, kernel.squares, kernel.form, kernel.dense
    # Row i is spread out once, so that each product is one pass over the other row without merging terms.
    for p in range(starts[i], starts[i + 1]):
        dense[terms[p]] = values[p]
    for r in range(len(squares)):
        product = 0.0
        for p in range(starts[r], starts[r + 1]):
            product += dense[terms[p]] * values[p]
        row[r] = _kernel(form, product, squares[i] + squares[r])
    for p in range(starts[i], starts[i + 1]):
        dense[terms[p]] = 0.0


@numba.njit(cache=True, nogil=True, error_model="numpy")
def expand(kernel: KernelMatrix, y: np.ndarray, cap: np.ndarray, beta: np.ndarray) -> Expansion:
    """Return the expansion of a start β, which it shares."""
    n = len(y)
    dual = Expansion(y, np.empty(n), np.empty(n), np.empty(n), beta, np.zeros(n))
    for i in range(n):
        square, dual.low[i], dual.high[i] = kernel.squares[i], min(y[i] * cap[i], 0.0), max(y[i] * cap[i], 0.0)
        dual.diagonal[i] = _kernel(kernel.form, square, square + square)
        if beta[i] != 0:
            add_multiple(dual.f, beta[i], kernel_row(kernel, i))
    return dual


@numba.njit(cache=True, nogil=True, error_model="numpy")
def add_multiple(f: np.ndarray, step: float, row: np.ndarray) -> None:
    """Add step · row to f."""
    for i in range(len(f)):
        f[i] += step * row[i]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def primal_and_gap(dual: Expansion, bias: float) -> tuple[float, float]:
    """Return (primal, primal − dual) at this bias; Σ β = 0 if it is not 0."""
    y, low, high, beta, f = dual.y, dual.low, dual.high, dual.beta, dual.f
    gap, primal = 0.0, 0.0
    for i in range(len(y)):
        # high − low is C, one of them being 0. P − D = Σ C ξ + ½ β f − (|β| − ½ β f).
        hinge = (high[i] - low[i]) * max(0.0, 1 - y[i] * (f[i] + bias))
        gap += hinge - abs(beta[i]) + beta[i] * f[i]
        primal += hinge + 0.5 * beta[i] * f[i]
    return primal, gap


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _ends(dual: Expansion) -> tuple[int, float, float]:
    """Return the row of the largest y − f that may grow, that value, and the least y − f of a row that may shrink.

    At the optimum the first value is at most the second, and every bias between them is optimal.
    """
    y, low, high, beta, f = dual.y, dual.low, dual.high, dual.beta, dual.f
    best, up, down = -1, -np.inf, np.inf
    for i in range(len(y)):
        rest = y[i] - f[i]
        if beta[i] < high[i] and rest > up:
            best, up = i, rest
        if beta[i] > low[i] and rest < down:
            down = rest
    return best, up, down


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _opposite(dual: Expansion, row: np.ndarray, i: int) -> int:
    """Return the row that may shrink of the largest gain, (difference)² / curvature, for a free bias; −1 if none."""
    y, low, diagonal, beta, f = dual.y, dual.low, dual.diagonal, dual.beta, dual.f
    best, gain, up = -1, 0.0, y[i] - f[i]
    for j in range(len(y)):
        difference = up - (y[j] - f[j])
        if beta[j] > low[j] and difference > 0:
            own = difference * difference / max(diagonal[i] + diagonal[j] - 2 * row[j], TINY)
            if own > gain:
                best, gain = j, own
    return best


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _exchange(kernel: KernelMatrix, dual: Expansion, i: int) -> bool:
    """Move β_i up and its best opposite down by the same, at most to the nearer bound; False if there is none."""
    low, high, diagonal, beta = dual.low, dual.high, dual.diagonal, dual.beta
    row = kernel_row(kernel, i)
    j = _opposite(dual, row, i)
    if j < 0:
        return False
    other = kernel_row(kernel, j)
    rest = dual.y[i] - dual.f[i] - (dual.y[j] - dual.f[j])
    # K_ii + K_jj − 2 K_ij = |φ_i − φ_j|², the curvature along β_i + t, β_j − t; Σ β stays.
    step = rest / max(diagonal[i] + diagonal[j] - 2 * row[j], TINY)
    room_i, room_j = high[i] - beta[i], beta[j] - low[j]
    if step < min(room_i, room_j):
        beta[i] += step
        beta[j] -= step
    else:
        # Exactly onto the bound: whether 0 < α < C is asked of β later.
        step = min(room_i, room_j)
        beta[i] = high[i] if room_i <= room_j else beta[i] + step
        beta[j] = low[j] if room_j <= room_i else beta[j] - step
    add_multiple(dual.f, step, row)
    add_multiple(dual.f, -step, other)
    return True


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _single(dual: Expansion) -> int:
    """Return the row of the largest gain of its own, (y − f)² / K_ii, without a free bias; −1 if none."""
    y, low, high, diagonal, beta, f = dual
    best, gain = -1, 0.0
    for i in range(len(y)):
        rest = y[i] - f[i]
        # Only rows that violate their condition: those at a bound must not be pushed against it.
        if (rest > 0 and beta[i] < high[i]) or (rest < 0 and beta[i] > low[i]):
            own = rest * rest / max(diagonal[i], TINY)
            if own > gain:
                best, gain = i, own
    return best


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _partner(dual: Expansion, row: np.ndarray, i: int) -> int:
    """Return the row with β ≠ 0 of the largest gain when moved together with i; −1 if none adds to that of i alone."""
    y, diagonal, beta, f = dual.y, dual.diagonal, dual.beta, dual.f
    best, rest = -1, y[i] - f[i]
    gain = WORTH * rest * rest / max(diagonal[i], TINY)
    for j in range(len(y)):
        if beta[j] != 0 and j != i:
            other, volume = y[j] - f[j], diagonal[i] * diagonal[j] - row[j] * row[j]
            if volume > TINY * diagonal[i] * diagonal[j]:
                # g' K⁻¹ g of the two rows, K their 2 × 2 kernel matrix.
                own = (rest * rest * diagonal[j] - 2 * rest * other * row[j] + other * other * diagonal[i]) / volume
                if own > gain:
                    best, gain = j, own
    return best


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _advance(kernel: KernelMatrix, dual: Expansion, i: int) -> None:
    """Move i and its partner to their common optimum where both stay inside their bounds, else i alone."""
    y, low, high, diagonal, beta, f = dual
    row = kernel_row(kernel, i)
    j = _partner(dual, row, i)
    if j >= 0:
        other = kernel_row(kernel, j)
        volume, rest_i, rest_j = diagonal[i] * diagonal[j] - row[j] * row[j], y[i] - f[i], y[j] - f[j]
        # Cramer: the 2 × 2 system K step = y − f.
        step_i = (rest_i * diagonal[j] - rest_j * row[j]) / volume
        step_j = (rest_j * diagonal[i] - rest_i * row[j]) / volume
        if low[i] <= beta[i] + step_i <= high[i] and low[j] <= beta[j] + step_j <= high[j]:
            beta[i] += step_i
            beta[j] += step_j
            add_multiple(f, step_i, row)
            add_multiple(f, step_j, other)
            return
    new = min(max(beta[i] + (y[i] - f[i]) / max(diagonal[i], TINY), low[i]), high[i])
    add_multiple(f, new - beta[i], row)
    beta[i] = new


@numba.njit(cache=True, nogil=True, error_model="numpy")
def solve_smo(kernel: KernelMatrix, dual: Expansion, goal: Goal) -> tuple[float, int]:
    """Solve one category to a relative duality gap of `tol` or for `limit` steps: (bias, steps)."""
    steps, bias, up, down = 0, 0.0, 0.0, 0.0
    while steps < goal.limit:
        if goal.free:
            i, up, down = _ends(dual)
            bias = 0.5 * (up + down)
        else:
            i = _single(dual)
        # The middle of the interval is the best guess of the bias before the ends meet.
        if steps % MEASURE == 0:
            primal, gap = primal_and_gap(dual, bias)
            if gap <= goal.tol * primal:
                break
        if i < 0 or (goal.free and up <= down):
            break
        steps += 1
        if not goal.free:
            _advance(kernel, dual, i)
        elif not _exchange(kernel, dual, i):
            break
    return bias, steps


@numba.njit(cache=True, nogil=True, error_model="numpy")
def settle(kernel: KernelMatrix, dual: Expansion, goal: Goal) -> tuple[float, float, int]:
    """Step until no KKT condition is off by more than `tol`: (ends of the interval of optimal biases, steps).

    Without a free bias the interval is [0, 0].
    """
    steps = 0
    while True:
        if goal.free:
            i, up, down = _ends(dual)
            if up - down <= goal.tol or steps >= goal.limit:
                # Where the ends have not met, both are the middle.
                return min(up, 0.5 * (up + down)), max(down, 0.5 * (up + down)), steps
            if not _exchange(kernel, dual, i):
                return up, up, steps
        else:
            i = _single(dual)
            if i < 0 or abs(dual.y[i] - dual.f[i]) <= goal.tol or steps >= goal.limit:
                return 0.0, 0.0, steps
            _advance(kernel, dual, i)
        steps += 1
