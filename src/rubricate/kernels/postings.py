"""The k documents most similar to each query, over postings.

Problem  sim(q, d) = Σ_t q_t d_t over the terms of the query; find the k documents of largest sim.
Given    queries by row (`starts`, `terms`, `values`), and for each term its postings: the documents that hold it,
         ascending, and its weight there (`post_starts`, `post_documents`, `post_weights`); documents in all; k.
         Terms and documents are uint32, so that no index can be negative and none is checked for it.
Return   (documents, similarities), queries × k, best first; k must not exceed the number of documents.
Cost     one multiplication and addition a posting of the query's terms; then either one look at each document (eight
         at a time in vector registers) or, where the postings are fewer than an eighth of the documents, at those
         touched only. Memory: one number a document.
Ties     equal similarities go to the document of smaller number.
Edges    weights may be negative. A document that shares no term has similarity 0, which is better than a negative one.
Exact    the sum of each document runs over the terms in the query's order, so equal documents get equal sums, and a
         query gets the same answer alone as among others.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.best import offer, ranked, worse

__all__ = ["nearest_by_postings"]

CHUNK = 128
"""Documents that are compared at once with the worst of the best."""
FEW = 8
"""Postings are few where so many times their number is less than the number of documents."""


@numba.njit(cache=True, nogil=True)
def _choose(sums: np.ndarray, near: np.ndarray, found: np.ndarray) -> None:
    """The best of all documents. A chunk without a sum above the worst of the best is passed over."""
    documents, k = len(sums), len(near)
    kept = 0
    for d in range(k):
        kept = offer(sums[d], d, kept, near, found)
    for start in range(k, documents, CHUNK):
        chunk = sums[start : start + CHUNK]
        bar, above = near[0], 0
        for value in chunk:
            above += value > bar
        if above == 0:
            continue
        for i in range(len(chunk)):
            if chunk[i] > near[0]:
                offer(chunk[i], start + i, kept, near, found)


@numba.njit(cache=True, nogil=True)
def _choose_touched(
    sums: np.ndarray, touched: np.ndarray, seen: np.ndarray, near: np.ndarray, found: np.ndarray
) -> None:
    """The best of the documents touched and of the first k others, whose sum is 0; cleans up behind itself."""
    kept = 0
    for d in touched:
        kept = offer(sums[d], int(d), kept, near, found)
    for d in range(len(sums)):
        if kept == len(near) and not worse(near[0], found[0], 0.0, d):
            break
        if not seen[d]:
            kept = offer(0.0, d, kept, near, found)
    for d in touched:
        sums[d], seen[d] = 0.0, False


@numba.njit(cache=True, nogil=True)
def nearest_by_postings(
    starts: np.ndarray,
    terms: np.ndarray,
    values: np.ndarray,
    post_starts: np.ndarray,
    post_documents: np.ndarray,
    post_weights: np.ndarray,
    documents: int,
    k: int,
) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest documents of each query and their similarities."""
    queries = len(starts) - 1
    found, near = np.empty((queries, k), np.int64), np.empty((queries, k))
    sums, seen = np.zeros(documents), np.zeros(documents, np.bool_)
    touched = np.empty(documents // FEW + 1, np.uint32)
    for q in range(queries):
        reach = 0
        for i in range(starts[q], starts[q + 1]):
            reach += post_starts[terms[i] + 1] - post_starts[terms[i]]
        few = FEW * reach < documents
        count = 0
        for i in range(starts[q], starts[q + 1]):
            begin, end = post_starts[terms[i]], post_starts[terms[i] + 1]
            holders, weights, x = post_documents[begin:end], post_weights[begin:end], values[i]
            for j in range(len(holders)):
                sums[holders[j]] += x * weights[j]
            if few:
                for d in holders:
                    if not seen[d]:
                        seen[d] = True
                        touched[count] = d
                        count += 1
        if few:
            _choose_touched(sums, touched[:count], seen, near[q], found[q])
        else:
            _choose(sums, near[q], found[q])
            sums[:] = 0.0
        ranked(k, near[q], found[q])
    return found, near
