"""Conditions added to a rule one by one, each the one of highest FOIL gain.

Problem  with p0, n0 the weights of the positive and negative documents covered before, p1, n1 after a condition is
         added, its gain is p1 (log2 p1/(p1 + n1) - log2 p0/(p0 + n0)) (quinlan1990); add the condition of highest gain
         until no negative document is covered, or no gain is above 0.
Given    documents by row (`starts`, `terms`), the number of terms, the documents that the rule covers so far, which
         documents are positive, their weights, whether conditions "the term is absent" may be added.
Return   the conditions added, in order: c >= 0 for the term c, c < 0 for the absence of the term ~c.
Cost     for each condition the rows of the documents still covered, and one look at each term.
Ties     the smaller term, its presence before its absence.
Edges    without a positive document nothing is added.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.rule_cover import covered

__all__ = ["count_terms", "foil_growth"]


@numba.njit(cache=True, nogil=True)
def count_terms(
    starts: np.ndarray,
    terms: np.ndarray,
    documents: np.ndarray,
    positive: np.ndarray,
    weights: np.ndarray,
    inside: np.ndarray,
    outside: np.ndarray,
) -> None:
    """The weight of the positive (`inside`) and negative (`outside`) documents that have each term."""
    inside[:] = 0.0
    outside[:] = 0.0
    for d in documents:
        row, w = terms[starts[d] : starts[d + 1]], weights[d]
        sums = inside if positive[d] else outside
        for t in row:
            sums[t] += w


@numba.njit(cache=True, nogil=True)
def _gain(p: float, n: float, before: float) -> float:
    """The gain of covering p and n where the logarithm of the precision was `before`."""
    return p * (np.log2(p / (p + n)) - before) if p > 0 else 0.0


@numba.njit(cache=True, nogil=True)
def _best(inside: np.ndarray, outside: np.ndarray, p0: float, n0: float, absent: bool) -> tuple[int, float]:
    """The condition of highest gain, and that gain; 0 where none is above 0."""
    best, gain, before, odds = 0, 0.0, np.log2(p0 / (p0 + n0)), n0 / p0
    for t in range(len(inside)):
        p, n = inside[t], outside[t]
        if n < p * odds:  # as precise as before at most: no gain
            value = _gain(p, n, before)
            if value > gain:
                best, gain = t, value
        if absent and n > 0:
            value = _gain(p0 - p, n0 - n, before)
            if value > gain:
                best, gain = ~t, value
    return best, gain


@numba.njit(cache=True, nogil=True)
def foil_growth(
    starts: np.ndarray,
    terms: np.ndarray,
    columns: int,
    documents: np.ndarray,
    positive: np.ndarray,
    weights: np.ndarray,
    absent: bool,
) -> np.ndarray:
    """The conditions that are added to a rule which covers these documents."""
    inside, outside = np.empty(columns), np.empty(columns)
    grown = np.empty(len(documents), np.int64)
    count = 0
    while count < len(grown):
        p0, n0 = 0.0, 0.0
        for d in documents:
            if positive[d]:
                p0 += weights[d]
            else:
                n0 += weights[d]
        if p0 <= 0 or n0 <= 0:
            break
        count_terms(starts, terms, documents, positive, weights, inside, outside)
        best, gain = _best(inside, outside, p0, n0, absent)
        if gain <= 0:
            break
        grown[count] = best
        count += 1
        documents = covered(starts, terms, documents, grown[count - 1 : count])
    return grown[:count]
