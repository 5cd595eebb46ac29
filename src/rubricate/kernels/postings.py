"""The k documents most similar to each query, over postings.

Problem  sim(q, d) = Σ_t q_t d_t over the terms of the query; find the k documents of largest sim.
Given    queries by row, and for each term its postings: the documents that hold it, ascending, and its weight there; k.
         Terms and documents are uint32, so that no index can be negative and none is checked for it.
Return   (documents, similarities), queries × k, best first; k must not exceed the number of documents.
Cost     one multiplication and addition per posting of the query's terms; then either two looks at each document (in
         vector registers) or, where the postings are fewer than an eighth of the documents, one at those touched
         only. Memory: one number per document.
Ties     equal similarities go to the document of smaller number.
Edges    weights may be negative. A document that shares no term has similarity 0, which is better than a negative one.
Exact    the sum of each document runs over the terms in the query's order, so equal documents get equal sums, and a
         query gets the same answer alone as among others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from rubricate.kernels.best import offer, ranked, worse
from rubricate.kernels.rows import Rows

__all__ = [
    "CHUNK",
    "GROUPS",
    "PostingLists",
    "bar_reached_by",
    "count_postings",
    "count_reaching",
    "nearest_by_postings",
]

CHUNK = 128
"""Documents that are compared with the bar at once."""
GROUPS = 4
"""Groups for each of the k, whose peaks set the bar."""
HALVINGS = 12
"""Steps of the search for the bar between the least and the highest peak."""
FEW = 8
"""Postings are few if FEW times their number is below the number of documents."""


class PostingLists(NamedTuple):
    """Term t occurs in documents[starts[t] : starts[t + 1]], with these weights; `size` is the number of documents."""

    starts: np.ndarray
    documents: np.ndarray
    weights: np.ndarray
    size: int


@numba.njit(cache=True, nogil=True)
def count_reaching(values: np.ndarray, bar: float) -> int:
    """Count the values that reach the bar."""
    count = 0
    for i in range(len(values)):
        count += values[i] >= bar
    return count


@numba.njit(cache=True, nogil=True)
def bar_reached_by(sums: np.ndarray, peaks: np.ndarray, k: int) -> float:
    """Return a number that at least k sums reach, and few more: at least k peaks of groups (d mod groups) reach it."""
    groups = len(peaks)
    if groups > len(sums):
        return -np.inf
    peaks[:] = -np.inf
    for start in range(0, len(sums) - groups + 1, groups):
        part = sums[start : start + groups]
        for g in range(groups):
            peaks[g] = part[g] if part[g] > peaks[g] else peaks[g]
    # Groups are disjoint, so k peaks that reach a number are k documents that reach it: a lower bound of the k-th best.
    low, high = np.inf, -np.inf
    for peak in peaks:
        low, high = min(low, peak), max(high, peak)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if count_reaching(peaks, middle) >= k:
            low = middle
        else:
            high = middle
    return low


@numba.njit(cache=True, nogil=True)
def _choose(sums: np.ndarray, bar: float, near: np.ndarray, found: np.ndarray) -> None:
    """Keep the best of all documents, skipping chunks that do not reach the bar; set the sums back to 0."""
    kept: Any = np.int64(0)  # no literal: one compilation of `offer` serves
    for start in range(0, len(sums), CHUNK):
        chunk = sums[start : start + CHUNK]
        if count_reaching(chunk, bar) > 0:
            for i in range(len(chunk)):
                if chunk[i] >= bar:
                    kept = offer(chunk[i], start + i, kept, near, found)
            # The heap is full: its worst entry is the new bar. Equal sums of later documents lose, as ties must.
            if kept == len(near):
                bar = near[0]
        chunk[:] = 0.0


@numba.njit(cache=True, nogil=True)
def _touch(holders: np.ndarray, seen: np.ndarray, touched: np.ndarray, count: int) -> int:
    """List the documents that were not seen before; return the new length of the list."""
    for d in holders:
        if not seen[d]:
            seen[d], touched[count] = True, d
            count += 1
    return count


@numba.njit(cache=True, nogil=True)
def _choose_touched(
    sums: np.ndarray, touched: np.ndarray, seen: np.ndarray, near: np.ndarray, found: np.ndarray
) -> None:
    """Keep the best of the documents touched and of the first k others, whose sum is 0; set the sums back to 0."""
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
def count_postings(queries: Rows, lengths: np.ndarray) -> int:
    """Return how many postings the terms of all these queries have, if term t has lengths[t]."""
    total = 0
    for term in queries.terms[queries.starts[0] : queries.starts[-1]]:
        total += lengths[term]
    return total


@numba.njit(cache=True, nogil=True)
def nearest_by_postings(queries: Rows, lists: PostingLists, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the k nearest documents of each query and their similarities."""
    starts, terms, values = queries
    post_starts, post_documents, post_weights, documents = lists
    found, near = np.empty((len(starts) - 1, k), np.int64), np.empty((len(starts) - 1, k))
    sums, seen = np.zeros(documents), np.zeros(documents, np.bool_)
    touched, peaks = np.empty(documents // FEW + 1, np.int64), np.empty(GROUPS * k)
    for q in range(len(starts) - 1):
        reach = 0
        for i in range(starts[q], starts[q + 1]):
            reach += post_starts[terms[i] + 1] - post_starts[terms[i]]
        # Few postings touch few documents: then only those are looked at, not all.
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
            _choose(sums, bar_reached_by(sums, peaks, k), near[q], found[q])
        ranked(k, near[q], found[q])
    return found, near
