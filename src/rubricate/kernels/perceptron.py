"""One perceptron: a linear unit that is moved by the documents it gets wrong.

Problem  find w, b with y (w·x + b) > margin for as many documents as possible, y = ±1. Documents are visited in given
         orders; one with y (w·x + b) <= margin moves w by v y x and b by v y, v its weight.        rosenblatt1958
Given    documents as rows (starts, columns, values), targets, weights, orders (passes × documents), margin, and
         which weights to keep: LAST, those after the last pass; AVERAGE, the mean of those after every document of
         every pass (freund1999, the averaged form of its voted perceptron); POCKET, those with the least weight of
         errors, y (w·x + b) <= 0, after any pass (gallant1990, with a look after each pass instead of each document).
Return   w and b, and the number of passes made: training ends with a pass that moved nothing.
Cost     passes × stored values; AVERAGE adds one number per term, POCKET a second look at every document in each pass.
Ties     of equal errors the earlier pass.
Edges    without documents, w and b are 0; a document of weight 0 moves nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Rows

__all__ = ["AVERAGE", "LAST", "POCKET", "PerceptronRule", "SignedDocuments", "narrow", "train"]

LAST, AVERAGE, POCKET = 0, 1, 2


class SignedDocuments(NamedTuple):
    """Documents with targets ±1 and weights, and the order of each pass (passes × documents)."""

    rows: Rows
    targets: np.ndarray
    weights: np.ndarray
    orders: np.ndarray


class PerceptronRule(NamedTuple):
    """The margin below which a document moves the weights, and which weights to keep."""

    margin: float
    kept: int


@numba.njit(cache=True, nogil=True)
def narrow(rows: Rows, place: np.ndarray) -> Rows:
    """Return the rows with only the columns that have a place (>= 0), which becomes their number."""
    kept = 0
    for i in range(len(rows.terms)):
        kept += place[rows.terms[i]] >= 0
    starts, terms, values = np.zeros(len(rows.starts), np.int64), np.empty(kept, np.int32), np.empty(kept)
    at = 0
    for row in range(len(starts) - 1):
        for i in range(rows.starts[row], rows.starts[row + 1]):
            if place[rows.terms[i]] >= 0:
                terms[at], values[at] = place[rows.terms[i]], rows.values[i]
                at += 1
        starts[row + 1] = at
    return Rows(starts, terms, values)


@numba.njit(cache=True, nogil=True)
def _output(rows: Rows, row: int, w: np.ndarray) -> float:
    """Return w·x + b; b is the last number of w."""
    u = w[-1]
    for i in range(rows.starts[row], rows.starts[row + 1]):
        u += w[rows.terms[i]] * rows.values[i]
    return u


@numba.njit(cache=True, nogil=True)
def _move(w: np.ndarray, rows: Rows, row: int, step: float) -> None:
    for i in range(rows.starts[row], rows.starts[row + 1]):
        w[rows.terms[i]] += step * rows.values[i]
    w[-1] += step


@numba.njit(cache=True, nogil=True)
def _errors(examples: SignedDocuments, w: np.ndarray) -> float:
    wrong = 0.0
    for row in range(len(examples.targets)):
        if examples.targets[row] * _output(examples.rows, row, w) <= 0.0:
            wrong += examples.weights[row]
    return wrong


@numba.njit(cache=True, nogil=True)
def train(examples: SignedDocuments, size: int, rule: PerceptronRule) -> tuple[np.ndarray, int]:
    """Return w with b behind it, and the number of passes made."""
    rows, targets, weights, orders = examples
    margin, kept = rule
    # The mean of the weights after every document is w − late / time, `late` the sum of step × time of the step:
    # so a document that moves nothing costs nothing.
    w, late, best = np.zeros(size + 1), np.zeros(size + 1), np.zeros(size + 1)
    least, time, passes = np.inf, 0.0, 0
    for order in orders:
        moved = False
        for row in order:
            if targets[row] * _output(rows, row, w) <= margin and weights[row] > 0.0:
                moved = True
                step = weights[row] * targets[row]
                _move(w, rows, row, step)
                if kept == AVERAGE:
                    _move(late, rows, row, step * time)
            time += 1.0
        passes += 1
        if kept == POCKET:
            wrong = _errors(examples, w)
            if wrong < least:
                least, best = wrong, w.copy()
        if not moved:
            break
    if kept == AVERAGE and time > 0.0:
        return w - late / time, passes
    return (best if kept == POCKET else w), passes
