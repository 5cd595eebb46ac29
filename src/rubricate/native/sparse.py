"""Sparse matrices in the form that compiled loops take."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["Lists", "Rows"]


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
