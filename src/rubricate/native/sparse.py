"""Sparse matrices in the form that compiled loops take, and loops over their rows (native/sparse.c)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rubricate.native.library import core

__all__ = ["Lists", "Rows", "check_lists", "check_starts", "largest", "make_unit", "mean", "unit_values"]


class Rows(NamedTuple):
    """A sparse matrix in CSR form: row i holds positions starts[i] to starts[i + 1] − 1."""

    starts: np.ndarray
    terms: np.ndarray
    values: np.ndarray

    @property
    def length(self) -> int:
        """Return the number of rows."""
        return len(self.starts) - 1


class Lists(NamedTuple):
    """Lists of whole numbers end to end: list i holds items[starts[i] : starts[i + 1]]."""

    starts: np.ndarray
    items: np.ndarray

    @property
    def length(self) -> int:
        """Return the number of lists."""
        return len(self.starts) - 1


def check_starts(starts: np.ndarray, length: int) -> np.ndarray:
    """Return where rows start, in 64 bits; raise ValueError if one is out of order or outside of `length` values."""
    starts = np.ascontiguousarray(starts, np.int64)
    if not len(starts) or starts[0] < 0 or starts[-1] > length or (starts[1:] < starts[:-1]).any():
        raise ValueError(f"row starts must ascend from 0 or more to at most {length}")
    return starts


def check_lists(lists: Lists, limit: int) -> Lists:
    """Return lists with 64-bit starts; raise ValueError for starts out of order, or numbers not from 0 to limit − 1."""
    # As unsigned numbers the negative ones are the largest, so that one pass finds both kinds.
    items = lists.items.view(np.uint32) if lists.items.dtype == np.int32 else lists.items
    if len(items) and int(items.max()) >= limit:
        raise ValueError(f"numbers must be from 0 to {limit - 1}, got {lists.items.min()} to {lists.items.max()}")
    return Lists(check_starts(lists.starts, len(items)), lists.items)


def largest(starts: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the largest stored value of each row, 0 for an empty one; values must not be negative."""
    starts, result = check_starts(starts, len(values)), np.empty(len(starts) - 1)
    core.rb_row_maxima(starts, len(result), values, result)
    return result


def mean(starts: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the mean of the stored values of each row, 0 for an empty one."""
    starts, result = check_starts(starts, len(values)), np.empty(len(starts) - 1)
    core.rb_row_means(starts, len(result), values, result)
    return result


def make_unit(starts: np.ndarray, values: np.ndarray) -> None:
    """Divide each row by √Σ v², in place; a row of zeros stays."""
    core.rb_make_unit(check_starts(starts, len(values)), len(starts) - 1, False, values)


def unit_values(starts: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the values of the rows, x = v / max |v| divided by √Σ x²: no square overflows or vanishes."""
    starts = check_starts(starts, len(values))
    unit = values[starts[0] : starts[-1]].copy()
    core.rb_make_unit(starts - starts[0], len(starts) - 1, True, unit)
    return unit
