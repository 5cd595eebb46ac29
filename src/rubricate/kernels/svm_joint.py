"""Passes over all documents for a block of up to sixteen linear SVMs at once: a first guess, and the exact measure.

Problem, for each category c with y_i = ±1 (bit c of `labels`), C_i = weight_i · cost of that sign, λ >= 0 or ∞:

    min over w, b:  P = ½ w·w + ½ λ b² + Σ C_i ξ_i,    ξ_i = max(0, 1 − y_i (w·x_i + b))
    max over β:     D = Σ |β_i| − ½ |Σ β_i x_i|² − (Σ β_i)² / 2λ,    0 <= y_i β_i <= C_i     (β_i = y_i α_i)

λ = 0 (free bias) asks for Σ β_i = 0, λ = ∞ (no bias) for b = 0.

Given  the documents as `Rows` (terms uint32) and a `LaneBlock` of SVMs; floats are float32 in `guess`, else float64.
Return in `near`, a bit for every lane in which the document has β ≠ 0 or lies within `BAND` of the margin or inside.
Cost   one pass is stored values × one or two vector operations for sixteen categories (see `svm_lanes`).
Edge   a row of zeros has score b; its `inverse` must be finite. Lanes without a category cost nothing when their
       costs are 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.lane_code import lowest_lane
from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_lanes import LANES, lanes_add, lanes_dot, lanes_near, lanes_step

__all__ = ["BIAS", "COSTS", "LaneBlock", "gather", "guess", "measure", "squared_norms", "sum_weights"]

BAND = 1e-3
"""How far beyond the margin a document still counts as near.

A wider band makes working sets larger, a narrower one makes documents come and go between rounds."""
SMALLEST = 1e-5
"""Steps up to this are left out of the guess: in single precision they are noise, and each costs a pass over a row."""
RESIST = 0.3
"""The share of free documents by which a change of the bias is damped."""
FURTHEST = 0.1
"""The longest step of the bias after a sweep: the first sweeps are far from Σ β = λ b and would throw it about."""
DELAY = 2
"""Sweeps of the guess before the bias starts to move."""

SCORES, BIAS, STEPS, COSTS = 0, 1, 2, 3
"""Rows of the state of a block; costs are two rows, of negatives and of positives."""


class LaneBlock(NamedTuple):
    """Sixteen SVMs under way.

    Bits of the labels (uint16), weights of the documents, W (terms × 16), β (documents × 16), `near` (uint16), and
    `state`, 5 × 16: room for scores, the bias, room for steps, costs of negatives, costs of positives.
    """

    labels: np.ndarray
    weights: np.ndarray
    W: np.ndarray
    beta: np.ndarray
    near: np.ndarray
    state: np.ndarray


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _move_bias(block: LaneBlock, lane: int, penalty: float) -> None:
    """Move b towards Σβ / λ by a damped Newton step, in one lane."""
    labels, weights, beta, state = block.labels, block.weights, block.beta, block.state
    total, free = 0.0, 0
    for i in range(len(beta)):
        value = beta[i, lane]
        if value != 0:
            total += value
            free += abs(value) < weights[i] * state[COSTS + ((labels[i] >> lane) & 1), lane]
    # Only free documents react when b moves, each by about 1 / |x|² = 1: they are the curvature.
    step = (total - penalty * state[BIAS, lane]) / (penalty + RESIST * max(free, 5))
    state[BIAS, lane] += min(max(step, -FURTHEST), FURTHEST)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def guess(rows: Rows, block: LaneBlock, inverse: np.ndarray, penalty: float, sweeps: int) -> None:
    """Make a first guess from β = 0 by dual coordinate descent in all lanes, in float32.

    W (zeros on entry), β, `near` and the bias change in place. `inverse` is 1 / |x_i|², the vectors being scaled to a
    mean square length of 1.
    """
    labels, weights, W, beta, near, state = block
    limit, smallest = np.float32(1 + BAND), np.float32(SMALLEST)
    for sweep in range(sweeps):
        for i in range(len(labels)):
            lanes_dot(rows, i, W, state[SCORES])
            # state[SCORES] holds w·x before the step and y f after it.
            moved = lanes_step(state, beta[i], np.int64(labels[i]), weights[i], inverse[i], smallest)
            near[i] = lanes_near(beta[i], state[SCORES], limit)
            if moved:
                lanes_add(rows, i, W, state[STEPS])
        # The bias starts where the share of positives puts it; the first sweeps only say which documents count.
        if sweep >= DELAY and penalty < np.inf:
            for lane in range(LANES):
                _move_bias(block, lane, penalty)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def sum_weights(rows: Rows, block: LaneBlock) -> None:
    """Add Σ β_i x_i to W over the documents with `near` ≠ 0, which are those with some β ≠ 0."""
    for i in range(len(block.near)):
        if block.near[i]:
            lanes_add(rows, i, block.W, block.beta[i])


@numba.njit(cache=True, nogil=True, error_model="numpy")
def squared_norms(W: np.ndarray) -> np.ndarray:
    """Return |w|² of every lane."""
    norms = np.zeros(LANES)
    for t in range(len(W)):
        for c in range(LANES):
            norms[c] += W[t, c] * W[t, c]
    return norms


@numba.njit(cache=True, nogil=True, error_model="numpy")
def measure(rows: Rows, block: LaneBlock, margins: np.ndarray, losses: np.ndarray) -> None:
    """Compute the margins y f (documents × 16) from W, exactly; add Σ C ξ to the losses of every lane.

    `near` becomes the working sets of the next round: what supports the solution or could come to violate its margin.
    """
    labels, weights, W, beta, near, state = block
    for i in range(len(labels)):
        lanes_dot(rows, i, W, margins[i])
        for c in range(LANES):
            positive = (labels[i] >> c) & 1
            margins[i, c] = (2 * positive - 1) * (margins[i, c] + state[BIAS, c])
            losses[c] += weights[i] * state[COSTS + positive, c] * max(0.0, 1 - margins[i, c])
        near[i] = lanes_near(beta[i], margins[i], 1 + BAND)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def gather(block: LaneBlock, margins: np.ndarray, first: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """List the documents near the margin by lane: (where each lane starts, documents, β, 1 − yf).

    Document i of the block is number first + i; those of a lane ascend.
    """
    near, beta = block.near, block.beta
    starts, at = np.zeros(LANES + 1, np.int64), np.zeros(LANES, np.int64)
    for i in range(len(near)):
        bits = np.int64(near[i])
        while bits:
            starts[lowest_lane(bits) + 1] += 1
            bits &= bits - 1
    for c in range(LANES):
        starts[c + 1] += starts[c]
        at[c] = starts[c]
    documents, support, slack = np.empty(starts[-1], np.int32), np.empty(starts[-1]), np.empty(starts[-1])
    for i in range(len(near)):
        bits = np.int64(near[i])
        while bits:
            c = lowest_lane(bits)
            bits &= bits - 1
            place = at[c]
            at[c] += 1
            documents[place], support[place], slack[place] = first + i, beta[i, c], 1 - margins[i, c]
    return starts, documents, support, slack
