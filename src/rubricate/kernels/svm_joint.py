"""Passes over all documents for a block of up to sixteen linear SVMs at once: a first guess, and the exact measure.

Problem, for each category c with y_i = ±1 (bit c of `labels`), C_i = weight_i · cost of that sign, λ >= 0 or ∞:

    min over w, b:  P = ½ w·w + ½ λ b² + Σ C_i ξ_i,    ξ_i = max(0, 1 − y_i (w·x_i + b))
    max over β:     D = Σ |β_i| − ½ |Σ β_i x_i|² − (Σ β_i)² / 2λ,    0 <= y_i β_i <= C_i     (β_i = y_i α_i)

λ = 0 (free bias) asks for Σ β_i = 0, λ = ∞ (no bias) for b = 0.

Given  the documents as `Rows` (terms uint32), and a `LaneBlock` of SVMs in float32 for `guess`, a `CheckedBlock` in
       float64 else.
Return a bit for every lane in which a document has β ≠ 0 or lies within `BAND` of the margin or inside.
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
from rubricate.kernels.svm_lanes import LANES, lanes_add, lanes_dot, lanes_near, lanes_step, lanes_within
from rubricate.kernels.wrappers import FROM_KERNELS, FROM_PYTHON

__all__ = [
    "BIAS",
    "COSTS",
    "LIMITS",
    "CheckedBlock",
    "LaneBlock",
    "NearDocuments",
    "RoughBlock",
    "SupportSets",
    "find_support",
    "gather",
    "guess",
    "label_bits",
    "measure",
    "place_support",
    "squared_norms",
    "sum_weights",
    "survey",
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
LIMITS = 2
"""The row of limits in the state of a rough block, whose others are scores and bias, and in that of a survey."""


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


class CheckedBlock(NamedTuple):
    """Sixteen SVMs to be measured: as a `LaneBlock`, but β has rows for the documents that support some SVM alone.

    Document i has row `places[i]` (int32) of β; row 0 is zeros.
    """

    labels: np.ndarray
    weights: np.ndarray
    W: np.ndarray
    beta: np.ndarray
    places: np.ndarray
    state: np.ndarray


class SupportSets(NamedTuple):
    """Documents of up to sixteen SVMs end to end: lane c has `members[offsets[c]:offsets[c + 1]]` with their β."""

    offsets: np.ndarray
    members: np.ndarray
    beta: np.ndarray


class NearDocuments(NamedTuple):
    """Room for documents near the margins: their numbers (int32), bits (uint16) and margins (documents × 16)."""

    documents: np.ndarray
    bits: np.ndarray
    margins: np.ndarray


class RoughBlock(NamedTuple):
    """Documents and W in float32, and `state`, 3 × 16: room for scores, the bias, limits of the margins.

    A document whose rough margins are all above the limits is certain to lie beyond 1 + `BAND`.
    """

    rows: Rows
    W: np.ndarray
    state: np.ndarray


def label_bits(members: Lists, block: np.ndarray, documents: int) -> np.ndarray:
    """Return the labels of the documents, a bit for every category of a block; `members` lists those of a category."""
    bits = np.zeros(documents, np.uint16)
    _add_bits(members, block, bits)
    return bits


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def _add_bits(members: Lists, block: np.ndarray, bits: np.ndarray) -> None:
    for lane in range(len(block)):
        for k in range(members.starts[block[lane]], members.starts[block[lane] + 1]):
            bits[members.items[k]] |= np.uint16(1 << lane)


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


def guess(rows: Rows, block: LaneBlock, inverse: np.ndarray, penalty: float, sweeps: int) -> None:
    """Make a first guess from β = 0 by dual coordinate descent in all lanes, in float32.

    W (zeros on entry), β, `near` and the bias change in place. `inverse` is 1 / |x_i|², the vectors being scaled to a
    mean square length of 1.
    """
    _guess(rows, block, inverse, _Sweeping(penalty, sweeps, np.empty(LANES), np.empty(LANES, np.int64)))


class _Sweeping(NamedTuple):
    """The penalty and the sweeps of a guess; and room for lanes, of floats and of whole numbers."""

    penalty: float
    sweeps: int
    total: np.ndarray
    free: np.ndarray


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def _guess(rows: Rows, block: LaneBlock, inverse: np.ndarray, sweeping: _Sweeping) -> None:
    penalty, sweeps, total, free = sweeping
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


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def find_support(sets: SupportSets, first: int, places: np.ndarray) -> int:
    """Number the documents from `first` on that have some β ≠ 0, in their order, from 1 on; return how many there are.

    `places` has zeros on entry, and room for the documents of a stretch.
    """
    _, members, beta = sets
    for k in range(len(members)):
        i = members[k] - first
        if beta[k] != 0 and 0 <= i < len(places):
            places[i] = 1
    count = 0
    for i in range(len(places)):
        count += places[i]
        places[i] *= count
    return count


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def place_support(sets: SupportSets, first: int, places: np.ndarray, own: np.ndarray) -> None:
    """Put the β of the documents of a stretch into their rows of `own`, zeros on entry, one column for each lane."""
    offsets, members, beta = sets
    for c in range(len(offsets) - 1):
        for k in range(offsets[c], offsets[c + 1]):
            i = members[k] - first
            if 0 <= i < len(places) and places[i]:
                own[places[i], c] = beta[k]


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def sum_weights(rows: Rows, block: CheckedBlock) -> None:
    """Add Σ β_i x_i to W."""
    for i in range(len(block.places)):
        if block.places[i]:
            lanes_add(rows, i, block.W, block.beta[block.places[i]])


def squared_norms(W: np.ndarray, factor: float, rough: np.ndarray) -> np.ndarray:
    """Return |w|² of every lane; `rough` becomes factor · W in single precision."""
    norms = np.zeros(LANES)
    _add_squares(W, factor, rough, norms)
    return norms


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def _add_squares(W: np.ndarray, factor: float, rough: np.ndarray, norms: np.ndarray) -> None:
    for t in range(len(W)):
        # Two loops over the lanes take a quarter less than one for both, measured on the terms of Reuters.
        own, single = W[t], rough[t]
        for c in range(LANES):
            norms[c] += own[c] * own[c]
        for c in range(LANES):
            single[c] = factor * own[c]


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def measure(rows: Rows, block: CheckedBlock, rough: RoughBlock, near: NearDocuments, losses: np.ndarray) -> int:
    """Compute the margins y f from W, exactly; add Σ C ξ to the losses of every lane. Return the documents near.

    They are the working sets of the next round: what supports the solution or could come to violate its margin. Most
    documents do neither, which single precision is enough to see; their losses are 0.
    """
    labels, weights, W, beta, places, state = block
    count = 0
    for i in range(len(labels)):
        if not places[i]:
            lanes_dot(rough.rows, i, rough.W, rough.state[SCORES])
            if not lanes_within(rough.state[SCORES], rough.state[BIAS], rough.state[LIMITS], np.int64(labels[i])):
                continue
        margins = near.margins[count]
        lanes_dot(rows, i, W, margins)
        for c in range(LANES):
            positive = (labels[i] >> c) & 1
            margins[c] = (2 * positive - 1) * (margins[c] + state[BIAS, c])
            losses[c] += weights[i] * state[COSTS + positive, c] * max(0.0, 1 - margins[c])
        near.documents[count], near.bits[count] = i, lanes_near(beta[places[i]], margins, 1 + BAND)
        count += near.bits[count] != 0
    return count


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def survey(rows: Rows, block: CheckedBlock, near: NearDocuments) -> int:
    """Find the documents near a margin with everything in single precision; return their number.

    Enough for the working sets after a loose solution, whose values nobody asks for.
    """
    labels, _, W, beta, places, state = block
    count = 0
    for i in range(len(labels)):
        lanes_dot(rows, i, W, state[SCORES])
        bits = lanes_within(state[SCORES], state[BIAS], state[LIMITS], np.int64(labels[i]))
        if places[i]:
            for c in range(LANES):
                bits |= np.int64(beta[places[i], c] != 0) << c
        if bits:
            for c in range(LANES):
                sign = 2.0 * ((labels[i] >> c) & 1) - 1
                near.margins[count, c] = sign * (state[SCORES, c] + state[BIAS, c])
            near.documents[count], near.bits[count] = i, bits
            count += 1
    return count


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def gather(
    beta: np.ndarray, places: np.ndarray, near: NearDocuments, first: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """List the documents near the margin by lane: (where each lane starts, documents, β, 1 − yf).

    Document i of a stretch is number first + i, and has row `places[i]` of β; those of a lane ascend.
    """
    documents, all_bits, margins = near
    starts, at = np.zeros(LANES + 1, np.int64), np.zeros(LANES, np.int64)
    for k in range(len(documents)):
        bits = np.int64(all_bits[k])
        while bits:
            starts[lowest_lane(bits) + 1] += 1
            bits &= bits - 1
    for c in range(LANES):
        starts[c + 1] += starts[c]
        at[c] = starts[c]
    listed, support, slack = np.empty(starts[-1], np.int32), np.empty(starts[-1]), np.empty(starts[-1])
    for k in range(len(documents)):
        bits, place = np.int64(all_bits[k]), places[documents[k]]
        while bits:
            c = lowest_lane(bits)
            bits &= bits - 1
            listed[at[c]], support[at[c]], slack[at[c]] = first + documents[k], beta[place, c], 1 - margins[k, c]
            at[c] += 1
    return starts, listed, support, slack
