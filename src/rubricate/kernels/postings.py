"""The k documents most similar to each query, over postings.

Problem  sim(q, d) = Σ_t q_t d_t over the terms of the query; find the k documents of largest sim.
Given    queries by row (`starts`, `terms`, `values`), and for each term its postings: the documents that hold it,
         ascending, and its weight there (`post_starts`, `post_documents`, `post_weights`); documents in all; k.
         Terms and documents are uint32, so that no index can be negative and none is checked for it.
Return   (documents, similarities), queries × k, best first; k must not exceed the number of documents.
Cost     one multiplication and addition a posting of the query's terms; then either two looks at each document (in
         vector registers) or, where the postings are fewer than an eighth of the documents, one at those touched
         only. Memory: one number a document.
Ties     equal similarities go to the document of smaller number.
Edges    weights may be negative. A document that shares no term has similarity 0, which is better than a negative one.
Exact    the sum of each document runs over the terms in the query's order, so equal documents get equal sums, and a
         query gets the same answer alone as among others.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from rubricate.kernels.best import offer, ranked, worse

__all__ = ["nearest_by_postings"]

CHUNK = 128
"""Documents that are compared at once with the bar."""
GROUPS = 4
"""Groups for each of the k, whose peaks set the bar."""
HALVINGS = 12
"""Steps of the search for the bar between the least and the highest peak."""
FEW = 8
"""Postings are few where so many times their number is less than the number of documents."""


@numba.njit(cache=True, nogil=True)
def _reach(values: np.ndarray, bar: float) -> int:
    """How many values reach the bar."""
    count = 0
    for i in range(len(values)):
        count += values[i] >= bar
    return count


@numba.njit(cache=True, nogil=True)
def _bar(sums: np.ndarray, peaks: np.ndarray, k: int) -> float:
    """A number that k sums or more reach, and few besides: as many peaks of groups, d modulo their number, reach it."""
    groups = len(peaks)
    if groups > len(sums):
        return -np.inf
    peaks[:] = -np.inf
    for start in range(0, len(sums) - groups + 1, groups):
        part = sums[start : start + groups]
        for g in range(groups):
            peaks[g] = part[g] if part[g] > peaks[g] else peaks[g]
    low, high = np.inf, -np.inf
    for peak in peaks:
        low, high = min(low, peak), max(high, peak)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if _reach(peaks, middle) >= k:
            low = middle
        else:
            high = middle
    return low


@numba.njit(cache=True, nogil=True)
def _choose(sums: np.ndarray, bar: float, near: np.ndarray, found: np.ndarray) -> None:
    """The best of all documents; a chunk that does not reach the bar is passed over. Cleans up behind itself."""
    kept: Any = np.int64(0)  # no literal: one compilation of `offer` serves
    for start in range(0, len(sums), CHUNK):
        chunk = sums[start : start + CHUNK]
        if _reach(chunk, bar) > 0:
            for i in range(len(chunk)):
                if chunk[i] >= bar:
                    kept = offer(chunk[i], start + i, kept, near, found)
            if kept == len(near):
                bar = near[0]
        chunk[:] = 0.0


@numba.njit(cache=True, nogil=True)
def _touch(holders: np.ndarray, seen: np.ndarray, touched: np.ndarray, count: int) -> int:
    """List the documents that were not seen before; the new length of the list."""
    for d in holders:
        if not seen[d]:
            seen[d], touched[count] = True, d
            count += 1
    return count


@numba.njit(cache=True, nogil=True)
def _choose_touched(
    sums: np.ndarray, touched: np.ndarray, seen: np.ndarray, near: np.ndarray, found: np.ndarray
) -> None:
    """The best of the documents touched and of the first k others, whose sum is 0; cleans up behind itself."""
    kept: Any = np.int64(0)
    for d in touched:
        kept = offer(sums[d], d, kept, near, found)
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
    touched, peaks = np.empty(documents // FEW + 1, np.int64), np.empty(GROUPS * k)
    for q in range(queries):
        reach = 0
        for i in range(starts[q], starts[q + 1]):
            reach += post_starts[terms[i] + 1] - post_starts[terms[i]]
        few = FEW * reach < documents
        count: Any = np.int64(0)
        for i in range(starts[q], starts[q + 1]):
            begin, end = post_starts[terms[i]], post_starts[terms[i] + 1]
            holders, weights, x = post_documents[begin:end], post_weights[begin:end], values[i]
            for j in range(len(holders)):
                sums[holders[j]] += x * weights[j]
            if few:
                count = _touch(holders, seen, touched, count)
        if few:
            _choose_touched(sums, touched[:count], seen, near[q], found[q])
        else:
            _choose(sums, _bar(sums, peaks, k), near[q], found[q])
        ranked(k, near[q], found[q])
    return found, near
