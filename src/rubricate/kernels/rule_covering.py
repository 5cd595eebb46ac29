"""Rules for all positive documents, grown one after the other. weiss1993.

Problem  grow a rule (`rule_swap`) that tells the positive documents left from the negative ones, set aside all
         documents that it covers, and go on as long as a positive document is left and a rule is found. A rule that is
         wrong for half of the documents it newly covers, or more, is left out: twins with different labels.
Given    the examples, the documents that hold each term, the documents to be told apart (ascending).
Return   the rules as lists of conditions, in order.
Cost     a search (`rule_swap`) and a look at all documents for each rule.
Edges    sums over the documents left are kept by subtraction where all weights are whole numbers, else added up anew.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.rows import Lists
from rubricate.kernels.rule_cover import Holders, RuleExamples, TermSums, count_terms, failures
from rubricate.kernels.rule_swap import swap_growth

__all__ = ["grow_covering_rules"]


@numba.njit(cache=True, nogil=True)
def _left(examples: RuleExamples, documents: np.ndarray, failed: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return the documents that a rule covers, those it leaves, and whether it is right for more than half."""
    positive, weights = examples.positive, examples.weights
    new, left = documents[failed[documents] == 0], documents[failed[documents] > 0]
    right, all_weights = 0.0, 0.0
    for d in new:
        all_weights += weights[d]
        if positive[d]:
            right += weights[d]
    return new, left, right > all_weights / 2


@numba.njit(cache=True, nogil=True)
def _subtract(sums: TermSums, part: TermSums) -> None:
    inside, outside = sums
    for t in range(len(inside)):
        inside[t] -= part.inside[t]
        outside[t] -= part.outside[t]


@numba.njit(cache=True, nogil=True)
def grow_covering_rules(examples: RuleExamples, holders: Holders, documents: np.ndarray) -> Lists:
    """Return rules for these documents."""
    totals = TermSums(np.empty(examples.columns), np.empty(examples.columns))
    part = TermSums(np.empty(examples.columns), np.empty(examples.columns))
    count_terms(examples, documents, totals)
    exact = np.all(examples.weights == np.rint(examples.weights))
    starts, conditions = [0], [np.int64(0)]
    conditions.clear()
    while examples.positive[documents].any():
        rule = swap_growth(examples, holders, documents, totals)
        if len(rule) == 0:
            break
        new, documents, good = _left(examples, documents, failures(holders, rule, len(examples.positive))[0])
        if good:
            for condition in rule:
                conditions.append(condition)
            starts.append(len(conditions))
        if exact:
            count_terms(examples, new, part)
            _subtract(totals, part)
        else:
            count_terms(examples, documents, totals)
    return Lists(np.array(starts), np.array(conditions))
