"""Documents that look alike to both systems are drawn together.

Two documents that add the same to every sum have the same effect in every resampling. A draw of documents is
therefore a draw of how many there are of each pattern: binomial for swaps, multinomial for bootstraps. The
distribution is the same, the cost follows the patterns and not the documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from rubricate.types import Floats, Ints, Sparse

__all__ = ["Patterns", "chunks", "patterns"]

_CELLS = 4_000_000


class Patterns(NamedTuple):
    """How many documents have each pattern, and what one of them adds to each sum (patterns × columns)."""

    sizes: Ints
    adds: tuple[Floats | Sparse, ...]

    def sums(self, drawn: Ints) -> list[Floats]:
        """Sum draws × patterns: one matrix draws × columns for each sum."""
        return [np.asarray(drawn @ add, np.float64) for add in self.adds]

    @property
    def columns(self) -> int:
        """Return one, or the number of categories."""
        return int(self.adds[0].shape[1])


def patterns(codes: Sparse, adds: Sequence[Ints], *, by_category: bool) -> Patterns:
    """Group the rows of `codes` by pattern; a cell of code k adds `adds[i][k]` to the i-th sum.

    With `by_category` there is a sum for each category and rows are alike when all their cells are; without, one
    sum for all categories, and rows are alike when they add the same. Free of the order of the documents.
    """
    parts = [sparse.csr_array((add[codes.data], codes.indices, codes.indptr), shape=codes.shape) for add in adds]
    if by_category:
        first, sizes = _alike(codes)
        return Patterns(sizes, tuple(part[first].astype(np.float64) for part in parts))
    sums = np.column_stack([np.asarray(part.sum(axis=1), np.int64) for part in parts])
    rows, sizes = np.unique(sums, axis=0, return_counts=True)
    return Patterns(sizes.astype(np.int64), tuple(rows[:, i : i + 1].astype(np.float64) for i in range(len(adds))))


def _alike(codes: Sparse) -> tuple[Ints, Ints]:
    """Return one row of each pattern and how many rows have it.

    Rows are grouped by two sums of 64-bit random numbers and every row is then compared with the one that stands
    for it; should a fingerprint ever deceive, no rows are grouped. Cost: stored entries + documents·log documents.
    """
    marks = np.column_stack([_fingerprints(codes, seed) for seed in (1999, 2000)])
    _, first, group, sizes = np.unique(marks, axis=0, return_index=True, return_inverse=True, return_counts=True)
    if (codes[first][group.ravel()] != codes).nnz:
        return np.arange(codes.shape[0]), np.ones(codes.shape[0], np.int64)
    return first, sizes.astype(np.int64)


def _fingerprints(codes: Sparse, seed: int) -> Ints:
    numbers = np.random.default_rng(seed).integers(-(2**62), 2**62, size=(8, codes.shape[1]), dtype=np.int64)
    sums = np.zeros(codes.nnz + 1, np.int64)
    np.cumsum(numbers[codes.data, codes.indices], out=sums[1:])
    return sums[codes.indptr[1:]] - sums[codes.indptr[:-1]]


def chunks(grouped: Patterns, samples: int) -> Iterator[int]:
    """Return the numbers of draws to make at a time, so that their tables stay near 32 MB each."""
    step = max(1, _CELLS // (len(grouped.sizes) + grouped.columns))
    return (min(step, samples - start) for start in range(0, samples, step))
