"""Passes over all documents for a block of up to sixteen linear SVMs at once: a first guess, and the exact check.

Problem, for each category c with y_i = ±1 (bit c of `labels`), C_i = weight_i · cost of that sign, λ >= 0 or ∞:

    min over w, b:  P = ½ w·w + ½ λ b² + Σ C_i ξ_i,    ξ_i = max(0, 1 − y_i (w·x_i + b))
    max over β:     D = Σ |β_i| − ½ |Σ β_i x_i|² − (Σ β_i)² / 2λ,    0 <= y_i β_i <= C_i     (β_i = y_i α_i)

λ = 0 (free bias) asks for Σ β_i = 0, λ = ∞ (no bias) for b = 0.

Given  documents in CSR form (`starts`, `terms` uint32, `values`), `labels` uint16 (bit c: document is in category c).
Return the documents near the margin of each category (lists of rows, category after category) with their β.
Cost   one pass is stored values × one or two vector operations for sixteen categories (see `svm_lanes`).
Edge   a row of zeros has score b; `inverse` must be finite for it. Lanes at or beyond `count` are ignored.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.svm_lanes import LANES, lanes_add, lanes_dot, lanes_near, lanes_step

__all__ = ["check_block", "guess_block"]

BAND = 1e-3
"""How far beyond the margin a document still counts as near."""
SMALLEST = 1e-5
"""Steps up to this are left out of the guess."""


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _collect(near: np.ndarray, beta: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows whose bit in `near` is set, lane after lane: offsets of the lanes, rows, their β."""
    offsets = np.zeros(LANES + 1, np.int64)
    for i in range(len(near)):
        if near[i]:
            for c in range(count):
                offsets[c + 1] += (near[i] >> c) & 1
    for c in range(LANES):
        offsets[c + 1] += offsets[c]
    rows, values, fill = np.empty(offsets[-1], np.int32), np.empty(offsets[-1]), offsets.copy()
    for i in range(len(near)):
        if near[i]:
            for c in range(count):
                if (near[i] >> c) & 1:
                    rows[fill[c]] = i
                    values[fill[c]] = beta[i, c]
                    fill[c] += 1
    return offsets, rows, values


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _move_bias(
    bias: np.ndarray, beta: np.ndarray, labels: np.ndarray, weights: np.ndarray, costs: np.ndarray, penalty: float
) -> None:
    """Towards b = Σβ / λ by a damped Newton step: about .3 of the free documents resist a change of the bias."""
    total, free, rest = np.zeros(LANES, np.float32), np.zeros(LANES, np.float32), np.float32(penalty)
    for i in range(len(beta)):
        for c in range(LANES):
            value = abs(beta[i, c])
            total[c] += beta[i, c]
            free[c] += np.float32((value > 0) & (value < weights[i] * costs[(labels[i] >> c) & 1, c]))
    for c in range(LANES):
        step = (total[c] - rest * bias[c]) / (rest + np.float32(0.3) * max(free[c], np.float32(5)))
        bias[c] += min(max(step, np.float32(-0.1)), np.float32(0.1))


@numba.njit(cache=True, nogil=True, error_model="numpy")
def guess_block(
    starts: np.ndarray,
    terms: np.ndarray,
    values: np.ndarray,
    inverse: np.ndarray,
    weights: np.ndarray,
    labels: np.ndarray,
    features: int,
    count: int,
    costs: np.ndarray,
    bias: np.ndarray,
    penalty: float,
    sweeps: int,
    delay: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A first guess by dual coordinate descent in all lanes: (offsets, rows, beta, bias).

    `values`, `inverse` (1 / |x_i|²), `weights`, `costs` (2 × 16: of negatives, of positives) and `bias` are float32,
    the vectors scaled to a mean square length of 1. The bias starts to move after `delay` sweeps.
    """
    W, beta = np.zeros((features, LANES), np.float32), np.zeros((len(labels), LANES), np.float32)
    state, near = np.zeros((5, LANES), np.float32), np.zeros(len(labels), np.uint16)
    state[1], state[3:] = bias, costs
    limit = np.float32(1 + BAND)
    smallest = np.float32(SMALLEST)
    for sweep in range(sweeps):
        for i in range(len(labels)):
            lanes_dot(terms, values, W, starts[i], starts[i + 1], state[0])
            moved = lanes_step(state, beta[i], np.int64(labels[i]), weights[i], inverse[i], smallest)
            near[i] = lanes_near(beta[i], state[0], limit)
            if moved:
                lanes_add(terms, values, W, starts[i], starts[i + 1], state[2])
        if sweep >= delay and penalty < np.inf:
            _move_bias(state[1], beta, labels, weights, costs, penalty)
    offsets, rows, values = _collect(near, beta, count)
    return offsets, rows, values, state[1].astype(np.float64)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _squared_norms(W: np.ndarray) -> np.ndarray:
    norms = np.zeros(LANES)
    for t in range(len(W)):
        for c in range(LANES):
            norms[c] += W[t, c] * W[t, c]
    return norms


@numba.njit(cache=True, nogil=True, error_model="numpy")
def check_block(
    starts: np.ndarray,
    terms: np.ndarray,
    values: np.ndarray,
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
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The exact objectives of the lanes and the documents now near their margins, in float64.

    Returns (primal, dual, offsets, rows, beta, slack); `slack` holds 1 − y f of the rows, negative beyond the margin.
    """
    W = np.zeros((features, LANES))
    beta, score = np.zeros((len(labels), LANES)), np.zeros((len(labels), LANES))
    primal, dual = np.zeros(LANES), np.zeros(LANES)
    total = np.zeros(LANES)
    support = np.zeros(len(labels), np.bool_)
    for c in range(count):
        for a in range(offsets[c], offsets[c + 1]):
            beta[rows[a], c] = near[a]
            support[rows[a]] |= near[a] != 0
            total[c] += near[a]
            dual[c] += abs(near[a])
    for i in range(len(labels)):
        if support[i]:
            lanes_add(terms, values, W, starts[i], starts[i + 1], beta[i])
    norms = _squared_norms(W)
    for i in range(len(labels)):
        lanes_dot(terms, values, W, starts[i], starts[i + 1], score[i])
    for c in range(count):
        tied = penalty > 0 and penalty < np.inf
        dual[c] -= 0.5 * norms[c] + (total[c] ** 2 / (2 * penalty) if tied else 0.0)
        primal[c] = 0.5 * norms[c] + (0.5 * penalty * bias[c] ** 2 if tied else 0.0)
    for i in range(len(labels)):
        for c in range(count):
            positive = (labels[i] >> c) & 1
            score[i, c] = (2 * positive - 1) * (score[i, c] + bias[c])
            primal[c] += weights[i] * costs[positive, c] * max(0.0, 1 - score[i, c])
    bits = np.zeros(len(labels), np.uint16)
    for i in range(len(labels)):
        bits[i] = lanes_near(beta[i], score[i], 1 + BAND)
    offsets, rows, near = _collect(bits, beta, count)
    slack = np.empty(len(rows))
    for c in range(count):
        for a in range(offsets[c], offsets[c + 1]):
            slack[a] = 1 - score[rows[a], c]
    return primal, dual, offsets, rows, near, slack
