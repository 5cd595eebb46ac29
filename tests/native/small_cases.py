"""Small random matrices in the form that compiled loops take."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from tests.tally import count_cases

from rubricate.native.sparse import Lists, Rows

__all__ = ["SEEDS", "count_cases", "lists_of", "rows_of"]

SEEDS = st.integers(0, 2**32 - 1)


def lists_of(present: np.ndarray) -> Lists:
    """Return the columns of the true cells of each row."""
    ends = np.zeros(len(present) + 1, np.int64)
    np.cumsum(present.sum(axis=1), out=ends[1:])
    return Lists(ends, np.nonzero(present)[1].astype(np.int32))


def rows_of(values: np.ndarray, present: np.ndarray) -> Rows:
    """Return the stored cells of each row: those that are present."""
    lists = lists_of(present)
    return Rows(lists.starts, lists.items, np.ascontiguousarray(values[present], np.float64))
