"""Cosines of all pairs of documents, without holding them.

Given  unit vectors by row, the same matrix by term, and the number of bins.
Return a histogram of the cosines of all ordered pairs of different documents that share a term, or those pairs.
Cost   the sum over terms of their squared document frequency.
Edges  the bin of a cosine is ⌊bins · cosine⌋, a cosine that rounding took just below the edge of a bin counted as on
       it (within 1e-9); the last bin is for identical directions. Pairs that share no term are in no bin.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Rows

__all__ = ["CosineComparison", "cosine_histogram", "related_pairs"]


class CosineComparison(NamedTuple):
    """Unit vectors by row and by term (whose `terms` are documents), and how many bins cosines fall into."""

    rows: Rows
    posts: Rows
    bins: int


SLACK = 1e-9
"""Bins by which a cosine may lie below an edge and still count as on it: well above rounding, below any distance."""


@numba.njit(cache=True, nogil=True)
def _bins_of(comparison: CosineComparison, x: int, sums: np.ndarray) -> np.ndarray:
    """Return the bin of every document's cosine with document x, −1 where they share no term and for x itself."""
    rows, posts, bins = comparison
    sums[:] = 0.0
    for i in range(rows.starts[x], rows.starts[x + 1]):
        term, weight = rows.terms[i], rows.values[i]
        # An unsigned index spares the check for negative ones, in the loop where all time is spent.
        for j in range(posts.starts[term], posts.starts[term + 1]):
            sums[np.uint64(posts.terms[j])] += weight * posts.values[j]
    bin_of = np.full(len(sums), -1, np.int32)
    for y in range(len(sums)):
        if sums[y] > 0.0:
            bin_of[y] = min(bins, int(sums[y] * bins + SLACK))
    bin_of[x] = -1
    return bin_of


@numba.njit(cache=True, nogil=True)
def cosine_histogram(comparison: CosineComparison) -> np.ndarray:
    """Count the ordered pairs with their cosine in each of bins + 1 bins."""
    documents = len(comparison.rows.starts) - 1
    histogram, sums = np.zeros(comparison.bins + 1, np.int64), np.zeros(documents)
    for x in range(documents):
        for b in _bins_of(comparison, x, sums):
            if b >= 0:
                histogram[b] += 1
    return histogram


@numba.njit(cache=True, nogil=True)
def related_pairs(comparison: CosineComparison, least: int, count: int) -> np.ndarray:
    """Return the ordered pairs (rows) whose bin is at least `least`; `count` is how many there are."""
    documents = len(comparison.rows.starts) - 1
    pairs, sums, k = np.empty((count, 2), np.int64), np.zeros(documents), 0
    for x in range(documents):
        bin_of = _bins_of(comparison, x, sums)
        # `count` comes from the histogram: the rows are filled exactly, and nothing grows.
        for y in range(documents):
            if bin_of[y] >= least:
                pairs[k, 0], pairs[k, 1] = x, y
                k += 1
    return pairs
