"""Small random matrices in the form that kernels take, made quickly: soaking tries a hundred thousand."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from rubricate.kernels.rows import Lists, Rows

__all__ = ["SEEDS", "lists_of", "rows_of"]

SEEDS = st.integers(0, 2**32 - 1)


def lists_of(present: np.ndarray, starts: type = np.int32, items: type = np.int32) -> Lists:
    """Return the columns of the true cells of each row."""
    ends = np.zeros(len(present) + 1, starts)
    np.cumsum(present.sum(axis=1), out=ends[1:])
    return Lists(ends, np.nonzero(present)[1].astype(items))


def rows_of(values: np.ndarray, present: np.ndarray, starts: type = np.int32, terms: type = np.int32) -> Rows:
    """Return the stored cells of each row: those that are present."""
    lists = lists_of(present, starts, terms)
    return Rows(lists.starts, lists.items, values[present])
