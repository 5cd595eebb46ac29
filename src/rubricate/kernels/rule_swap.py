"""A rule improved by the single best exchange of a condition until it makes no error.

Problem  of two rules the better has the higher precision p/(p + n) on the given documents, of equal precision the
         higher p (p, n: the weights of the positive and negative documents covered). From the rule without conditions,
         take the best of all rules that exchange one condition for another, or leave one out, if it is better than the
         rule at hand; else the best that adds a condition, if it is better; until n = 0 or none is better
         (weiss1993; apte1994).
Given    the examples, the documents that hold each term, the documents to be told apart, and the sums over these.
Return   the conditions: c >= 0 for the term c, c < 0 for the absence of the term ~c.
Cost     for each step the holders of the terms in the rule, a pass over the documents for each condition, and the rows
         of the documents that fail at most one condition; the first two steps use the given sums instead of all rows.
Ties     an exchange before one at a later place, the smaller term, its presence before its absence.
Edges    without a positive document, or where no condition is better than none, there are no conditions. What a change
         covers is computed by subtraction, then added up; a change that was better by rounding alone ends the search.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rule_cover import Holders, RuleExamples, TermSums, count_terms, failures

__all__ = ["swap_growth"]

NONE = np.iinfo(np.int64).max
"""In place of a condition: leave it out."""


class _Attempt(NamedTuple):
    """A rule, the documents that fail none or one of its conditions, and what the rule covers.

    The documents that fail condition i alone are documents[starts[i]:starts[i + 1]], ascending; those that fail none
    come after the last of these. `cover` is (p, n), `sums` those of the documents covered, `totals` those of all.
    """

    rule: np.ndarray
    starts: np.ndarray
    documents: np.ndarray
    cover: tuple[float, float]
    sums: TermSums
    totals: TermSums


@numba.njit(cache=True, nogil=True)
def _better(new: tuple[float, float], old: tuple[float, float]) -> bool:
    """Return whether one cover (p, n) is better than another; compared without a division."""
    if new[0] <= 0:
        return False
    left, right = new[0] * old[1], old[0] * new[1]
    return left > right or (left == right and new[0] > old[0])


@numba.njit(cache=True, nogil=True)
def _weigh(examples: RuleExamples, documents: np.ndarray) -> tuple[float, float]:
    """Return the weights of the positive and the negative documents."""
    positive, weights = examples.positive, examples.weights
    p, n = 0.0, 0.0
    for d in documents:
        if positive[d]:
            p += weights[d]
        else:
            n += weights[d]
    return p, n


@numba.njit(cache=True, nogil=True)
def _best(
    sums: TermSums, bounds: tuple[tuple[float, float], tuple[float, float]], absent: bool
) -> tuple[int, tuple[float, float]]:
    """Return the best condition and what it covers; NONE where no condition is better than what is to be beaten.

    `bounds` are the cover of all documents that are left to choose from, and the cover to be beaten.
    """
    (p_all, n_all), least = bounds
    inside, outside = sums
    best = NONE
    for t in range(len(inside)):
        present = inside[t], outside[t]
        if _better(present, least):
            best, least = t, present
        if absent:
            without = p_all - present[0], n_all - present[1]
            if _better(without, least):
                best, least = ~t, without
    return best, least


@numba.njit(cache=True, nogil=True)
def _exchange(examples: RuleExamples, attempt: _Attempt) -> tuple[int, int]:
    """Return the place and the condition (NONE: a removal) of the best exchange; place −1 where none is better."""
    at, chosen, least = -1, NONE, attempt.cover
    size = len(attempt.sums.inside)
    more = TermSums(np.empty(size), np.empty(size))
    for i in range(len(attempt.rule)):
        # Without condition i the rule covers what it covers and the documents that fail i alone; so do the sums.
        freed = attempt.documents[attempt.starts[i] : attempt.starts[i + 1]]
        p, n = _weigh(examples, freed)
        wider = attempt.cover[0] + p, attempt.cover[1] + n
        if len(attempt.rule) > 1 and _better(wider, least):
            at, chosen, least = i, NONE, wider
        if len(attempt.rule) == 1:  # what the only condition covers and what it does not is everything
            sums = attempt.totals
        else:
            count_terms(examples, freed, more)
            sums = TermSums(attempt.sums.inside + more.inside, attempt.sums.outside + more.outside)
        condition, cover = _best(sums, (wider, least), examples.absent)
        if condition != NONE:
            at, chosen, least = i, condition, cover
    return at, chosen


@numba.njit(cache=True, nogil=True)
def _by_failure(holders: Holders, rule: np.ndarray, documents: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where each part starts, and the documents: those that fail condition i alone, then those that fail none.

    `count` is the number of all documents.
    """
    failed, places = failures(holders, rule, count)
    starts = np.zeros(len(rule) + 2, np.int64)
    for d in documents:
        if failed[d] <= 1:
            starts[(places[d] if failed[d] == 1 else len(rule)) + 1] += 1
    starts = np.cumsum(starts)
    ordered, ends = np.empty(starts[-1], np.int64), starts[:-1].copy()
    for d in documents:
        if failed[d] <= 1:
            part = places[d] if failed[d] == 1 else len(rule)
            ordered[ends[part]] = d
            ends[part] += 1
    return starts, ordered


@numba.njit(cache=True, nogil=True)
def _changed(rule: np.ndarray, at: int, chosen: int) -> np.ndarray:
    """Return the rule with another condition at a place (NONE: without it); at place −1, with one more."""
    if at < 0:
        return np.append(rule, chosen)
    if chosen == NONE:
        return np.concatenate((rule[:at], rule[at + 1 :]))
    changed = rule.copy()
    changed[at] = chosen
    return changed


@numba.njit(cache=True, nogil=True)
def swap_growth(examples: RuleExamples, holders: Holders, documents: np.ndarray, totals: TermSums) -> np.ndarray:
    """Return the conditions of one rule; `totals` are the sums over the documents."""
    cover = _weigh(examples, documents)
    sums = TermSums(np.empty(examples.columns), np.empty(examples.columns))
    rule, starts, near = np.empty(0, np.int64), np.zeros(1, np.int64), documents
    while cover[0] > 0 and cover[1] > 0:
        if len(rule) > 0:
            count_terms(examples, near[starts[len(rule)] :], sums)
        else:
            sums.inside[:], sums.outside[:] = totals
        at, chosen = _exchange(examples, _Attempt(rule, starts, near, cover, sums, totals))
        # An exchange keeps the rule short, so it goes before an addition.
        if at < 0:
            chosen, _ = _best(sums, (cover, cover), examples.absent)
            if chosen == NONE:
                break
        changed = _changed(rule, at, chosen)
        starts, near = _by_failure(holders, changed, documents, len(examples.positive))
        now = _weigh(examples, near[starts[len(changed)] :])
        # The change was chosen by subtraction; added up anew it must still be better, or rounding would loop for ever.
        if not _better(now, cover):
            break
        rule, cover = changed, now
    return rule
