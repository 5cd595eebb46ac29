"""The k best categories of each document by linear scores: exactly, and without documents × categories.

Problem  score(x, c) = Σ_t x_t w_tc + m_x s_c; find the k categories of largest score. m is a number per document, s one
         per category: m = 1 and s the biases of SVMs, or a shift of all weights of a category for Rocchio.
Given    documents by row, terms ascending; m; the weights by term (see `LinearWeights`); k. Terms and categories are
         uint32, so that no index can be negative.
Return   (categories, scores), documents × k, best first; k must not exceed the number of categories.
Way      A term with few weights has a list of them; one with many has a row with a place for every category, and a
         head: its largest weights. No weight outside the head is above the `rest` of the row. An upper bound of a score
         is therefore Σ_t x_t rest_t over the rows, plus the weights in lists, plus x_t (w_tc − rest_t) where the
         category is in a head. The categories with the highest bounds are scored; if few others have a bound that
         reaches the k-th best score, these are scored too, and no weight of any other category is read: one round of
         the threshold algorithm (fagin2003). Else all weights of the document's terms are added up, block by block.
         Where that happens to most of the first documents, bounds are no longer tried.
Cost     with bounds: lists and heads of the terms, a few looks at each category, and one look per term at each category
         that is scored. Without: lists and rows of the terms. Memory: one number per category and per list in use.
Ties     equal scores go to the category of smaller number.
Exact    a score is summed over the terms in the document's order, m_x s_c last, whichever way is taken: the same number
         as that of the whole product. Bounds are raised by what rounding can take from them.
Edges    a category without weights has score m_x s_c. Where x_t < 0 the rest is that of −w, and the head is not read.
         Products must be finite.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from rubricate.kernels.best import offer, ranked
from rubricate.kernels.postings import CHUNK, GROUPS, bar_reached_by, count_reaching
from rubricate.kernels.rows import Rows

__all__ = ["WIDTH", "LinearWeights", "best_categories"]

WIDTH = 1024
"""Categories of a block: the rows of a block stay in the cache, and so do its sums.

