"""The bias of an SVM that is best for given scores without one.

Problem: min over b of  Σ C_i max(0, 1 − y_i (score_i + b)), convex and piecewise linear in b.
Given  scores, y ±1 and C_i >= 0 (`cap`).
Return b: the minimum, the middle of an interval of minima, and for one class the breakpoint that ends its loss.
Cost   about six passes over the documents (quickselect, twice).

The loss bends at the breakpoints y_i − score_i. A positive costs C_i per unit until b reaches its breakpoint, a
negative from there on, so that the slope left of b is Σ C_i over breakpoints below b, less Σ C_i of the positives: the
best b is a quantile of the breakpoints with weights C_i.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.rows import ZERO
from rubricate.kernels.wrappers import FROM_KERNELS, FROM_PYTHON

__all__ = ["best_bias", "least_loss"]

LEVEL = 1e-12
"""Slopes up to this share of Σ C_i count as zero, so that rounding does not split an interval of minima."""


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS)
def _partition(values: np.ndarray, weights: np.ndarray, low: int, high: int) -> tuple[int, int, float, float]:
    """Put what is below a pivot first in low … high − 1, then its equals: their ends, and the weights of both parts."""
    first, middle, last = values[low], values[(low + high) // 2], values[high - 1]
    pivot = max(min(first, middle), min(max(first, middle), last))
    at, less, equal, below, same = low, low, high, 0.0, 0.0
    # Between `less` and `at` lie the equals, from `equal` on what is above.
    while at < equal:
        value, weight = values[at], weights[at]
        if value < pivot:
            values[at], weights[at], values[less], weights[less] = values[less], weights[less], value, weight
            below += weight
            less += 1
            at += 1
        elif value > pivot:
            equal -= 1
            values[at], weights[at], values[equal], weights[equal] = values[equal], weights[equal], value, weight
        else:
            same += weight
            at += 1
    return less, equal, below, same


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS)
def _last_break(values: np.ndarray, weights: np.ndarray, level: float) -> float:
    """Return the largest value with weights of at most `level` below it; the smallest one if none has."""
    low, high, below, last, found = ZERO, len(values), 0.0, 0.0, False
    while low < high:
        less, equal, lighter, same = _partition(values, weights, low, high)
        if below + lighter <= level:
            last, found = values[less], True
            low, below = equal, below + (lighter + same)
        elif less == low and not found:
            # Nothing lies below the pivot, and even that is too much.
            return values[less]
        else:
            high = less
    return last


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_KERNELS)
def least_loss(scores: np.ndarray, y: np.ndarray, cap: np.ndarray) -> float:
    """Return what `best_bias` does, for use within kernels: without what a call from Python needs."""
    breaks, weights, positive, tiny = np.empty(len(y)), np.empty(len(y)), 0.0, 0.0
    for i in range(len(y)):
        breaks[i], weights[i] = y[i] - scores[i], cap[i]
        positive += cap[i] if y[i] > 0 else 0.0
        tiny += LEVEL * cap[i]
    return 0.5 * (_last_break(breaks, weights, positive - tiny) + _last_break(breaks, weights, positive + tiny))


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def best_bias(scores: np.ndarray, y: np.ndarray, cap: np.ndarray) -> float:
    """Return the b that minimises Σ C_i max(0, 1 − y_i (score_i + b)); the middle where an interval does."""
    return least_loss(scores, y, cap)
