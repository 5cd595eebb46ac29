"""Rows of a sparse matrix for loops that are still compiled by Numba; new code imports `rubricate.native.sparse`."""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.native.sparse import Lists, Rows, largest, make_unit, mean, unit_values

__all__ = ["ZERO", "Lists", "Rows", "largest", "make_unit", "mean", "unit_values"]

ZERO: Any = np.int64(0)
"""Where a count starts that is handed to a function: for a plain 0, a type of its own, it would be compiled again."""