20,000 categories take 520 µs per document in one block, 375 in blocks of 512 to 2048; 5,000 the same in all."""
FIRST = 4
"""Times k categories are scored first: those with the highest bounds."""
LOOKS = 64
"""Categories / LOOKS are scored one by one at most; for more of them it is faster to add up all weights."""
TRIES = 16
"""Documents after which bounds are given up if they decided less than half of them."""
ROUNDING = 4 * 2.0**-52
"""Bounds are raised by so much per term and unit of Σ|x||w|: ε for the sum of the score and for the bound, twice."""


class LinearWeights(NamedTuple):
    """Weights of linear scores by term.

    rows        for each term the number of its row, or −1: it has a list
    dense       blocks of WIDTH categories × rows × WIDTH, the last block filled up with zeros
    starts, categories, weights
                the lists: term t has categories[starts[t] : starts[t + 1]], ascending
    head_starts, head_categories, head_weights
                the heads of the rows: the largest weights, less the rest of the row
    rests       for each row the largest of 0 and the weights outside the head, and of 0 and all weights × −1
    largest     the largest magnitudes of a weight and of an offset
    offsets     s
    """

    rows: np.ndarray
    dense: np.ndarray
    starts: np.ndarray
    categories: np.ndarray
    weights: np.ndarray
    head_starts: np.ndarray
    head_categories: np.ndarray
    head_weights: np.ndarray
    rests: np.ndarray
    largest: np.ndarray
    offsets: np.ndarray


class Query(NamedTuple):
    """One document: its terms, ascending, its values, and m."""

    terms: np.ndarray
    values: np.ndarray
    factor: float


class Heap(NamedTuple):
    """The best scores so far and their categories, and room for peaks of groups."""

    near: np.ndarray
    found: np.ndarray
    peaks: np.ndarray


@numba.njit(cache=True, nogil=True)
def _add_part(x: float, categories: np.ndarray, weights: np.ndarray, sums: np.ndarray) -> None:
    """Add x times some weights to the sums of their categories."""
    for j in range(len(categories)):
        sums[categories[j]] += x * weights[j]


@numba.njit(cache=True, nogil=True)
def _add_offsets(factor: float, offsets: np.ndarray, sums: np.ndarray) -> None:
    for c in range(len(sums)):
        sums[c] += factor * offsets[c]


@numba.njit(cache=True, nogil=True)
def _bound(query: Query, w: LinearWeights, sums: np.ndarray) -> float:
    """Put upper bounds of the scores of all categories into `sums`, which are 0, less a number that is returned."""
    rest, size = 0.0, 0.0
    for i in range(len(query.terms)):
        t, x = query.terms[i], query.values[i]
        row = w.rows[t]
        size += abs(x)
        if row < 0:
            part = slice(w.starts[t], w.starts[t + 1])
            _add_part(x, w.categories[part], w.weights[part], sums)
        elif x < 0:
            rest -= x * w.rests[row, 1]
        else:
            rest += x * w.rests[row, 0]
            part = slice(w.head_starts[row], w.head_starts[row + 1])
            _add_part(x, w.head_categories[part], w.head_weights[part], sums)
    _add_offsets(query.factor, w.offsets, sums)
    # Sums, rest and scores are each off by at most terms · ε · Σ|x||w|.
    return rest + ROUNDING * (len(query.terms) + 4) * (size * w.largest[0] + abs(query.factor) * w.largest[1])


@numba.njit(cache=True, nogil=True)
def _score(query: Query, w: LinearWeights, c: int) -> float:
    """Return the score of one category."""
    total = 0.0
    for i in range(len(query.terms)):
        t, x = query.terms[i], query.values[i]
        if w.rows[t] >= 0:
            total += x * w.dense[c // WIDTH, w.rows[t], c % WIDTH]
            continue
        low, high = w.starts[t], w.starts[t + 1]
        end = high
        while low < high:
            middle = (low + high) // 2
            if w.categories[middle] < c:
                low = middle + 1
            else:
                high = middle
        if low < end and w.categories[low] == c:
            total += x * w.weights[low]
    return total + query.factor * w.offsets[c]


@numba.njit(cache=True, nogil=True)
def _look(query: Query, w: LinearWeights, bounds: np.ndarray, rest: float, heap: Heap) -> bool:
    """Keep the best by their scores, where few bounds are above the k-th best; return whether that is so."""
    near, found, peaks = heap
    wanted, most = FIRST * len(near), len(bounds) // LOOKS
    if wanted > most:
        return False
    kept: Any = np.int64(0)  # no literal: one compilation of `offer` serves
    high, low = np.inf, bar_reached_by(bounds, peaks[: GROUPS * wanted], wanted)
    for _ in range(2):
        if count_reaching(bounds, low) > most:
            return False
        for start in range(0, len(bounds), CHUNK):
            chunk = bounds[start : start + CHUNK]
            if count_reaching(chunk, low) > 0:
                for i in range(len(chunk)):
                    if low <= chunk[i] < high:
                        kept = offer(_score(query, w, start + i), start + i, kept, near, found)
        # The second time: all others that can reach the k-th best score.
        high, low = low, near[0] - rest
    return True


@numba.njit(cache=True, nogil=True)
def _sum_block(query: Query, w: LinearWeights, block: int, cursors: np.ndarray, sums: np.ndarray) -> None:
    """Put the scores of one block of categories into `sums`; cursors are where the lists go on, and move behind it."""
    first = block * WIDTH
    end = first + len(sums)
    sums[:] = 0.0
    for i in range(len(query.terms)):
        t, x = query.terms[i], query.values[i]
        if w.rows[t] >= 0:
            row = w.dense[block, w.rows[t]]
            for c in range(len(sums)):
                sums[c] += x * row[c]
        else:
            at, last = cursors[i], w.starts[t + 1]
            while at < last and w.categories[at] < end:
                sums[w.categories[at] - first] += x * w.weights[at]
                at += 1
            cursors[i] = at
    for c in range(len(sums)):
        sums[c] += query.factor * w.offsets[first + c]


@numba.njit(cache=True, nogil=True)
def _score_all(documents: Rows, factors: np.ndarray, w: LinearWeights, todo: np.ndarray, heaps: Heap) -> None:
    """Keep the best of all categories of some documents, block by block."""
    starts, terms, values = documents
    near, found, _ = heaps
    cursors, kept, buffer = w.starts[terms], np.zeros(len(near), np.int64), np.empty(WIDTH)
    for block in range(len(w.dense)):
        first = block * WIDTH
        sums = buffer[: min(WIDTH, len(w.offsets) - first)]
        for d in todo:
            part = slice(starts[d], starts[d + 1])
            _sum_block(Query(terms[part], values[part], factors[d]), w, block, cursors[part], sums)
            if kept[d] == near.shape[1] and count_reaching(sums, near[d, 0]) == 0:
                continue
            for c in range(len(sums)):
                # An equal score of a later category stands below the worst kept.
                if kept[d] < near.shape[1] or sums[c] > near[d, 0]:
                    kept[d] = offer(sums[c], first + c, kept[d], near[d], found[d])


@numba.njit(cache=True, nogil=True)
def best_categories(
    documents: Rows, factors: np.ndarray, weights: LinearWeights, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the k best categories of each document and their scores."""
    starts, terms, values = documents
    rows, categories = len(starts) - 1, len(weights.offsets)
    found, near = np.empty((rows, k), np.int64), np.empty((rows, k))
    bounds, peaks = np.zeros(categories), np.empty(GROUPS * FIRST * k)
    todo, left, tried = np.arange(rows), 0, 0
    for d in range(rows):
        enough = False
        if FIRST * k * LOOKS <= categories and (tried < TRIES or 2 * left <= tried):
            query = Query(terms[starts[d] : starts[d + 1]], values[starts[d] : starts[d + 1]], factors[d])
            rest = _bound(query, weights, bounds)
            enough = _look(query, weights, bounds, rest, Heap(near[d], found[d], peaks))
            bounds[:] = 0.0
            tried += 1
        if not enough:
            todo[left] = d
            left += 1
    _score_all(documents, factors, weights, todo[:left], Heap(near, found, peaks))
    for d in range(rows):
        ranked(k, near[d], found[d])
    return found, near
