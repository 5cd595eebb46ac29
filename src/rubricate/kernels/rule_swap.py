"""A rule improved by the single best exchange of a condition until it makes no error.

Problem  of two rules the better has the higher precision p/(p + n) on the given documents, of equal precision the
         higher p (p, n: the weights of the positive and negative documents covered). From the rule without conditions,
         take the best of all rules that exchange one condition for another, or leave one out, if it is better than the
         rule at hand; else the best that adds a condition, if it is better; until n = 0 or none is better
         (weiss1993; apte1994, section 3).
Given    documents by row (`starts`, `terms`), the number of terms, the documents to be told apart, which are positive,
         their weights, whether conditions "the term is absent" may be used.
Return   the conditions: c >= 0 for the term c, c < 0 for the absence of the term ~c.
Cost     for each step and condition, the rows of the documents that meet all the others.
Ties     an exchange before one at a later place, the smaller term, its presence before its absence.
Edges    without a positive document, or where no condition is better than none, there are no conditions.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.rule_cover import covered
from rubricate.kernels.rule_growth import count_terms

__all__ = ["swap_growth"]

NONE = np.iinfo(np.int64).max
"""In place of a condition: leave it out."""


@numba.njit(cache=True, nogil=True)
def _better(p: float, n: float, p0: float, n0: float) -> bool:
    """Whether covering p and n is better than covering p0 and n0; compared without a division."""
    if p <= 0:
        return False
    left, right = p * n0, p0 * n
    return left > right or (left == right and p > p0)


@numba.njit(cache=True, nogil=True)
def _weigh(documents: np.ndarray, positive: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """The weights of the positive and the negative documents."""
    p, n = 0.0, 0.0
    for d in documents:
        if positive[d]:
            p += weights[d]
        else:
            n += weights[d]
    return p, n


@numba.njit(cache=True, nogil=True)
def _best(
    inside: np.ndarray, outside: np.ndarray, p_all: float, n_all: float, p0: float, n0: float, absent: bool
) -> tuple[int, float, float]:
    """The best condition that is better than covering p0 and n0, and what it covers; NONE where there is none."""
    best = NONE
    for t in range(len(inside)):
        if _better(inside[t], outside[t], p0, n0):
            best, p0, n0 = t, inside[t], outside[t]
        if absent and _better(p_all - inside[t], n_all - outside[t], p0, n0):
            best, p0, n0 = ~t, p_all - inside[t], n_all - outside[t]
    return best, p0, n0


@numba.njit(cache=True, nogil=True)
def swap_growth(
    starts: np.ndarray,
    terms: np.ndarray,
    columns: int,
    documents: np.ndarray,
    positive: np.ndarray,
    weights: np.ndarray,
    absent: bool,
) -> np.ndarray:
    """The conditions of one rule."""
    p_base, n_base = _weigh(documents, positive, weights)
    inside_base, outside_base = np.empty(columns), np.empty(columns)
    count_terms(starts, terms, documents, positive, weights, inside_base, outside_base)
    inside, outside = np.empty(columns), np.empty(columns)
    rule = np.empty(0, np.int64)
    p, n = p_base, n_base
    while p > 0 and n > 0:
        at, chosen, p1, n1 = -1, NONE, p, n
        for i in range(len(rule)):
            others = np.concatenate((rule[:i], rule[i + 1 :]))
            if len(others) == 0:
                found, p2, n2 = _best(inside_base, outside_base, p_base, n_base, p1, n1, absent)
            else:
                left = covered(starts, terms, documents, others)
                p_all, n_all = _weigh(left, positive, weights)
                if _better(p_all, n_all, p1, n1):
                    at, chosen, p1, n1 = i, NONE, p_all, n_all
                count_terms(starts, terms, left, positive, weights, inside, outside)
                found, p2, n2 = _best(inside, outside, p_all, n_all, p1, n1, absent)
            if found != NONE:
                at, chosen, p1, n1 = i, found, p2, n2
        if at >= 0 and chosen == NONE:
            rule = np.concatenate((rule[:at], rule[at + 1 :]))
        elif at >= 0:
            rule[at] = chosen
        else:
            left = covered(starts, terms, documents, rule)
            count_terms(starts, terms, left, positive, weights, inside, outside)
            chosen, p1, n1 = _best(inside, outside, p, n, p, n, absent)
            if chosen == NONE:
                break
            rule = np.append(rule, chosen)
        p, n = p1, n1
    return rule
