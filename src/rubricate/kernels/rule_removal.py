"""What it costs to take a rule, or a condition of a rule, out of a set, and which documents that concerns.

Problem  a document is assigned where one rule of the set or more covers it. Taking out a rule frees the documents that
         it alone covers; taking out a condition covers documents that no rule covered. How does that change the error?
Given    the removals; how many rules cover each document; what each document counts in the error, above 0 if it is
         positive, under 0 if it is negative, 0 if it is not to be counted.
Return   `removal_costs`: the change of the error by each removal; `covers_without`: the documents that a rule covers,
         then those that it covers without each of its conditions, ascending, and how many each are. A rule of one
         condition, or of none, has only the first.
Cost     one look at each document concerned; of `covers_without`, two at every document.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rule_cover import Holders, RuleExamples, failures

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
def covers_without(examples: RuleExamples, holders: Holders, rule: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the length of each cover, and the covers end to end."""
    failed, places = failures(holders, rule, len(examples.positive))
    lengths = np.zeros(len(rule) + 1 if len(rule) > 1 else 1, np.int64)
    for d in range(len(failed)):
        if failed[d] == 0:
            lengths += 1
        elif failed[d] == 1 and len(rule) > 1:
            lengths[places[d] + 1] += 1
    ends = np.cumsum(lengths) - lengths
    documents = np.empty(lengths.sum(), np.int64)
    for d in range(len(failed)):
        if failed[d] == 0:
            for c in range(len(lengths)):
                documents[ends[c]] = d
                ends[c] += 1
        elif failed[d] == 1 and len(rule) > 1:
            documents[ends[places[d] + 1]] = d
            ends[places[d] + 1] += 1
    return lengths, documents
