"""Weakest-link pruning of a set of rules, from all rules to none. weiss1993.

Problem  a document is assigned where one rule of the set or more covers it. Of all ways to take a rule, or a condition
         of a rule of two or more, out of the set, take the one that adds least error for each condition it saves;
         again and again until no rule is left.
Given    the examples, the documents that hold each term, the rules as lists of conditions; what each document counts
         in the error (above 0 if it is positive, under 0 if it is negative, 0 if it is not to be counted), and what a
         wrong answer costs on each document that is held out (0 on the others).
Return   for each step the error that it adds per condition saved, the rule (by its first number) and the place of the
         condition taken out (−1: the whole rule); and the held-out error before the first step and after each.
Cost     for each step a look at the documents concerned by each removal (`rule_removal`) and at all documents.
Ties     of equal steps the one that saves most conditions, then the first rule, whole rules before their conditions.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.rows import Lists
from rubricate.kernels.rule_cover import Holders, RuleExamples
from rubricate.kernels.rule_removal import Removals, covers_without, removal_costs

__all__ = ["prune_rules"]


@numba.njit(cache=True, nogil=True)
def _held_out_error(times: np.ndarray, positive: np.ndarray, held: np.ndarray) -> float:
    error = 0.0
    for d in range(len(times)):
        if (times[d] > 0) != positive[d]:
            error += held[d]
    return error


@numba.njit(cache=True, nogil=True)
def _removals(examples: RuleExamples, holders: Holders, rule: np.ndarray) -> Removals:
    """Return what can be taken from one rule: itself, then each of its conditions unless it is the only one."""
    lengths, documents = covers_without(examples, holders, rule)
    starts = np.zeros(len(lengths) + 1, np.int64)
    for i in range(len(lengths)):
        starts[i + 1] = starts[i] + lengths[i]
    return Removals(starts, documents, np.arange(len(lengths)) == 0)


@numba.njit(cache=True, nogil=True)
def _count(times: np.ndarray, removals: Removals, sign: int) -> None:
    """Add a rule to the number of those that cover each document, or take it away."""
    for d in removals.documents[: removals.starts[1]]:
        times[d] += sign


@numba.njit(cache=True, nogil=True)
def prune_rules(
    examples: RuleExamples, holders: Holders, rules: Lists, worth: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return added errors, rules, places and held-out errors; `worth` are the counts and the held-out costs."""
    counts, held = worth
    size, positive = len(rules.starts) - 1, examples.positive
    most = len(rules.items) + size
    added, which, places, errors = (
        np.empty(most),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most + 1),
    )
    times, alive = np.zeros(len(positive), np.int32), np.ones(size, np.bool_)
    left = [rules.items[rules.starts[r] : rules.starts[r + 1]].copy() for r in range(size)]
    removals = [_removals(examples, holders, rule) for rule in left]
    for each in removals:
        _count(times, each, 1)
    errors[0] = _held_out_error(times, positive, held)
    for step in range(most):
        rule, place, saving, least = -1, 0, 0, np.inf
        for r in range(size):
            if not alive[r]:
                continue
            costs = removal_costs(removals[r], times, counts)
            for i in range(len(costs)):
                saved = len(left[r]) if i == 0 else 1
                price = costs[i] / max(saved, 1)
                if rule < 0 or price < least or (price == least and saved > saving):
                    rule, place, saving, least = r, i - 1, saved, price
        if rule < 0:
            return added[:step].copy(), which[:step].copy(), places[:step].copy(), errors[: step + 1].copy()
        _count(times, removals[rule], -1)
        if place < 0:
            alive[rule] = False
        else:
            left[rule] = np.concatenate((left[rule][:place], left[rule][place + 1 :]))
            removals[rule] = _removals(examples, holders, left[rule])
            _count(times, removals[rule], 1)
        added[step], which[step], places[step] = least, rule, place
        errors[step + 1] = _held_out_error(times, positive, held)
    return added, which, places, errors
