"""A first guess for a block of up to sixteen linear SVMs at once, by passes over all documents.

Problem, for each category c with y_i = ±1 (bit c of `labels`), C_i = weight_i · cost of that sign, λ >= 0 or ∞:

    min over w, b:  P = ½ w·w + ½ λ b² + Σ C_i ξ_i,    ξ_i = max(0, 1 − y_i (w·x_i + b))
    max over β:     D = Σ |β_i| − ½ |Σ β_i x_i|² − (Σ β_i)² / 2λ,    0 <= y_i β_i <= C_i     (β_i = y_i α_i)

λ = 0 (free bias) asks for Σ β_i = 0, λ = ∞ (no bias) for b = 0.

Given  the documents as `Rows` (terms uint32) and a `LaneBlock` of SVMs, all in float32.
Return the working sets: where a document has β ≠ 0, or lies within `BAND` of the margin or inside.
Cost   one pass is stored values × one or two vector operations for sixteen categories (see `svm_lanes`).
Edge   a row of zeros has score b; its `inverse` must be finite. Lanes without a category cost nothing when their
       costs are 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.lane_code import lowest_lane
from rubricate.kernels.rows import Lists, Rows
from rubricate.kernels.svm_lanes import LANES, lanes_add, lanes_dot, lanes_near, lanes_step
from rubricate.kernels.wrappers import FROM_KERNELS, FROM_PYTHON

__all__ = [
    "BAND",
    "BIAS",
    "COSTS",
    "SCORES",
    "LaneBlock",
    "WorkingLists",
    "clear",
    "guess",
    "label_bits",
    "list_lanes",
]

BAND = 1e-3
"""How far beyond the margin a document still counts as near.

A wider band makes working sets larger, a narrower one makes documents come and go between rounds."""
WIDE = 0.05
"""How far beyond the margin a document is still visited by the sweeps of the guess between the whole ones.

With BAND the first solve takes a third longer on Reuters, with .2 the guess does."""
SAMPLED = 8
"""The first sweep visits one of so many documents outside a category that starts with a low bias.

None of them would move before some document of the category has; without any, the first solve takes a fifth longer on
Reuters and banking77. All of them cost a sixth of the guess on Reuters, and a twelfth with 2,000 categories."""
SMALLEST = 1e-5
"""Steps up to this are left out of the guess: in single precision they are noise, and each costs a pass over a row."""
RESIST = 0.3
"""The share of free documents by which a change of the bias is damped."""
FURTHEST = 0.1
"""The longest step of the bias after a sweep: the first sweeps are far from Σ β = λ b and would throw it about."""
WHOLE = 2
"""Sweeps of the guess over all documents. Those that follow visit the ones near a margin, and the last again all.

