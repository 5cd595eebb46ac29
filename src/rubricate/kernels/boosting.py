"""Gradient boosting of small regression trees on binned features, for the logistic loss.

Given     bins     documents × features, uint8: the bin of each value, in the order of the values
          truth    0 or 1 per row
          the settings (`Boosting`)
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
from typing import NamedTuple

import numba
import numpy as np

__all__ = ["BINS", "BoostedTrees", "Boosting", "add_trees", "boost"]

BINS = 128
"""The largest number of bins of a feature."""


class Boosting(NamedTuple):
    """Rounds, the share of each step that is taken, leaves of a tree, least rows of a leaf, penalty on leaf values."""

    rounds: int
    rate: float
    leaves: int
    least: int
    penalty: float


class BoostedTrees(NamedTuple):
    """The log-odds before the first tree, and the trees, rounds × nodes.

    `limits` are what a value is compared with: the last bin that goes left, or its upper end.
    """

    base: float
    features: np.ndarray
    limits: np.ndarray
    lefts: np.ndarray
    values: np.ndarray


class _Sample(NamedTuple):
    """Rows × features in bins, and g and h of each row at the scores so far."""

    bins: np.ndarray
    slope: np.ndarray
    curve: np.ndarray


class _Histogram(NamedTuple):
    """Σ g and Σ h (in the last axis), and the number of rows, of each feature and bin."""

    sums: np.ndarray
    sizes: np.ndarray


class _Growing(NamedTuple):
    """A tree while it grows: rows in the order of its leaves, room to sort them, histograms of its leaves, its nodes.

    Columns of `nodes`: feature, last bin to the left, left child, start and stop in `order`, histogram. `gain` is that
    of the best split of a leaf, −1 for a node that was split.
    """

    order: np.ndarray
    spare: np.ndarray
    sums: np.ndarray
    sizes: np.ndarray
    nodes: np.ndarray
    gain: np.ndarray


@numba.njit(cache=True, nogil=True)
def _count(sample: _Sample, rows: np.ndarray, histogram: _Histogram) -> None:
    """Fill the histogram of some rows."""
    bins, slope, curve = sample
    sums, sizes = histogram
    for f in range(sums.shape[0]):
        for b in range(BINS):
            sums[f, b, 0] = sums[f, b, 1] = 0.0
            sizes[f, b] = 0
    for i in rows:
        g, h = slope[i], curve[i]
        for f in range(bins.shape[1]):
            b = bins[i, f]
            sums[f, b, 0] += g
            sums[f, b, 1] += h
            sizes[f, b] += 1


@numba.njit(cache=True, nogil=True)
def _best_split(histogram: _Histogram, least: int, penalty: float) -> tuple[float, int, int]:
    """Return the largest gain, its feature and its last bin to the left; (0, −1, −1) where no split has a gain."""
    sums, sizes = histogram
    gain, feature, last = 0.0, -1, -1
    G, H, n = 0.0, 0.0, 0
    # Every feature has all rows of the leaf, so the first one gives the totals.
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
            # The right side only shrinks from here on.
            if n - k < least or n - k == 0:
                break
            # The second-order gain of chen2016, equation 7; a gain within rounding of the best so far is a tie.
            split = g * g / (h + penalty) + (G - g) ** 2 / (H - h + penalty) - whole
            if split > gain + 1e-10:
                gain, feature, last = split, f, b
    return gain, feature, last


@numba.njit(cache=True, nogil=True)
def _partition(column: np.ndarray, last: int, rows: np.ndarray, spare: np.ndarray) -> int:
    """Bring the rows that go left to the front, both sides in their order; return how many go left."""
    left, right = 0, 0
    for at in range(len(rows)):
        i = rows[at]
        if column[i] <= last:
            rows[left] = i
            left += 1
        else:
            spare[right] = i
            right += 1
    # Stable on both sides: the rows of a leaf stay ascending, and its sums do not depend on how it was reached.
    for k in range(right):
        rows[left + k] = spare[k]
    return left


@numba.njit(cache=True, nogil=True)
def _subtract(large: _Histogram, small: _Histogram) -> None:
    """Turn the histogram of a parent into that of its larger child."""
    for f in range(large.sums.shape[0]):
        for b in range(BINS):
            large.sums[f, b, 0] -= small.sums[f, b, 0]
            large.sums[f, b, 1] -= small.sums[f, b, 1]
            large.sizes[f, b] -= small.sizes[f, b]


@numba.njit(cache=True, nogil=True)
def _largest(gain: np.ndarray, nodes: int) -> int:
    best = 0
    for node in range(1, nodes):
        if gain[node] > gain[best]:
            best = node
    return best


@numba.njit(cache=True, nogil=True)
def _grow(sample: _Sample, settings: Boosting, growing: _Growing) -> int:
    """Grow one tree, and return the number of its nodes."""
    order, spare, sums, sizes, nodes, gain = growing
    least, penalty = settings.least, settings.penalty
    for i in range(len(order)):
        order[i] = i
    nodes[0, 3], nodes[0, 4], nodes[0, 5] = 0, len(order), 0
    _count(sample, order, _Histogram(sums[0], sizes[0]))
    gain[0], nodes[0, 0], nodes[0, 1] = _best_split(_Histogram(sums[0], sizes[0]), least, penalty)
    used = 1
    for slot in range(1, settings.leaves):
        # Best first, not level by level: the leaf with the largest gain is split next.
        node = _largest(gain, used)
        if gain[node] <= 0.0:
            break
        start, stop = nodes[node, 3], nodes[node, 4]
        middle = start + _partition(sample.bins[:, nodes[node, 0]], nodes[node, 1], order[start:stop], spare)
        nodes[used, 3], nodes[used, 4], nodes[used + 1, 3], nodes[used + 1, 4] = start, middle, middle, stop
        # Only the smaller child is counted. The larger takes over the parent's histogram, less the smaller one's.
        small, large = (used, used + 1) if middle - start <= stop - middle else (used + 1, used)
        nodes[small, 5], nodes[large, 5] = slot, nodes[node, 5]
        smaller, larger = _Histogram(sums[slot], sizes[slot]), nodes[large, 5]
        _count(sample, order[nodes[small, 3] : nodes[small, 4]], smaller)
        _subtract(_Histogram(sums[larger], sizes[larger]), smaller)
        gain[node], nodes[node, 2] = -1.0, used
        for child in range(used, used + 2):
            at = nodes[child, 5]
            gain[child], nodes[child, 0], nodes[child, 1] = _best_split(_Histogram(sums[at], sizes[at]), least, penalty)
        used += 2
    return used


@numba.njit(cache=True, nogil=True)
def _leaf(sample: _Sample, rows: np.ndarray, penalty: float) -> float:
    """Return −G / (H + penalty), the Newton step of a leaf."""
    G, H = 0.0, 0.0
    for i in rows:
        G += sample.slope[i]
        H += sample.curve[i]
    return -G / (H + penalty)


@numba.njit(cache=True, nogil=True)
def boost(bins: np.ndarray, truth: np.ndarray, settings: Boosting) -> BoostedTrees:
    """Grow the trees; `limits` of the result are the last bins that go left."""
    rows, features = bins.shape
    rounds, leaves, width = settings.rounds, settings.leaves, 2 * settings.leaves - 1
    asked, lasts = np.full((rounds, width), -1, np.int64), np.zeros((rounds, width), np.int64)
    lefts, values = np.zeros((rounds, width), np.int64), np.zeros((rounds, width))
    if rows == 0 or features == 0:
        return BoostedTrees(0.0, asked, lasts, lefts, values)
    positive = 0.0
    for i in range(rows):
        positive += truth[i]
    # Half a row of each class is added: log-odds stay finite where all rows are of one class.
    base = math.log((positive + 0.5) / (rows - positive + 0.5))
    scores, slope, curve, gain = np.empty(rows), np.empty(rows), np.empty(rows), np.empty(width)
    order, spare, nodes = np.empty(rows, np.int64), np.empty(rows, np.int64), np.empty((width, 6), np.int64)
    sums, sizes = np.empty((leaves, features, BINS, 2)), np.empty((leaves, features, BINS), np.int64)
    sample, growing = _Sample(bins, slope, curve), _Growing(order, spare, sums, sizes, nodes, gain)
    for i in range(rows):
        scores[i] = base
    for t in range(rounds):
        for i in range(rows):
            p = 1.0 / (1.0 + math.exp(-scores[i]))
            slope[i], curve[i] = p - truth[i], p * (1.0 - p)
        used = _grow(sample, settings, growing)
        for node in range(used):
            if gain[node] == -1.0:
                asked[t, node], lasts[t, node], lefts[t, node] = nodes[node, 0], nodes[node, 1], nodes[node, 2]
                continue
            own = order[nodes[node, 3] : nodes[node, 4]]
            value = settings.rate * _leaf(sample, own, settings.penalty)
            values[t, node] = value
            for i in own:
                scores[i] += value
    return BoostedTrees(base, asked, lasts, lefts, values)


@numba.njit(cache=True, nogil=True)
def add_trees(trees: BoostedTrees, X: np.ndarray, scores: np.ndarray) -> None:
    """Add the value of each tree to the scores; a value goes left where it is at most the limit of its node."""
    _, asked, limits, lefts, values = trees
    for i in range(X.shape[0]):
        for t in range(asked.shape[0]):
            node = 0
            while asked[t, node] >= 0:
                node = lefts[t, node] + (X[i, asked[t, node]] > limits[t, node])
            scores[i] += values[t, node]
