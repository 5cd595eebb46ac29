"""Gradient boosting of small regression trees on binned features, for the logistic loss.

Given     bins     documents × features, uint8: the bin of each value, in the order of the values
          truth    0 or 1 a row
          rounds, rate, leaves, least, penalty
Returned  the log-odds before the first tree, and for each round a tree of up to `leaves` leaves in four arrays,
          rounds × (2 · leaves − 1): the feature asked (−1 at a leaf), the last bin that goes left, the left child (the
          right one follows it), and the value of a leaf, `rate` included.

Each tree is a Newton step for Σ log(1 + exp(−y s)) (friedman2001; with the second-order gain of chen2016):
g = p − y, h = p (1 − p), a leaf is −rate · G / (H + penalty), the gain of a split is
G_l² / (H_l + penalty) + G_r² / (H_r + penalty) − G² / (H + penalty). The leaf with the largest gain is split next;
the histogram of the larger child is the parent's less the smaller one's.

Cost     rounds × features × (rows + those in smaller children) additions; memory leaves × features × 256 × 3 numbers.
Ties     the earlier leaf, feature, then bin. No split with fewer than `least` rows on a side, or without gain.
Edges    truth all 0 or all 1: p is kept off 0 and 1 by half a row. No rows: log-odds 0 and trees of one leaf of 0.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np

__all__ = ["BINS", "add_trees", "boost"]

BINS = 128
"""The largest number of bins of a feature."""


@numba.njit(cache=True, nogil=True)
def _histogram(bins: Any, order: Any, start: int, stop: int, slope: Any, curve: Any, sums: Any, sizes: Any) -> None:
    for f in range(sums.shape[0]):
        for b in range(BINS):
            sums[f, b, 0] = sums[f, b, 1] = 0.0
            sizes[f, b] = 0
    for at in range(start, stop):
        i = order[at]
        g, h = slope[i], curve[i]
        for f in range(bins.shape[1]):
            b = bins[i, f]
            sums[f, b, 0] += g
            sums[f, b, 1] += h
            sizes[f, b] += 1


@numba.njit(cache=True, nogil=True)
def _best_split(sums: Any, sizes: Any, least: int, penalty: float) -> tuple[float, int, int]:
    """The largest gain, its feature and its last bin to the left; no gain, −1, −1 where there is no split."""
    gain, feature, last = 0.0, -1, -1
    G, H, n = 0.0, 0.0, 0
    for b in range(BINS):
        G += sums[0, b, 0]
        H += sums[0, b, 1]
        n += sizes[0, b]
    whole = G * G / (H + penalty)
    for f in range(sums.shape[0]):
        g, h, k = 0.0, 0.0, 0
        for b in range(BINS - 1):
            if sizes[f, b] == 0:
                continue
            g += sums[f, b, 0]
            h += sums[f, b, 1]
            k += sizes[f, b]
            if k < least:
                continue
            if n - k < least or n - k == 0:
                break
            found = g * g / (h + penalty) + (G - g) ** 2 / (H - h + penalty) - whole
            if found > gain + 1e-10:
                gain, feature, last = found, f, b
    return gain, feature, last


@numba.njit(cache=True, nogil=True)
def _partition(bins: Any, order: Any, start: int, stop: int, feature: int, last: int, spare: Any) -> int:
    """Bring the rows that go left to the front of order[start:stop], both sides in their order; where they end."""
    left, right = start, 0
    for at in range(start, stop):
        i = order[at]
        if bins[i, feature] <= last:
            order[left] = i
            left += 1
        else:
            spare[right] = i
            right += 1
    for k in range(right):
        order[left + k] = spare[k]
    return left


@numba.njit(cache=True, nogil=True)
def _subtract(sums: Any, sizes: Any, large: int, small: int) -> None:
    for f in range(sums.shape[1]):
        for b in range(BINS):
            sums[large, f, b, 0] -= sums[small, f, b, 0]
            sums[large, f, b, 1] -= sums[small, f, b, 1]
            sizes[large, f, b] -= sizes[small, f, b]


@numba.njit(cache=True, nogil=True)
def _largest(gain: Any, nodes: int) -> int:
    best = 0
    for node in range(1, nodes):
        if gain[node] > gain[best]:
            best = node
    return best


@numba.njit(cache=True, nogil=True)
def _grow(
    bins: Any,
    slope: Any,
    curve: Any,
    leaves: int,
    least: int,
    penalty: float,
    order: Any,
    spare: Any,
    sums: Any,
    sizes: Any,
    nodes: Any,
    gain: Any,
) -> int:
    """One tree; `nodes` are its nodes with, in columns, feature, last bin, left child, start, stop, slot; how many."""
    for i in range(len(order)):
        order[i] = i
    nodes[0, 3], nodes[0, 4], nodes[0, 5] = 0, len(order), 0
    _histogram(bins, order, 0, len(order), slope, curve, sums[0], sizes[0])
    gain[0], nodes[0, 0], nodes[0, 1] = _best_split(sums[0], sizes[0], least, penalty)
    used = 1
    for slot in range(1, leaves):
        node = _largest(gain, used)
        if gain[node] <= 0.0:
            break
        start, stop = nodes[node, 3], nodes[node, 4]
        middle = _partition(bins, order, start, stop, nodes[node, 0], nodes[node, 1], spare)
        nodes[used, 3], nodes[used, 4], nodes[used + 1, 3], nodes[used + 1, 4] = start, middle, middle, stop
        small, large = (used, used + 1) if middle - start <= stop - middle else (used + 1, used)
        nodes[small, 5], nodes[large, 5] = slot, nodes[node, 5]
        _histogram(bins, order, nodes[small, 3], nodes[small, 4], slope, curve, sums[slot], sizes[slot])
        _subtract(sums, sizes, nodes[large, 5], slot)
        gain[node], nodes[node, 2] = -1.0, used
        for child in range(used, used + 2):
            at = nodes[child, 5]
            gain[child], nodes[child, 0], nodes[child, 1] = _best_split(sums[at], sizes[at], least, penalty)
        used += 2
    return used


@numba.njit(cache=True, nogil=True)
def _leaf(order: Any, start: int, stop: int, slope: Any, curve: Any, penalty: float) -> float:
    G, H = 0.0, 0.0
    for at in range(start, stop):
        G += slope[order[at]]
        H += curve[order[at]]
    return -G / (H + penalty)


@numba.njit(cache=True, nogil=True)
def boost(
    bins: Any, truth: Any, rounds: int, rate: float, leaves: int, least: int, penalty: float
) -> tuple[float, Any, Any, Any, Any]:
    """Grow the trees; see the head of this file."""
    rows, features = bins.shape
    width = 2 * leaves - 1
    asked = np.full((rounds, width), -1, np.int64)
    lasts = np.zeros((rounds, width), np.int64)
    lefts = np.zeros((rounds, width), np.int64)
    values = np.zeros((rounds, width))
    if rows == 0 or features == 0:
        return 0.0, asked, lasts, lefts, values
    positive = 0.0
    for i in range(rows):
        positive += truth[i]
    base = math.log((positive + 0.5) / (rows - positive + 0.5))
    scores, slope, curve, gain = np.empty(rows), np.empty(rows), np.empty(rows), np.empty(width)
    order, spare, nodes = np.empty(rows, np.int64), np.empty(rows, np.int64), np.empty((width, 6), np.int64)
    sums, sizes = np.empty((leaves, features, BINS, 2)), np.empty((leaves, features, BINS), np.int64)
    for i in range(rows):
        scores[i] = base
    for t in range(rounds):
        for i in range(rows):
            p = 1.0 / (1.0 + math.exp(-scores[i]))
            slope[i], curve[i] = p - truth[i], p * (1.0 - p)
        used = _grow(bins, slope, curve, leaves, least, penalty, order, spare, sums, sizes, nodes, gain)
        for node in range(used):
            if gain[node] == -1.0:
                asked[t, node], lasts[t, node], lefts[t, node] = nodes[node, 0], nodes[node, 1], nodes[node, 2]
                continue
            value = rate * _leaf(order, nodes[node, 3], nodes[node, 4], slope, curve, penalty)
            values[t, node] = value
            for at in range(nodes[node, 3], nodes[node, 4]):
                scores[order[at]] += value
    return base, asked, lasts, lefts, values


@numba.njit(cache=True, nogil=True)
def add_trees(X: Any, asked: Any, limits: Any, lefts: Any, values: Any, scores: Any) -> None:
    """Add what each tree says to the scores; a value goes left where it is at most the limit of its node."""
    for i in range(X.shape[0]):
        for t in range(asked.shape[0]):
            node = 0
            while asked[t, node] >= 0:
                node = lefts[t, node] + (X[i, asked[t, node]] > limits[t, node])
            scores[i] += values[t, node]
