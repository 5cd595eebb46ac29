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

__all__ = ["ratio_errors"]

BLOCK = 256
"""Draws at a time: one row of weights and the sums of some ratios then stay in the cache of a core."""


@numba.njit(cache=True, nogil=True)
def ratio_errors(above: Rows, below: Rows, weights: np.ndarray, ratios: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean ratio and its standard error in each draw."""
    draws = weights.shape[1]
    means, errors = np.zeros(draws), np.zeros(draws)
    for start in range(0, draws, BLOCK):
        part = weights[:, start : start + BLOCK]
        top, bottom = _sums(above, part, ratios), _sums(below, part, ratios)
        for c in range(ratios):
            for b in range(part.shape[1]):
                inverse = 1.0 / bottom[c, b] if bottom[c, b] > 0 else 0.0
                ratio = top[c, b] * inverse
                means[start + b] += ratio / ratios
                # From here on the sums hold what x and y are multiplied by in the influence of a pattern.
                top[c, b], bottom[c, b] = inverse, ratio * inverse
        _add_squares((above, below), (top, bottom), part, errors[start : start + BLOCK])
    return means, np.sqrt(errors) / ratios


@numba.njit(cache=True, nogil=True)
def _sums(rows: Rows, weights: np.ndarray, ratios: int) -> np.ndarray:
    summed = np.zeros((ratios, weights.shape[1]))
    for p in range(len(rows.starts) - 1):
        for i in range(rows.starts[p], rows.starts[p + 1]):
            own, value = summed[rows.terms[i]], rows.values[i]
            for b in range(weights.shape[1]):
                own[b] += value * weights[p, b]
    return summed


@numba.njit(cache=True, nogil=True)
def _add_squares(
    rows: tuple[Rows, Rows], factors: tuple[np.ndarray, np.ndarray], weights: np.ndarray, errors: np.ndarray
) -> None:
    """Add the squared influences of all patterns, as often as they occur, to `errors`."""
    above, below = rows
    influence = np.empty(weights.shape[1])
    for p in range(len(above.starts) - 1):
        influence[:] = 0.0
        for i in range(above.starts[p], above.starts[p + 1]):
            factor, value = factors[0][above.terms[i]], above.values[i]
            for b in range(len(influence)):
                influence[b] += value * factor[b]
        for i in range(below.starts[p], below.starts[p + 1]):
            factor, value = factors[1][below.terms[i]], below.values[i]
            for b in range(len(influence)):
                influence[b] -= value * factor[b]
        for b in range(len(influence)):
            errors[b] += weights[p, b] * influence[b] * influence[b]
