"""Small random matrices in the form that compiled loops take, and a count of the cases that a property compared."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rubricate.native.sparse import Lists, Rows

__all__ = ["SEEDS", "TALLY", "count_cases", "lists_of", "rows_of"]

SEEDS = st.integers(0, 2**32 - 1)
TALLY = [1]
"""How many cases the last example of a property compared."""


def count_cases(number: int) -> None:
    """Note that one example of a property compared this many results of a native function with another computation."""
    TALLY[0] = number


def lists_of(present: np.ndarray) -> Lists:
    """Return the columns of the true cells of each row."""
    ends = np.zeros(len(present) + 1, np.int64)
    np.cumsum(present.sum(axis=1), out=ends[1:])
    return Lists(ends, np.nonzero(present)[1].astype(np.int32))


def rows_of(values: np.ndarray, present: np.ndarray) -> Rows:
    """Return the stored cells of each row: those that are present."""
    lists = lists_of(present)
    return Rows(lists.starts, lists.items, np.ascontiguousarray(values[present], np.float64))
