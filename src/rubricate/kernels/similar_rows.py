"""The k rows most similar to each dense query: an estimate in single precision, made exact.

Problem  sim(q, d) = Σ_i q_i d_i over all d; find the k of largest sim.
Given    `estimates`, queries × documents in float32, none further from its sim than `error`; the vectors in float64; k.
Return   (documents, similarities), queries × k, best first; k must not exceed the number of documents.
Cost     one comparison per estimate, and one inner product for each document whose estimate is within 2 · error of the
         k-th best: no other can be among the best.
Ties     equal similarities go to the document of smaller number.
Exact    inner products are summed in one fixed order, so the answer depends neither on how the estimates were made
         nor on which queries came together.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from rubricate.kernels.best import offer, ranked

__all__ = ["Estimated", "nearest_rows"]


class Estimated(NamedTuple):
    """Queries with an estimate of their similarity to each document, off by `error` at most."""

    estimates: np.ndarray
    error: float
    queries: np.ndarray


@numba.njit(cache=True, nogil=True)
def _inner(a: np.ndarray, b: np.ndarray) -> float:
    """Return Σ a_i b_i in four partial sums, which run side by side."""
    even = len(a) - len(a) % 4
    s, t, u, v = 0.0, 0.0, 0.0, 0.0
    for i in range(0, even, 4):
        s += a[i] * b[i]
        t += a[i + 1] * b[i + 1]
        u += a[i + 2] * b[i + 2]
        v += a[i + 3] * b[i + 3]
    for i in range(even, len(a)):
        s += a[i] * b[i]
    return (s + t) + (u + v)


@numba.njit(cache=True, nogil=True)
def nearest_rows(estimated: Estimated, vectors: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the k nearest rows of each query and their similarities."""
    estimates, error, queries = estimated
    rows, documents = estimates.shape
    nearest, near = np.empty((rows, k), np.int64), np.empty((rows, k))
    for q in range(rows):
        kept: Any = np.int64(0)  # no literal: one compilation of `offer` serves
        for d in range(documents):
            if kept < k or estimates[q, d] > near[q, 0]:
                kept = offer(np.float64(estimates[q, d]), d, kept, near[q], nearest[q])
        # The k-th best sim is at least the k-th best estimate − error; below that by a further error nothing qualifies.
        least = near[q, 0] - 2 * error
        kept = np.int64(0)
        for d in range(documents):
            if estimates[q, d] >= least:
                kept = offer(_inner(queries[q], vectors[d]), d, kept, near[q], nearest[q])
        ranked(k, near[q], nearest[q])
    return nearest, near
