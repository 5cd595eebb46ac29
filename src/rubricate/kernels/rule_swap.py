"""A rule improved by the single best exchange of a condition until it makes no error.

Problem  of two rules the better has the higher precision p/(p + n) on the given documents, of equal precision the
         higher p (p, n: the weights of the positive and negative documents covered). From the rule without conditions,
         take the best of all rules that exchange one condition for another, or leave one out, if it is better than the
         rule at hand; else the best that adds a condition, if it is better; until n = 0 or none is better
         (weiss1993; apte1994).
Given    documents by row (`starts`, `terms`), the documents that hold each term (`holders`, from `holder_starts` to
         `holder_ends`), the documents to be told apart, which are positive, their weights, whether conditions "the
         term is absent" may be used.
Return   the conditions: c >= 0 for the term c, c < 0 for the absence of the term ~c.
Cost     for each step the holders of the terms in the rule, a pass over the documents for each condition, and the rows
         of the documents that fail at most one condition.
Ties     an exchange before one at a later place, the smaller term, its presence before its absence.
Edges    without a positive document, or where no condition is better than none, there are no conditions. What a change
         covers is found by subtraction, then added up; a change that was better by rounding alone ends the search.
"""

from __future__ import annotations

import numba
import numpy as np

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
def _mark(failed: np.ndarray, places: np.ndarray, holders: np.ndarray, condition: int, place: int, sign: int) -> None:
    """Enter (sign 1) or take back (-1) where the condition at a place fails: how often, and the sum of the places."""
    if condition >= 0:
        failed += sign
        places += sign * place
        sign = -sign
    for d in holders:
        failed[d] += sign
        places[d] += sign * place


@numba.njit(cache=True, nogil=True)
def _exchange(
    starts: np.ndarray,
    terms: np.ndarray,
    documents: np.ndarray,
    positive: np.ndarray,
    weights: np.ndarray,
    absent: bool,
    rule: np.ndarray,
    misses: np.ndarray,
    inside: np.ndarray,
    outside: np.ndarray,
    p: float,
    n: float,
) -> tuple[int, int]:
    """The place and the condition (NONE: a removal) of the best exchange; place -1 where none is better.

    Without condition i a rule covers what it covers and the documents that fail i alone; so do the counts of terms.
    """
    at, chosen, p1, n1 = -1, NONE, p, n
    more_inside, more_outside = np.empty_like(inside), np.empty_like(outside)
    for i in range(len(rule)):
        freed = documents[misses == i]
        p2, n2 = _weigh(freed, positive, weights)
        p_all, n_all = p + p2, n + n2
        if len(rule) > 1 and _better(p_all, n_all, p1, n1):
            at, chosen, p1, n1 = i, NONE, p_all, n_all
        count_terms(starts, terms, freed, positive, weights, more_inside, more_outside)
        found, p2, n2 = _best(inside + more_inside, outside + more_outside, p_all, n_all, p1, n1, absent)
        if found != NONE:
            at, chosen, p1, n1 = i, found, p2, n2
    return at, chosen


@numba.njit(cache=True, nogil=True)
def _failures(
    rule: np.ndarray, holder_starts: np.ndarray, holder_ends: np.ndarray, holders: np.ndarray, documents: int
) -> tuple[np.ndarray, np.ndarray]:
    """For each document how many conditions fail, and the sum of their places."""
    failed, places = np.zeros(documents, np.int32), np.zeros(documents, np.int32)
    for i in range(len(rule)):
        t = rule[i] if rule[i] >= 0 else ~rule[i]
        _mark(failed, places, holders[holder_starts[t] : holder_ends[t]], rule[i], i, 1)
    return failed, places


@numba.njit(cache=True, nogil=True)
def _changed(rule: np.ndarray, at: int, chosen: int) -> np.ndarray:
    """The rule with another condition at a place (NONE: without it), or with one more where the place is -1."""
    if at < 0:
        return np.append(rule, chosen)
    if chosen == NONE:
        return np.concatenate((rule[:at], rule[at + 1 :]))
    changed = rule.copy()
    changed[at] = chosen
    return changed


@numba.njit(cache=True, nogil=True)
def swap_growth(
    starts: np.ndarray,
    terms: np.ndarray,
    holder_starts: np.ndarray,
    holder_ends: np.ndarray,
    holders: np.ndarray,
    documents: np.ndarray,
    positive: np.ndarray,
    weights: np.ndarray,
    absent: bool,
) -> np.ndarray:
    """The conditions of one rule."""
    p, n = _weigh(documents, positive, weights)
    inside, outside = np.empty(len(holder_starts)), np.empty(len(holder_starts))
    rule, failed, places = np.empty(0, np.int64), np.zeros(len(documents), np.int32), np.zeros(len(documents), np.int32)
    while p > 0 and n > 0:
        count_terms(starts, terms, documents[failed == 0], positive, weights, inside, outside)
        misses = np.where(failed == 1, places, -1)
        at, chosen = _exchange(starts, terms, documents, positive, weights, absent, rule, misses, inside, outside, p, n)
        if at < 0:
            chosen, _, _ = _best(inside, outside, p, n, p, n, absent)
            if chosen == NONE:
                break
        changed = _changed(rule, at, chosen)
        failed, places = _failures(changed, holder_starts, holder_ends, holders, len(positive))
        failed, places = failed[documents], places[documents]
        p1, n1 = _weigh(documents[failed == 0], positive, weights)
        if not _better(p1, n1, p, n):
            break
        rule, p, n = changed, p1, n1
    return rule
