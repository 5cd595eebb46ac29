"""One perceptron: a linear unit that is moved by the documents it gets wrong.

Problem  find w, b with y (w·x + b) > margin for as many documents as possible, y = ±1. Documents are visited in given
         orders; one with y (w·x + b) <= margin moves w by v y x and b by v y, v its weight.        rosenblatt1958
Given    documents as rows (starts, columns, values), targets, weights, orders (passes × documents), margin, and
         which weights to keep: LAST, those after the last pass; AVERAGE, the mean of those after every document of
         every pass (freund1999, the averaged form of its voted perceptron); POCKET, those with the least weight of
         errors, y (w·x + b) <= 0, after any pass (gallant1990, with a look after each pass instead of each document).
Return   w and b, and the number of passes made: training ends with a pass that moved nothing.
Cost     passes × stored values; AVERAGE adds a number a term, POCKET a second look at every document a pass.
Ties     of equal errors the earlier pass. Without documents, w and b are 0.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["AVERAGE", "LAST", "POCKET", "narrow", "train"]

LAST, AVERAGE, POCKET = 0, 1, 2


@numba.njit(cache=True, nogil=True)
def narrow(
    starts: np.ndarray, columns: np.ndarray, values: np.ndarray, place: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows with only the columns that have a place (>= 0), which becomes their number."""
    kept = 0
    for i in range(len(columns)):
        kept += place[columns[i]] >= 0
    found_starts, found, data = np.zeros(len(starts), np.int64), np.empty(kept, np.int32), np.empty(kept)
    at = 0
    for row in range(len(starts) - 1):
        for i in range(starts[row], starts[row + 1]):
            if place[columns[i]] >= 0:
                found[at], data[at] = place[columns[i]], values[i]
                at += 1
        found_starts[row + 1] = at
    return found_starts, found, data


@numba.njit(cache=True, nogil=True)
def _output(starts: np.ndarray, columns: np.ndarray, values: np.ndarray, row: int, w: np.ndarray) -> float:
    """w·x + b; b is the last number of w."""
    u = w[-1]
    for i in range(starts[row], starts[row + 1]):
        u += w[columns[i]] * values[i]
    return u


@numba.njit(cache=True, nogil=True)
def _move(starts: np.ndarray, columns: np.ndarray, values: np.ndarray, row: int, step: float, w: np.ndarray) -> None:
    for i in range(starts[row], starts[row + 1]):
        w[columns[i]] += step * values[i]
    w[-1] += step


@numba.njit(cache=True, nogil=True)
def _errors(
    starts: np.ndarray,
    columns: np.ndarray,
    values: np.ndarray,
    targets: np.ndarray,
    weights: np.ndarray,
    w: np.ndarray,
) -> float:
    wrong = 0.0
    for row in range(len(targets)):
        if targets[row] * _output(starts, columns, values, row, w) <= 0.0:
            wrong += weights[row]
    return wrong


@numba.njit(cache=True, nogil=True)
def train(
    starts: np.ndarray,
    columns: np.ndarray,
    values: np.ndarray,
    targets: np.ndarray,
    weights: np.ndarray,
    orders: np.ndarray,
    size: int,
    margin: float,
    kept: int,
) -> tuple[np.ndarray, int]:
    """w with b behind it, and the passes made. `late` gathers step × time, so that the mean is w − late / time."""
    w, late, best = np.zeros(size + 1), np.zeros(size + 1), np.zeros(size + 1)
    least, time, passes = np.inf, 0.0, 0
    for order in orders:
        moved = False
        for row in order:
            if targets[row] * _output(starts, columns, values, row, w) <= margin and weights[row] > 0.0:
                moved = True
                step = weights[row] * targets[row]
                _move(starts, columns, values, row, step, w)
                if kept == AVERAGE:
                    _move(starts, columns, values, row, step * time, late)
            time += 1.0
        passes += 1
        if kept == POCKET:
            wrong = _errors(starts, columns, values, targets, weights, w)
            if wrong < least:
                least, best = wrong, w.copy()
        if not moved:
            break
    if kept == AVERAGE and time > 0.0:
        return w - late / time, passes
    return (best if kept == POCKET else w), passes
