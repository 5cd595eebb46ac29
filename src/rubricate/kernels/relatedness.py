"""Cosines of all pairs of documents, without holding them.

Given  unit vectors row-wise (starts, terms, weights) and the same matrix term-wise (starts, documents, weights).
Return a histogram of the cosines of all ordered pairs of different documents that share a term, or those pairs.
Cost   the sum over terms of their squared document frequency.
Edges  the bin of a cosine is ⌊bins · cosine⌋, a cosine that rounding took just below the edge of a bin counted as on
       it (within 1e-9); the last bin is for identical directions. Pairs that share no term are in no bin.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["cosine_histogram", "related_pairs"]

SLACK = 1e-9


@numba.njit(cache=True, nogil=True)
def _bins_of(
    x: int,
    starts: np.ndarray,
    terms: np.ndarray,
    weights: np.ndarray,
    term_starts: np.ndarray,
    term_documents: np.ndarray,
    term_weights: np.ndarray,
    bins: int,
    sums: np.ndarray,
) -> np.ndarray:
    """The bin of every document's cosine with document x, -1 where they share no term and for x itself."""
    sums[:] = 0.0
    for i in range(starts[x], starts[x + 1]):
        weight = weights[i]
        for j in range(term_starts[terms[i]], term_starts[terms[i] + 1]):
            sums[np.uint64(term_documents[j])] += weight * term_weights[j]
    found = np.full(len(sums), -1, np.int32)
    for y in range(len(sums)):
        if sums[y] > 0.0:
            found[y] = min(bins, int(sums[y] * bins + SLACK))
    found[x] = -1
    return found


@numba.njit(cache=True, nogil=True)
def cosine_histogram(
    starts: np.ndarray,
    terms: np.ndarray,
    weights: np.ndarray,
    term_starts: np.ndarray,
    term_documents: np.ndarray,
    term_weights: np.ndarray,
    bins: int,
) -> np.ndarray:
    """How many ordered pairs have their cosine in each of bins + 1 bins."""
    documents = len(starts) - 1
    histogram, sums = np.zeros(bins + 1, np.int64), np.zeros(documents)
    for x in range(documents):
        for b in _bins_of(x, starts, terms, weights, term_starts, term_documents, term_weights, bins, sums):
            if b >= 0:
                histogram[b] += 1
    return histogram


@numba.njit(cache=True, nogil=True)
def related_pairs(
    starts: np.ndarray,
    terms: np.ndarray,
    weights: np.ndarray,
    term_starts: np.ndarray,
    term_documents: np.ndarray,
    term_weights: np.ndarray,
    least: int,
    bins: int,
    pairs: int,
) -> np.ndarray:
    """The ordered pairs (rows) whose bin is at least `least`; `pairs` is how many there are."""
    documents = len(starts) - 1
    found, sums, k = np.empty((pairs, 2), np.int64), np.zeros(documents), 0
    for x in range(documents):
        bins_of = _bins_of(x, starts, terms, weights, term_starts, term_documents, term_weights, bins, sums)
        for y in range(documents):
            if bins_of[y] >= least:
                found[k, 0], found[k, 1] = x, y
                k += 1
    return found
