"""Means of ratios and their standard errors in resamples of the documents, by patterns.

Problem  A macro-average is the mean of ratios R_c = X_c / Y_c of sums over documents (a micro-average has one). Its
         standard error by the infinitesimal jackknife is √Σ_p w_p e_p², where e_p = mean_c (x_pc − R_c·y_pc) / Y_c is
         the influence of a document of pattern p. efron1993, section 12.5 needs it anew in each resample.
Given    what a document of each pattern adds to the numerators (`above`) and denominators (`below`), as sparse rows;
         how often each pattern occurs in each draw (`weights`, patterns × draws); the number of ratios.
Return   the mean ratio and its standard error in each draw. 0/0 counts as 0.
Cost     draws × stored entries, many draws per instruction; memory for ratios × BLOCK.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.rows import Rows
from rubricate.kernels.wrappers import FROM_KERNELS, FROM_PYTHON

__all__ = ["ratio_errors"]

BLOCK = 256
"""Draws at a time: one row of weights and the sums of some ratios then stay in the cache of a core."""


def ratio_errors(above: Rows, below: Rows, weights: np.ndarray, ratios: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean ratio and its standard error in each draw."""
    means, squares = np.zeros(weights.shape[1]), np.zeros(weights.shape[1])
    for start in range(0, weights.shape[1], BLOCK):
        part = np.ascontiguousarray(weights[:, start : start + BLOCK])
        size = part.shape[1]
        room = (np.zeros((ratios, size)), np.zeros((ratios, size)), np.empty(size))
        _add_block((above, below), part, room, (means[start : start + BLOCK], squares[start : start + BLOCK]))
    return means, np.sqrt(squares) / ratios


@numba.njit(cache=True, nogil=True, **FROM_PYTHON)
def _add_block(
    rows: tuple[Rows, Rows],
    weights: np.ndarray,
    room: tuple[np.ndarray, np.ndarray, np.ndarray],
    output: tuple[np.ndarray, np.ndarray],
) -> None:
    """Add the means and the squared errors of a block of draws; `room` is zeros, twice, and for one influence."""
    (top, bottom, influence), (means, squares) = room, output
    _add_sums(rows[0], weights, top)
    _add_sums(rows[1], weights, bottom)
    ratios = len(top)
    for c in range(ratios):
        for b in range(len(means)):
            inverse = 1.0 / bottom[c, b] if bottom[c, b] > 0 else 0.0
            ratio = top[c, b] * inverse
            means[b] += ratio / ratios
            # From here on the sums hold what x and y are multiplied by in the influence of a pattern.
            top[c, b], bottom[c, b] = inverse, ratio * inverse
    for p in range(len(weights)):
        for b in range(len(influence)):
            influence[b] = 0.0
        _add_influence(rows[0], p, top, 1.0, influence)
        _add_influence(rows[1], p, bottom, -1.0, influence)
        for b in range(len(influence)):
            squares[b] += weights[p, b] * influence[b] * influence[b]


@numba.njit(cache=True, nogil=True, **FROM_KERNELS)
def _add_sums(rows: Rows, weights: np.ndarray, sums: np.ndarray) -> None:
    starts, terms, values = rows
    for p in range(len(weights)):
        drawn = weights[p]
        for i in range(starts[p], starts[p + 1]):
            own, value = sums[terms[i]], values[i]
            for b in range(len(own)):
                own[b] += value * drawn[b]


@numba.njit(cache=True, nogil=True, **FROM_KERNELS)
def _add_influence(rows: Rows, p: int, factors: np.ndarray, sign: float, influence: np.ndarray) -> None:
    """Add sign · x_pc · factor_c of all ratios c of a pattern to its influence, in each draw."""
    starts, terms, values = rows
    for i in range(starts[p], starts[p + 1]):
        factor, value = factors[terms[i]], sign * values[i]
        for b in range(len(influence)):
            influence[b] += value * factor[b]
