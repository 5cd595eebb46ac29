"""Rows of a sparse matrix: their largest and mean values, their lengths made one.

Given  where each row starts, and the stored values.
Return one number per row; `unit_values` new values, from the first row to the last; or nothing: `make_unit` changes the
       values in place.
Cost   one to three passes, values summed from left to right.
Edges  an empty row has 0; a row of zeros stays as it is. In `unit_values` no square overflows or vanishes, since each
       row is first divided by its largest magnitude.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from rubricate.kernels.wrappers import FROM_PYTHON
from rubricate.native.sparse import Lists, Rows

__all__ = ["ZERO", "Lists", "Rows", "largest", "make_unit", "mean", "unit_values"]

ZERO: Any = np.int64(0)
"""Where a count starts that is handed to a function: for a plain 0, a type of its own, it would be compiled again."""


@numba.njit(cache=True, nogil=True)
def largest(starts: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the largest stored value of each row; values must not be negative."""
    result = np.zeros(len(starts) - 1)
    for row in range(len(result)):
        for i in range(starts[row], starts[row + 1]):
            result[row] = max(result[row], values[i])
    return result


@numba.njit(cache=True, nogil=True)
def mean(starts: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the mean of the stored values of each row."""
    result = np.zeros(len(starts) - 1)
    for row in range(len(result)):
        for i in range(starts[row], starts[row + 1]):
            result[row] += values[i]
        result[row] /= max(1, starts[row + 1] - starts[row])
    return result


@numba.njit(cache=True, nogil=True, **FROM_PYTHON)
def make_unit(starts: np.ndarray, values: np.ndarray) -> None:
    """Divide each row by √Σ v²."""
    for row in range(len(starts) - 1):
        square = 0.0
        for i in range(starts[row], starts[row + 1]):
            square += values[i] * values[i]
        length = np.sqrt(square)
        if length > 0.0:
            for i in range(starts[row], starts[row + 1]):
                values[i] /= length


@numba.njit(cache=True, nogil=True)
def unit_values(starts: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the values of the rows, x = v / max |v| divided by √Σ x²."""
    unit = values[starts[0] : starts[-1]].copy()
    for row in range(len(starts) - 1):
        own = unit[starts[row] - starts[0] : starts[row + 1] - starts[0]]
        top, square = 0.0, 0.0
        for value in own:
            top = max(top, abs(value))
        if top > 0.0:
            for i in range(len(own)):
                own[i] /= top
                square += own[i] * own[i]
            length = np.sqrt(square)
            for i in range(len(own)):
                own[i] /= length
    return unit