On 30,000 stories with 2,000 categories the sweeps between are two fifths cheaper; without the last whole sweep working
sets lack documents, and the solves take three times as long."""
DELAY = 2
"""Sweeps of the guess before the bias starts to move."""
EVERY = np.int64((1 << LANES) - 1)
"""The bits of all lanes."""

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


class WorkingLists(NamedTuple):
    """Working sets by lane: lane c has `documents[starts[c]:starts[c + 1]]` (int32), which ascend, with their β."""

    starts: np.ndarray
    documents: np.ndarray
    beta: np.ndarray


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def label_bits(members: Lists, block: np.ndarray, documents: int) -> np.ndarray:
    """Return the labels of the documents, a bit for every category of a block; `members` lists those of a category."""
    bits = np.empty(documents, np.uint16)
    for i in range(documents):
        bits[i] = 0
    for lane in range(len(block)):
        for k in range(members.starts[block[lane]], members.starts[block[lane] + 1]):
            bits[members.items[k]] |= np.uint16(1 << lane)
    return bits


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS)
def clear(lanes: np.ndarray) -> None:
    """Set rows of lanes to 0."""
    for i in range(len(lanes)):
        for c in range(LANES):
            lanes[i, c] = 0


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS)
def list_lanes(near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """List the documents of each lane by the bits of `near`, in their order: (where each lane starts, documents)."""
    starts, at = np.zeros(LANES + 1, np.int64), np.zeros(LANES, np.int64)
    for i in range(len(near)):
        bits = np.int64(near[i])
        while bits:
            starts[lowest_lane(bits) + 1] += 1
            bits &= bits - 1
    for c in range(LANES):
        starts[c + 1] += starts[c]
        at[c] = starts[c]
    documents = np.empty(starts[-1], np.int32)
    for i in range(len(near)):
        bits = np.int64(near[i])
        while bits:
            c = lowest_lane(bits)
            bits &= bits - 1
            documents[at[c]] = i
            at[c] += 1
    return starts, documents


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS)
def _move_biases(block: LaneBlock, penalty: float, total: np.ndarray, free: np.ndarray) -> None:
    """Move b towards Σβ / λ by a damped Newton step, in every lane; `total` and `free` are room for lanes."""
    labels, weights, _, beta, near, state = block
    for c in range(LANES):
        total[c], free[c] = 0.0, 0
    for i in range(len(beta)):
        bits = np.int64(near[i])
        while bits:
            c = lowest_lane(bits)
            bits &= bits - 1
            value = beta[i, c]
            total[c] += value
            free[c] += value != 0 and abs(value) < weights[i] * state[COSTS + ((labels[i] >> c) & 1), c]
    for c in range(LANES):
        # Only free documents react when b moves, each by about 1 / |x|² = 1: they are the curvature.
        step = (total[c] - penalty * state[BIAS, c]) / (penalty + RESIST * max(free[c], 5))
        state[BIAS, c] += min(max(step, -FURTHEST), FURTHEST)


def guess(
    rows: Rows, block: LaneBlock, inverse: np.ndarray, penalty: float, sweeps: int, scale: float = 1.0
) -> WorkingLists:
    """Make a first guess from β = 0 by dual coordinate descent in all lanes, in float32.

    W, β and `near` are set, the bias changes in place. `inverse` is 1 / |x_i|², the vectors being scaled to a mean
    square length of 1. Returned are the working sets, their β in float64 and divided by `scale`.
    """
    room = _Sweeping(penalty, sweeps, scale, np.empty(LANES), np.empty(LANES, np.int64))
    return WorkingLists(*_guess(rows, block, inverse, room))


class _Sweeping(NamedTuple):
    """The penalty, the sweeps and the scale of a guess; and room for lanes, of floats and of whole numbers."""

    penalty: float
    sweeps: int
    scale: float
    total: np.ndarray
    free: np.ndarray


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def _guess(
    rows: Rows, block: LaneBlock, inverse: np.ndarray, sweeping: _Sweeping
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Clear, sweep, and list what is near: one call from Python, as threads wait for each other between calls."""
    clear(block.W)
    clear(block.beta)
    for i in range(len(block.near)):
        block.near[i] = 0
    _sweep_lanes(rows, block, inverse, sweeping)
    starts, documents = list_lanes(block.near)
    beta = np.empty(len(documents))
    for c in range(LANES):
        for k in range(starts[c], starts[c + 1]):
            beta[k] = np.float64(block.beta[documents[k], c]) / sweeping.scale
    return starts, documents, beta


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS)
def _sweep_lanes(rows: Rows, block: LaneBlock, inverse: np.ndarray, sweeping: _Sweeping) -> None:
    penalty, sweeps, _, total, free = sweeping
    labels, weights, W, beta, near, state = block
    limit, wide, smallest = np.float32(1 + BAND), np.float32(1 + WIDE), np.float32(SMALLEST)
    high = np.int64(0)
    for c in range(LANES):
        high |= np.int64(state[BIAS, c] > -limit) << c
    for sweep in range(sweeps):
        whole = sweep < WHOLE or sweep == sweeps - 1
        for i in range(len(labels)):
            # A lane moves only where its own documents and margins ask for it, whatever other lanes do, so that no
            # category depends on those beside it. At first w = 0: with a low bias, documents outside are far off.
            among = EVERY if whole else np.int64(near[i])
            if sweep == 0 and i % SAMPLED:
                among = high | np.int64(labels[i])
            if not among:
                continue
            lanes_dot(rows, i, W, state[SCORES])
            # state[SCORES] holds w·x before the step and y f after it.
            moved = lanes_step(state, beta[i], np.int64(labels[i]), among, weights[i], inverse[i], smallest)
            found = lanes_near(beta[i], state[SCORES], limit if sweep == sweeps - 1 else wide)
            near[i] = (near[i] & ~among) | (found & among)
            if moved:
                lanes_add(rows, i, W, state[STEPS])
        # The bias starts where the share of positives puts it; the first sweeps only say which documents count.
        if sweep >= DELAY and penalty < np.inf:
            _move_biases(block, penalty, total, free)
