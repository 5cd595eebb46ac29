"""What it costs to take a rule, or a condition of a rule, out of a set, and which documents that concerns.

Problem  a document is assigned where one rule of the set or more covers it. Taking out a rule frees the documents that
         it alone covers; taking out a condition covers documents that no rule covered. How does that change the error?
Given    the removals; how many rules cover each document; what each document counts in the error, above 0 if it is
         positive, under 0 if it is negative, 0 if it is not to be counted.
Return   `removal_costs`: the change of the error by each removal; `covers_without`: the documents that a rule covers,
         then those that it covers without each of its conditions, ascending, and how many each are. A rule of one
         condition, or of none, has only the first.
Cost     one look at each document concerned; of `covers_without`, at those that hold the rarest term still asked for.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rule_cover import Holders, RuleExamples, holds

__all__ = ["Removals", "covers_without", "removal_costs"]


class Removals(NamedTuple):
    """Removal i concerns documents[starts[i]:starts[i + 1]] and takes out a whole rule or (not `whole`) a condition.

    Concerned are the documents of the rule, or those that meet all its other conditions.
    """

    starts: np.ndarray
    documents: np.ndarray
    whole: np.ndarray


@numba.njit(cache=True, nogil=True)
def removal_costs(removals: Removals, times: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return how much higher the error is after each removal."""
    starts, documents, whole = removals
    costs = np.empty(len(whole))
    for i in range(len(whole)):
        # A document changes sides where this rule alone covers it (rule removed) or none does (condition removed).
        wanted, change = 1 if whole[i] else 0, 0.0
        for d in documents[starts[i] : starts[i + 1]]:
            if times[d] == wanted:
                change += counts[d]
        costs[i] = change if whole[i] else -change
    return costs


@numba.njit(cache=True, nogil=True)
def _candidates(holders: Holders, rule: np.ndarray, left_out: int) -> int:
    """Return the rarest term whose presence a rule asks for without one of its conditions; -1 where there is none."""
    rarest = -1
    for i in range(len(rule)):
        if i == left_out or rule[i] < 0:
            continue
        size = holders.ends[rule[i]] - holders.starts[rule[i]]
        if rarest < 0 or size < holders.ends[rarest] - holders.starts[rarest]:
            rarest = rule[i]
    return rarest


@numba.njit(cache=True, nogil=True)
def covers_without(examples: RuleExamples, holders: Holders, rule: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the length of each cover, and the covers end to end."""
    starts, terms = examples.starts, examples.terms
    everything = np.arange(len(starts) - 1)
    covers, room, count = len(rule) + 1 if len(rule) > 1 else 1, 0, 0
    for c in range(covers):
        rarest = _candidates(holders, rule, c - 1)
        room += len(everything) if rarest < 0 else holders.ends[rarest] - holders.starts[rarest]
    documents, lengths = np.empty(room, np.int64), np.zeros(covers, np.int64)
    for c in range(covers):
        rarest = _candidates(holders, rule, c - 1)
        asked = everything if rarest < 0 else holders.documents[holders.starts[rarest] : holders.ends[rarest]]
        for d in asked:
            span, i = (starts[d], starts[d + 1]), 0
            while i < len(rule) and (i == c - 1 or holds(terms, span, rule[i])):
                i += 1
            if i == len(rule):
                documents[count] = d
                count += 1
                lengths[c] += 1
    return lengths, documents[:count].copy()
