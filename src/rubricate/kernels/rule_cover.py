"""Which documents meet the conditions of a rule; and the documents as all searches for rules take them.

Problem  a condition c >= 0 holds of a document that has the term c, one c < 0 of a document without the term ~c; a rule
         is a conjunction of conditions in order.
Given    documents by row (`starts`, `terms`, ascending in each row), the documents asked about, the conditions.
Return   `depths`: for each document asked about, how many conditions hold before the first that fails;
         `covered`: the documents of which all hold, in the order given;
         `covered_by_beginnings`: the costs of positive and negative documents that meet the first k conditions, k >= 1;
         `failures`: for every document how many conditions fail, and the sum of their places in the rule, which is
         the place of the only one where one fails.
Cost     a binary search in the document's row for each condition up to the first that fails; of `failures`, two numbers
         per document and a look at the holders of each term.
Edges    without conditions every document is covered, at depth 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

__all__ = [
    "Holders",
    "RuleExamples",
    "TermRows",
    "TermSums",
    "count_terms",
    "covered",
    "covered_by_beginnings",
    "depths",
    "failures",
    "holds",
]


class TermRows(NamedTuple):
    """Documents by row: document d has terms[starts[d]:starts[d + 1]], ascending."""

    starts: np.ndarray
    terms: np.ndarray


class RuleExamples(NamedTuple):
    """Documents to learn a rule from, and the conditions that it may use.

    `starts` and `terms` as of `TermRows`; `columns` is the number of terms; `positive` and `weights` are those of the
    documents; `absent` says whether conditions "the term is absent" may be used.
    """

    starts: np.ndarray
    terms: np.ndarray
    columns: int
    positive: np.ndarray
    weights: np.ndarray
    absent: bool


class Holders(NamedTuple):
    """The documents that hold each term: documents[starts[t]:ends[t]]."""

    starts: np.ndarray
    ends: np.ndarray
    documents: np.ndarray


class TermSums(NamedTuple):
    """For each term the weight of the positive (`inside`) and negative (`outside`) documents that have it."""

    inside: np.ndarray
    outside: np.ndarray


@numba.njit(cache=True, nogil=True)
def holds(terms: np.ndarray, span: tuple[int, int], condition: int) -> bool:
    """Return whether a condition holds of the document whose terms lie in a span."""
    term = condition if condition >= 0 else ~condition
    low, high = span
    while low < high:
        middle = (low + high) // 2
        if terms[middle] < term:
            low = middle + 1
        else:
            high = middle
    present = low < span[1] and terms[low] == term
    return present == (condition >= 0)


@numba.njit(cache=True, nogil=True)
def depths(rows: TermRows | RuleExamples, documents: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    """Count the leading conditions that hold of each document."""
    starts, terms = rows.starts, rows.terms
    counts = np.empty(len(documents), np.int64)
    for i in range(len(documents)):
        span, depth = (starts[documents[i]], starts[documents[i] + 1]), 0
        while depth < len(conditions) and holds(terms, span, conditions[depth]):
            depth += 1
        counts[i] = depth
    return counts


@numba.njit(cache=True, nogil=True)
def covered(rows: TermRows | RuleExamples, documents: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    """Return the documents of which every condition holds."""
    starts, terms = rows.starts, rows.terms
    kept = np.empty(len(documents), np.int64)
    count = 0
    for d in documents:
        span, depth = (starts[d], starts[d + 1]), 0
        # The first condition that fails ends the look: those added first exclude most.
        while depth < len(conditions) and holds(terms, span, conditions[depth]):
            depth += 1
        if depth == len(conditions):
            kept[count] = d
            count += 1
    return kept[:count]


@numba.njit(cache=True, nogil=True)
def covered_by_beginnings(
    examples: RuleExamples, documents: np.ndarray, conditions: np.ndarray, costs: np.ndarray
) -> TermSums:
    """Return what the positive and the negative documents cost that meet the first 1, 2, … conditions."""
    depth, size = depths(examples, documents, conditions), len(conditions)
    inside, outside = np.zeros(size + 1), np.zeros(size + 1)
    for i in range(len(documents)):
        side = inside if examples.positive[documents[i]] else outside
        side[depth[i]] += costs[documents[i]]
    for side in (inside, outside):
        for k in range(size - 1, 0, -1):
            side[k] += side[k + 1]
    return TermSums(inside[1:], outside[1:])


@numba.njit(cache=True, nogil=True)
def count_terms(examples: RuleExamples, documents: np.ndarray, sums: TermSums) -> None:
    """Sum the weights of the documents that have each term, into `sums`."""
    starts, terms, positive, weights = examples.starts, examples.terms, examples.positive, examples.weights
    inside, outside = sums
    inside[:] = 0.0
    outside[:] = 0.0
    for d in documents:
        row, w = terms[starts[d] : starts[d + 1]], weights[d]
        side = inside if positive[d] else outside
        for t in row:
            side[t] += w


@numba.njit(cache=True, nogil=True)
def failures(holders: Holders, rule: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Count the conditions of a rule that fail in each of so many documents, and sum their places."""
    starts, ends, held = holders
    asked, sum_of_places = 0, 0
    for i in range(len(rule)):
        if rule[i] >= 0:
            asked += 1
            sum_of_places += i
    failed, places = np.full(count, asked, np.int32), np.full(count, sum_of_places, np.int32)
    for i in range(len(rule)):
        # The presence of a term fails everywhere but in its holders, its absence in the holders alone.
        t, sign = (rule[i], -1) if rule[i] >= 0 else (~rule[i], 1)
        for d in held[starts[t] : ends[t]]:
            failed[d] += sign
            places[d] += sign * i
    return failed, places
