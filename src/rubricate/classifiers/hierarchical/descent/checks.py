"""Checks of learned arrays, which may come from a hostile model file."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["check_numbers", "check_slope", "check_values"]


def check_numbers(*arrays: Any) -> None:
    """Raise ValueError where an array that numbers nodes, problems or terms holds anything but whole numbers."""
    for array in arrays:
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "iu" or array.ndim != 1:
            raise ValueError("numbers of nodes, problems or terms must be whole numbers")


def check_values(*arrays: Any) -> None:
    """Raise ValueError where an array of weights, biases or cuts holds anything but finite numbers."""
    for array in arrays:
        if not isinstance(array, np.ndarray) or array.dtype.kind != "f" or not np.isfinite(array).all():
            raise ValueError("weights, biases and cuts must be finite numbers")


def check_slope(slope: float) -> None:
    """Raise ValueError where the slope of chances is not a number above 0."""
    if not 0 < slope < np.inf:
        raise ValueError("the slope of chances must be a number above 0")
