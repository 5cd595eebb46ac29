"""Conditions added to a rule one by one, each the one of highest FOIL gain.

Problem  with p0, n0 the weights of the positive and negative documents covered before, p1, n1 after a condition is
         added, its gain is p1 (log2 p1/(p1 + n1) - log2 p0/(p0 + n0)) (quinlan1990); add the condition of highest gain
         until no negative document is covered, or no gain is above 0.
Given    the examples, and the documents that the rule covers so far.
Return   the conditions added, in order: c >= 0 for the term c, c < 0 for the absence of the term ~c.
Cost     for each condition the rows of the documents still covered, and one look at each term.
Ties     the smaller term, its presence before its absence.
Edges    without a positive document nothing is added.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.rule_cover import RuleExamples, TermSums, count_terms, covered

__all__ = ["foil_growth"]


@numba.njit(cache=True, nogil=True)
def _gain(p: float, n: float, before: float) -> float:
    """Return the gain of covering p and n where the logarithm of the precision was `before`."""
    return p * (np.log2(p / (p + n)) - before) if p > 0 else 0.0


@numba.njit(cache=True, nogil=True)
def _best(sums: TermSums, cover: tuple[float, float], absent: bool) -> tuple[int, float]:
    """Return the condition of highest gain, and that gain; 0 where none is above 0."""
    (p0, n0), (inside, outside) = cover, sums
    best, gain, before, odds = 0, 0.0, np.log2(p0 / (p0 + n0)), n0 / p0
    for t in range(len(inside)):
        p, n = inside[t], outside[t]
        # n/p >= n0/p0: not more precise than before, so the gain is not above 0 and the logarithm can be spared.
        if n < p * odds:
            value = _gain(p, n, before)
            if value > gain:
                best, gain = t, value
        # Without a negative document that has the term, its absence excludes only positive ones.
        if absent and n > 0:
            value = _gain(p0 - p, n0 - n, before)
            if value > gain:
                best, gain = ~t, value
    return best, gain


@numba.njit(cache=True, nogil=True)
def foil_growth(examples: RuleExamples, documents: np.ndarray) -> np.ndarray:
    """Return the conditions that are added to a rule which covers these documents."""
    sums = TermSums(np.empty(examples.columns), np.empty(examples.columns))
    positive, weights = examples.positive, examples.weights
    grown = np.empty(len(documents), np.int64)
    count = 0
    # Each condition of gain above 0 excludes a document at least: there are never more conditions than documents.
    while count < len(grown):
        p0, n0 = 0.0, 0.0
        for d in documents:
            if positive[d]:
                p0 += weights[d]
            else:
                n0 += weights[d]
        if p0 <= 0 or n0 <= 0:
            break
        count_terms(examples, documents, sums)
        best, gain = _best(sums, (p0, n0), examples.absent)
        if gain <= 0:
            break
        grown[count] = best
        count += 1
        documents = covered(examples, documents, grown[count - 1 : count])
    return grown[:count]
