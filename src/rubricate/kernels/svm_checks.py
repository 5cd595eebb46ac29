"""Passes over all documents for a block of up to sixteen linear SVMs under way: new working sets, exact values.

Problem: that of `svm_joint`, which makes the first guess.

Given  `CheckedDocuments`, the categories of the block, their `WorkingLists` (those of a lane ascend, β may be 0), and
       `state`, 5 × 16: the bias in row `BIAS`, costs of negatives and of positives from row `COSTS` on; `PassRoom` to
       work in.
Return the new `WorkingLists`: where a document has β ≠ 0, or lies within `BAND` of the margin or inside. `check` also
       1 − yf of each of them, and the exact primal and dual values.
Cost   a pass over the documents that support some SVM, one over all in single precision, and for `check` one in double
       precision over those that may be near some margin. All in one call: threads wait for each other between calls.
Ties   documents are added in their order; sums of β are from left to right.
Edge   lanes without a category find nothing if their bias is far below −1.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.lane_code import lowest_lane
from rubricate.kernels.rows import Lists, Rows
from rubricate.kernels.svm_joint import BAND, BIAS, COSTS, SCORES, WorkingLists, clear, label_bits, list_lanes
from rubricate.kernels.svm_lanes import LANES, lanes_add, lanes_dot, lanes_near, lanes_within
from rubricate.kernels.wrappers import FROM_KERNELS, FROM_PYTHON

__all__ = ["CheckedDocuments", "Measures", "PassRoom", "check", "survey"]

LIMITS = 2
"""The row of limits in a state of single precision, beside `SCORES` and `BIAS`."""


class CheckedDocuments(NamedTuple):
    """The documents: rows, the same in float32 and divided by √scale, weights, and the members of each category."""

    rows: Rows
    single: Rows
    weights: np.ndarray
    members: Lists


class Measures(NamedTuple):
    """The λ of ½ λ b²; the scale of the rows in float32; the most stored values and the largest |x|² of a document."""

    penalty: float
    scale: float
    longest: int
    largest: float


class PassRoom(NamedTuple):
    """Room for a pass, whatever it holds: W in float64 and float32 (terms × 16); for the documents of a stretch, β
    (one row more, × 16) and the row of each (int32).

    Where there are more documents than a stretch has, they are worked on stretch by stretch, to save memory.
    """

    W: np.ndarray
    single: np.ndarray
    beta: np.ndarray
    places: np.ndarray


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS)
def _place(sets: WorkingLists, first: int, count: int, room: PassRoom) -> None:
    """Give the documents of a stretch that have some β ≠ 0 rows of `room.beta`, from 1 on; row 0 is zeros."""
    starts, documents, beta = sets
    places, own = room.places, room.beta
    for i in range(count):
        places[i] = 0
    for k in range(len(documents)):
        i = documents[k] - first
        if beta[k] != 0 and 0 <= i < count:
            places[i] = 1
    filled = 0
    for i in range(count):
        filled += places[i]
        places[i] *= filled
    clear(own[: filled + 1])
    for c in range(len(starts) - 1):
        for k in range(starts[c], starts[c + 1]):
            i = documents[k] - first
            if 0 <= i < count and places[i]:
                own[places[i], c] = beta[k]


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS)
def _kept(sets: WorkingLists, starts: np.ndarray, documents: np.ndarray) -> np.ndarray:
    """Return the β of the documents in new lists, 0 for those that are not in the old ones."""
    beta = np.zeros(len(documents))
    for c in range(len(sets.starts) - 1):
        at, end = sets.starts[c], sets.starts[c + 1]
        for k in range(starts[c], starts[c + 1]):
            while at < end and sets.documents[at] < documents[k]:
                at += 1
            if at < end and sets.documents[at] == documents[k]:
                beta[k] = sets.beta[at]
    return beta


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def survey(
    corpus: CheckedDocuments, block: np.ndarray, sets: WorkingLists, state: np.ndarray, room: PassRoom, scale: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find new working sets with everything in single precision.

    Enough after a loose solution, whose values nobody asks for. `state` is in float32.
    """
    rows, labels = corpus.single, label_bits(corpus.members, block, len(corpus.weights))
    n, stretch, none = len(labels), len(room.places), np.float64(-1.0)
    near, factors = np.empty(n, np.uint16), np.empty(LANES, np.float32)
    clear(room.single)
    for first in range(0, n, stretch):
        count = min(stretch, n - first)
        _place(sets, first, count, room)
        for i in range(count):
            if room.places[i]:
                own = room.beta[room.places[i]]
                for c in range(LANES):
                    factors[c] = own[c] * scale
                lanes_add(rows, first + i, room.single, factors)
    for c in range(LANES):
        state[LIMITS, c] = 1 + BAND
    for first in range(0, n, stretch):
        count = min(stretch, n - first)
        if n > stretch:
            _place(sets, first, count, room)
        for i in range(count):
            lanes_dot(rows, first + i, room.single, state[SCORES])
            bits = lanes_within(state[SCORES], state[BIAS], state[LIMITS], np.int64(labels[first + i]))
            if room.places[i]:
                # No margin of 0 is below −1: the bits are those of β ≠ 0.
                bits |= lanes_near(room.beta[room.places[i]], room.beta[0], none)
            near[first + i] = bits
    starts, documents = list_lanes(near)
    return starts, documents, _kept(sets, starts, documents)


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS)
def _norms(room: PassRoom, factor: float) -> np.ndarray:
    """Return |w|² of every lane; W in float32 becomes factor · W."""
    norms = np.zeros(LANES)
    for t in range(len(room.W)):
        # Two loops over the lanes take a quarter less than one for both, measured on the terms of Reuters.
        own, single = room.W[t], room.single[t]
        for c in range(LANES):
            norms[c] += own[c] * own[c]
        for c in range(LANES):
            single[c] = factor * own[c]
    return norms


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS)
def _rough_state(measures: Measures, norms: np.ndarray, state: np.ndarray) -> np.ndarray:
    """Return the state for margins in single precision: those above its limits are certain to be beyond 1 + `BAND`."""
    rough = np.zeros((3, LANES), np.float32)
    # Each rounding is by a share of 2⁻²⁴ at most: two for each product, one for each sum of half the products.
    roundings = (measures.longest / 2 + 8) * 2.0**-24
    for c in range(LANES):
        size = np.sqrt(measures.largest * norms[c]) + abs(state[BIAS, c])
        rough[BIAS, c], rough[LIMITS, c] = state[BIAS, c], 1 + BAND + roundings * (size + 2)
    return rough


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS)
def _margins(label: int, weight: float, state: np.ndarray, losses: np.ndarray) -> None:
    """Turn the scores of a document into y f, and add C ξ to the losses."""
    for c in range(LANES):
        positive = (label >> c) & 1
        cost = state[COSTS + 1, c] if positive else state[COSTS, c]
        score = state[SCORES, c] + state[BIAS, c]
        state[SCORES, c] = score if positive else -score
        losses[c] += weight * cost * max(0.0, 1 - state[SCORES, c])


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS)
def _values(
    measures: Measures, sets: WorkingLists, state: np.ndarray, norms: np.ndarray, losses: np.ndarray
) -> np.ndarray:
    """Return the primal and the dual values, 2 × categories."""
    values, penalty = np.empty((2, len(sets.starts) - 1)), measures.penalty
    for c in range(values.shape[1]):
        half, total, size, b = 0.5 * norms[c], 0.0, 0.0, state[BIAS, c]
        for k in range(sets.starts[c], sets.starts[c + 1]):
            total += sets.beta[k]
            size += abs(sets.beta[k])
        values[0, c], values[1, c] = half + losses[c], size - half
        if 0 < penalty < np.inf:
            values[0, c] += 0.5 * penalty * b**2
            values[1, c] -= total**2 / (2 * penalty)
    return values


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS)
def _by_lane(near: np.ndarray, starts: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return values that lie by documents in the order of `list_lanes`."""
    ordered, at, k = np.empty(starts[-1]), starts[:-1].copy(), 0
    for i in range(len(near)):
        bits = np.int64(near[i])
        while bits:
            c = lowest_lane(bits)
            bits &= bits - 1
            ordered[at[c]] = values[k]
            at[c] += 1
            k += 1
    return ordered


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS)
def _measure(
    corpus: CheckedDocuments,
    labels: np.ndarray,
    sets: WorkingLists,
    state: np.ndarray,
    rough: np.ndarray,
    room: PassRoom,
    near: np.ndarray,
    losses: np.ndarray,
) -> np.ndarray:
    """Compute the margins from W, exactly: set `near`, add to the losses, return 1 − yf of what is near.

    Most documents neither support nor violate anything, which single precision is enough to see; they have no loss.
    """
    n, stretch, k = len(labels), len(room.places), 0
    slack = np.empty(2 * len(sets.documents) + 16 * LANES)
    for first in range(0, n, stretch):
        count = min(stretch, n - first)
        if n > stretch:
            _place(sets, first, count, room)
        for i in range(first, first + count):
            label, place, bits = np.int64(labels[i]), room.places[i - first], np.int64(0)
            if not place:
                lanes_dot(corpus.single, i, room.single, rough[SCORES])
                bits = lanes_within(rough[SCORES], rough[BIAS], rough[LIMITS], label)
            if place or bits:
                lanes_dot(corpus.rows, i, room.W, state[SCORES])
                _margins(label, corpus.weights[i], state, losses)
                bits = lanes_near(room.beta[place], state[SCORES], 1 + BAND)
            near[i] = bits
            if k + LANES > len(slack):
                slack = np.concatenate((slack, slack))
            while bits:
                slack[k] = 1 - state[SCORES, lowest_lane(bits)]
                bits &= bits - 1
                k += 1
    return slack


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def check(
    corpus: CheckedDocuments,
    block: np.ndarray,
    sets: WorkingLists,
    state: np.ndarray,
    room: PassRoom,
    measures: Measures,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Compute the exact values over all documents, and the new working sets.

    Returned are where each lane starts, documents, their β and 1 − yf; and the primal and dual values, 2 × categories.
    """
    labels = label_bits(corpus.members, block, len(corpus.weights))
    n, stretch = len(labels), len(room.places)
    # W is summed anew from β: the sum of all steps of a solve has lost digits.
    clear(room.W)
    for first in range(0, n, stretch):
        count = min(stretch, n - first)
        _place(sets, first, count, room)
        for i in range(count):
            if room.places[i]:
                lanes_add(corpus.rows, first + i, room.W, room.beta[room.places[i]])
    norms, losses, near = _norms(room, np.sqrt(measures.scale)), np.zeros(LANES), np.empty(n, np.uint16)
    rough = _rough_state(measures, norms, state)
    slack = _measure(corpus, labels, sets, state, rough, room, near, losses)
    starts, documents = list_lanes(near)
    values = _values(measures, sets, state, norms, losses)
    return starts, documents, _kept(sets, starts, documents), _by_lane(near, starts, slack), values
