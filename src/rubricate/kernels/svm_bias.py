"""The bias of an SVM that is best for given scores without one.

Problem: min over b of  Σ C_i max(0, 1 − y_i (score_i + b)), convex and piecewise linear in b.
Given  scores, y ±1 and C_i >= 0 (`cap`).
Return b: the minimum, the middle of an interval of minima, and for one class the breakpoint that ends its loss.
Cost   about 100 passes over the documents (bisection).
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

__all__ = ["best_bias"]

LEVEL = 1e-12
"""Slopes up to this share of Σ C_i count as zero, so that rounding does not split an interval of minima."""


class _Loss(NamedTuple):
    """The loss as a function of b: it bends by C_i at the breakpoint y_i − score_i."""

    breaks: np.ndarray
    y: np.ndarray
    cap: np.ndarray


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _slope(loss: _Loss, b: float) -> float:
    """Return the slope of the loss just left of b."""
    breaks, y, cap = loss
    slope = 0.0
    for i in range(len(y)):
        # A positive costs until b reaches its breakpoint, a negative from there on.
        slope -= cap[i] if y[i] > 0 and breaks[i] >= b else 0.0
        slope += cap[i] if y[i] < 0 and breaks[i] < b else 0.0
    return slope


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _last_break(loss: _Loss, level: float) -> float:
    """Return the largest breakpoint with a slope of at most `level` on its left; the smallest one if none has."""
    breaks = loss.breaks
    low, high = breaks[0], breaks[0]
    for i in range(len(breaks)):
        low, high = min(low, breaks[i]), max(high, breaks[i])
    last = low
    if _slope(loss, high) <= level:
        return high
    # The slope never falls as b grows, so bisection ends at two neighbouring floats.
    while low < 0.5 * (low + high) < high:
        middle = 0.5 * (low + high)
        if _slope(loss, middle) <= level:
            low = middle
        else:
            high = middle
    for i in range(len(breaks)):
        last = max(last, breaks[i]) if breaks[i] <= low else last
    return last


@numba.njit(cache=True, nogil=True, error_model="numpy")
def best_bias(scores: np.ndarray, y: np.ndarray, cap: np.ndarray) -> float:
    """Return the b that minimises Σ C_i max(0, 1 − y_i (score_i + b)); the middle where an interval does."""
    breaks, tiny = np.empty(len(y)), 0.0
    for i in range(len(y)):
        breaks[i] = y[i] - scores[i]
        tiny += LEVEL * cap[i]
    loss = _Loss(breaks, y, cap)
    return 0.5 * (_last_break(loss, -tiny) + _last_break(loss, tiny))
