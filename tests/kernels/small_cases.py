"""Small random matrices in the form that kernels take, made quickly: soaking tries a hundred thousand."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rubricate.kernels.rows import Lists, Rows

__all__ = ["SEEDS", "TALLY", "count_cases", "lists_of", "rows_of"]

SEEDS = st.integers(0, 2**32 - 1)
TALLY = [1]
"""How many cases the last run of a property was."""


def count_cases(number: int) -> None:
    """Say that one run of a property compared so many results of a kernel, each from a computation of its own."""
    TALLY[0] = number


def lists_of(present: np.ndarray, starts: type = np.int32, items: type = np.int32) -> Lists:
    """Return the columns of the true cells of each row."""
    ends = np.zeros(len(present) + 1, starts)
    np.cumsum(present.sum(axis=1), out=ends[1:])
    return Lists(ends, np.nonzero(present)[1].astype(items))


def rows_of(values: np.ndarray, present: np.ndarray, starts: type = np.int32, terms: type = np.int32) -> Rows:
    """Return the stored cells of each row: those that are present."""
    lists = lists_of(present, starts, terms)
    return Rows(lists.starts, lists.items, values[present])
