"""Passes over all documents for a block of up to sixteen linear SVMs at once: a first guess, and the exact check.

Problem, for each category c with y_i = ±1 (bit c of `labels`), C_i = weight_i · cost of that sign, λ >= 0 or ∞:

    min over w, b:  P = ½ w·w + ½ λ b² + Σ C_i ξ_i,    ξ_i = max(0, 1 − y_i (w·x_i + b))
    max over β:     D = Σ |β_i| − ½ |Σ β_i x_i|² − (Σ β_i)² / 2λ,    0 <= y_i β_i <= C_i     (β_i = y_i α_i)

λ = 0 (free bias) asks for Σ β_i = 0, λ = ∞ (no bias) for b = 0.

Given  documents in CSR form (`starts`, `terms` uint32, `values`), `labels` uint16, and room: W terms × 16 (zeros),
       β documents × 16, `near` uint16. Only arrays of floats differ: float32 in `guess`, float64 in `check`.
Return in `near`, a bit for every lane in which the document has β ≠ 0 or lies within `BAND` of the margin or inside.
Cost   one pass is stored values × one or two vector operations for sixteen categories (see `svm_lanes`).
Edge   a row of zeros has score b; its `inverse` must be finite. Lanes without a category cost nothing when their
       costs are 0.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.svm_lanes import LANES, lanes_add, lanes_dot, lanes_near, lanes_step

__all__ = ["check", "guess"]

BAND = 1e-3
"""How far beyond the margin a document still counts as near."""
SMALLEST = 1e-5
"""Steps up to this are left out of the guess."""
RESIST = 0.3
"""The share of free documents by which a change of the bias is damped."""
FURTHEST = 0.1
"""The longest step of the bias after a sweep."""


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _move_bias(
    state: np.ndarray, beta: np.ndarray, labels: np.ndarray, weights: np.ndarray, lane: int, penalty: float
) -> None:
    """Towards b = Σβ / λ by a damped Newton step, in one lane."""
    total, free = 0.0, 0
    for i in range(len(beta)):
        value = beta[i, lane]
        if value != 0:
            total += value
            free += abs(value) < weights[i] * state[3 + ((labels[i] >> lane) & 1), lane]
    step = (total - penalty * state[1, lane]) / (penalty + RESIST * max(free, 5))
    state[1, lane] += min(max(step, -FURTHEST), FURTHEST)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def guess(
    starts: np.ndarray,
    terms: np.ndarray,
    values: np.ndarray,
    inverse: np.ndarray,
    weights: np.ndarray,
    labels: np.ndarray,
    W: np.ndarray,
    beta: np.ndarray,
    near: np.ndarray,
    state: np.ndarray,
    penalty: float,
    sweeps: int,
    delay: int,
) -> None:
    """A first guess from β = 0 by dual coordinate descent in all lanes, in float32; β and the bias change in place.

    `inverse` is 1 / |x_i|², the vectors being scaled to a mean square length of 1; the rows of `state` (5 × 16) are
    scratch, bias, scratch, costs of negatives and of positives. The bias starts to move after `delay` sweeps.
    """
    limit, smallest = np.float32(1 + BAND), np.float32(SMALLEST)
    for sweep in range(sweeps):
        for i in range(len(labels)):
            lanes_dot(terms, values, W, starts[i], starts[i + 1], state[0])
            moved = lanes_step(state, beta[i], np.int64(labels[i]), weights[i], inverse[i], smallest)
            near[i] = lanes_near(beta[i], state[0], limit)
            if moved:
                lanes_add(terms, values, W, starts[i], starts[i + 1], state[2])
        if sweep >= delay and penalty < np.inf:
            for lane in range(LANES):
                _move_bias(state, beta, labels, weights, lane, penalty)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def check(
    starts: np.ndarray,
    terms: np.ndarray,
    values: np.ndarray,
    weights: np.ndarray,
    labels: np.ndarray,
    W: np.ndarray,
    beta: np.ndarray,
    margin: np.ndarray,
    near: np.ndarray,
    costs: np.ndarray,
    bias: np.ndarray,
    norms: np.ndarray,
    losses: np.ndarray,
) -> None:
    """From β and the bias, exactly: W, its squared norms, the margins y f, and the losses Σ C ξ of every lane.

    On entry `near` is not zero for every document with some β ≠ 0; `norms` and `losses` are zeros.
    """
    for i in range(len(labels)):
        if near[i]:
            lanes_add(terms, values, W, starts[i], starts[i + 1], beta[i])
    for t in range(len(W)):
        for c in range(LANES):
            norms[c] += W[t, c] * W[t, c]
    for i in range(len(labels)):
        lanes_dot(terms, values, W, starts[i], starts[i + 1], margin[i])
        for c in range(LANES):
            positive = (labels[i] >> c) & 1
            margin[i, c] = (2 * positive - 1) * (margin[i, c] + bias[c])
            losses[c] += weights[i] * costs[positive, c] * max(0.0, 1 - margin[i, c])
        near[i] = lanes_near(beta[i], margin[i], 1 + BAND)
