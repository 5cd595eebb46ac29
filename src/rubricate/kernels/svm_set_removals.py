"""Documents left out of the SVMs of many categories, each on the documents near its margin.

Problem: that of `svm_removal_lanes` for pairs of a category and a document.

Given  the documents, the `Solutions` of all categories and their `CategorySets` as `svm_sets` has them, and the pairs.
Return what `svm_removal_lanes` returns for every pair; documents outside that matter wait to enter.
Cost   that of `svm_removal_lanes`, and a pass over the documents per category and call.
Ties   none.
Edge   pairs whose document has β = 0 cost nothing, as long as some document is free: the solution stays as it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.svm_products import ProductRows
from rubricate.kernels.svm_removal_lanes import Beside, LaneRemovals, Removed, leave_out_nearby
from rubricate.kernels.svm_removals import Nearby, Spread, prepare
from rubricate.kernels.svm_retraining import Outside
from rubricate.kernels.svm_sets import CategorySets, CategoryView, Solutions, category_of, dual_of, places_of, side_of
from rubricate.kernels.wrappers import NO_REFERENCES

__all__ = ["LOOK_ALL", "LOOK_BESIDE", "LOOK_NONE", "Answers", "Asked", "leave_out_of_sets"]

LOOK_NONE, LOOK_BESIDE, LOOK_ALL = range(3)
"""Which documents outside the working set are looked at: none, those that resemble the one left out, all."""


class Asked(NamedTuple):
    """Pairs in the order of their categories; the score of each needs no more than to be certain to lie below its bar
    or above its roof. `levels` as in `svm_removals`; `looks` says for each category which documents outside to look at.
    """

    categories: np.ndarray
    documents: np.ndarray
    bars: np.ndarray
    roofs: np.ndarray
    levels: np.ndarray
    looks: np.ndarray


class Answers(NamedTuple):
    """What `Removed` has for each pair, and whether its document was removed at all: it may have β = 0."""

    scores: np.ndarray
    low: np.ndarray
    high: np.ndarray
    free: np.ndarray
    open: np.ndarray
    removed: np.ndarray


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _nearby(documents: ProductRows, solutions: Solutions, own: CategoryView, k: int) -> Nearby:
    """Return what all removals start from."""
    n, rows = len(own.rows), own.rows
    scores, answer = np.empty(n), np.empty(n)
    for a in range(n):
        scores[a], answer[a] = solutions.full[k, rows[a]], solutions.answer[k, rows[a]]
    spread = Spread(own.share, answer, solutions.similarity[k])
    return prepare(own.products, dual_of(documents, solutions, own, k), scores, spread, solutions.penalty)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _outside(documents: ProductRows, solutions: Solutions, places: np.ndarray, k: int) -> Outside:
    """Return the documents that have no place in the working set, and count."""
    size, count = len(places), 0
    outside, numbers = np.empty(size, np.int64), np.empty((4, size))
    spare, lengths, ys, caps = numbers[0], numbers[1], numbers[2], numbers[3]
    for d in range(size):
        y, cap = side_of(solutions, k, d)
        if places[d] < 0 and cap > 0:
            outside[count], spare[count] = d, y * solutions.full[k, d] - 1
            lengths[count], ys[count], caps[count] = np.sqrt(documents.squares[d]), y, cap
            count += 1
    return Outside(documents.rows, outside[:count], spare[:count], lengths[:count], ys[:count], caps[:count])


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _beside(documents: ProductRows, solutions: Solutions, outside: Outside, k: int, wanted: bool) -> Beside:
    """Return the documents outside as those are found by that resemble one left out; none if that is not wanted."""
    wide = documents.all.shape[1] if wanted else 0
    y, spare, answer = np.zeros(wide, np.float32), np.full(wide, np.inf, np.float32), np.zeros(wide, np.float32)
    if wanted:
        for o in range(len(outside.places)):
            spare[outside.places[o]] = outside.spare[o]
        for d in range(len(solutions.weights)):
            y[d], answer[d] = (1.0 if solutions.own[k, d] else -1.0), solutions.answer[k, d]
    return Beside(documents.all, y, spare, answer)


@numba.njit(cache=True, nogil=True, error_model="numpy", **NO_REFERENCES)
def _note(answers: Answers, pairs: np.ndarray, found: Removed) -> int:
    """Copy what was found to its pairs; return the steps."""
    for j in range(len(pairs)):
        a = pairs[j]
        answers.scores[a], answers.low[a], answers.high[a] = found.scores[j], found.low[j], found.high[j]
        answers.free[a], answers.open[a], answers.removed[a] = found.free[j], found.open[j], True
    return found.steps.sum()


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _to_remove(
    solutions: Solutions, own: CategoryView, places: np.ndarray, asked: Asked, first: int, last: int, answers: Answers
) -> np.ndarray:
    """Return the pairs whose document has to be removed; the scores of the others are those of the full solution."""
    pairs, count, k = np.empty(last - first, np.int64), 0, asked.categories[first]
    loose = solutions.free[k] == 0 and solutions.penalty == 0
    for a in range(first, last):
        place = places[asked.documents[a]]
        pairs[count] = a
        if place >= 0 and (loose or own.beta[place] != 0):
            count += 1
            continue
        score = solutions.full[k, asked.documents[a]]
        answers.scores[a], answers.low[a], answers.high[a] = score, score, score
        answers.free[a], answers.open[a], answers.removed[a] = 1, False, False
    return pairs[:count]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def leave_out_of_sets(
    documents: ProductRows,
    solutions: Solutions,
    sets: CategorySets,
    asked: Asked,
    first: int,
    last: int,
    answers: Answers,
    W: np.ndarray,
) -> np.ndarray:
    """Leave the documents of some pairs out; set their answers and return the steps of each category.

    Where a free bias has no free document, those of pairs must have entered. `W` is room for terms × 16 numbers where
    all documents are looked at, else it may have one row.
    """
    steps = np.zeros(len(sets.counts), np.int64)
    while first < last:
        k, end = asked.categories[first], first + 1
        while end < last and asked.categories[end] == k:
            end += 1
        own, look = category_of(documents, sets, k), asked.looks[k]
        places = places_of(own.rows, len(solutions.weights))
        pairs = _to_remove(solutions, own, places, asked, first, end, answers)
        if len(pairs):
            outside = _outside(documents, solutions, places if look != LOOK_NONE else places[:0], k)
            beside = _beside(documents, solutions, outside, k, look == LOOK_BESIDE)
            removals = LaneRemovals(
                own.rows, places[asked.documents[pairs]], asked.levels, asked.bars[pairs], asked.roofs[pairs], beside, W
            )
            found = leave_out_nearby(_nearby(documents, solutions, own, k), outside, removals)
            steps[k] += _note(answers, pairs, found) * len(own.rows)
            for o in range(len(found.hit)):
                if found.hit[o]:
                    solutions.waiting[k, outside.places[o]] = True
        first = end
    return steps
