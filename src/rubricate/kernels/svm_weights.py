"""The weights of linear SVMs from their dual variables: w_c = Σ_i β_ic x_i.

Given  the documents and β as `Rows` in CSR form.
Return w, added to a dense array, or in CSR form.
Cost   stored values of the documents × categories that each of them supports; twice that where w is sparse.
Ties   documents are added in their order, so that the sums do not depend on the way.
Edge   documents that support nothing cost nothing.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.rows import Rows
from rubricate.kernels.wrappers import FROM_PYTHON

__all__ = ["sparse_weight_vectors", "weight_vectors"]

ONE = np.uint64(1)


@numba.njit(cache=True, nogil=True, error_model="numpy", **FROM_PYTHON)
def weight_vectors(rows: Rows, beta: Rows, first: int, last: int, W: np.ndarray) -> None:
    """Add Σ_i β_ic x_it to W[t, c] (terms × categories) for the terms from `first` to `last` − 1.

    The terms of a row must ascend; β is documents × categories, in CSR form too. Threads may share W by its terms: no
    two of them then write to the same line of the cache, as they would if they shared it by categories.
    """
    starts, terms, values = rows
    support, categories, factors = beta
    # Unsigned, so that no index is tried for a negative one: it takes a quarter of the time.
    for i in range(np.uint64(len(starts) - 1)):
        begin, stop = np.uint64(support[i]), np.uint64(support[i + ONE])
        p, end = np.uint64(starts[i]), np.uint64(starts[i + ONE]) if begin < stop else np.uint64(0)
        while p < end and terms[p] < first:
            p += ONE
        while p < end and terms[p] < last:
            weights, value = W[np.uint64(terms[p])], values[p]
            for k in range(begin, stop):
                weights[np.uint64(categories[k])] += factors[k] * value
            p += ONE


@numba.njit(cache=True, nogil=True, error_model="numpy")
def sparse_weight_vectors(rows: Rows, beta: Rows, features: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return Σ_i β_ci x_i of every category in CSR form: starts, terms in the order of their first document, weights.

    β is categories × documents.
    """
    starts, terms, values = rows
    support, documents, factors = beta
    count = len(support) - 1
    # Where a term stands in the row of the category under way, plus one; what is not beyond `ends[c]` is of another.
    place, ends = np.zeros(features, np.int64), np.zeros(count + 1, np.int64)
    for c in range(count):
        ends[c + 1] = ends[c]
        for k in range(support[c], support[c + 1]):
            i = np.uint64(documents[k])
            for p in range(np.uint64(starts[i]), np.uint64(starts[i + ONE])):
                t = np.uint64(terms[p])
                if place[t] <= ends[c]:
                    ends[c + 1] += 1
                    place[t] = ends[c + 1]
    own, weights, filled = np.empty(ends[-1], np.int32), np.zeros(ends[-1]), 0
    place[:] = 0
    for c in range(count):
        for k in range(support[c], support[c + 1]):
            i, factor = np.uint64(documents[k]), factors[k]
            for p in range(np.uint64(starts[i]), np.uint64(starts[i + ONE])):
                t = np.uint64(terms[p])
                if place[t] <= ends[c]:
                    own[filled] = terms[p]
                    filled += 1
                    place[t] = filled
                weights[np.uint64(place[t] - 1)] += factor * values[p]
    return ends, own, weights
