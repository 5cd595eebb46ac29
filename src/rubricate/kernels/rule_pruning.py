"""Weakest-link pruning of a set of rules, from all rules to none. weiss1993.

Problem  a document is assigned where one rule of the set or more covers it. Of all ways to take a rule, or a condition
         of a rule of two or more, out of the set, take the one that adds least error for each condition it saves;
         again and again until no rule is left.
Given    the examples, the documents that hold each term, the rules as lists of conditions; what each document counts
         in the error (above 0 if it is positive, under 0 if it is negative, 0 if it is not to be counted), and what a
         wrong answer costs on each document that is held out (0 on the others).
Return   for each step the error that it adds per condition saved, the rule (by its first number) and the place of the
         condition taken out (−1: the whole rule); and the held-out error before the first step and after each.
Cost     for each step a look at all documents, and at the removals that are concerned by a document which is covered by
         another number of rules than before.
Ties     of equal steps the one that saves most conditions, then the first rule, whole rules before their conditions.
"""

from __future__ import annotations

from typing import NamedTuple

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


class _Costs(NamedTuple):
    """What each removal costs, and the removals that a document concerns.

    `rules` has the costs of the removals from each rule; where a rule is `stale` they are to be computed anew. The
    removals that document d concerns are a chain: from first[d] on, links of (next, rule, removal, edition), up to −1.
    A rule that lost a condition has another edition, and links to the one before are passed over.
    """

    rules: list[np.ndarray]
    stale: np.ndarray
    first: np.ndarray
    links: list[tuple[int, int, int, int]]
    editions: np.ndarray


@numba.njit(cache=True, nogil=True)
def _enter(costs: _Costs, rule: int, removals: Removals) -> None:
    """Link the documents that the removals from a rule concern to them."""
    costs.stale[rule] = True
    for i in range(len(removals.whole)):
        for d in removals.documents[removals.starts[i] : removals.starts[i + 1]]:
            costs.links.append((costs.first[d], rule, i, costs.editions[rule]))
            costs.first[d] = len(costs.links) - 1


@numba.njit(cache=True, nogil=True)
def _revise(costs: _Costs, d: int, change: tuple[int, int, float], exact: bool) -> None:
    """Revise what removals cost that concern a document; `change`: the rules that covered it, that do, what it counts.

    Sums of whole numbers are revised in place, others are added up anew, so that rounding stays the same.
    """
    before, after, count = change
    place = costs.first[d]
    while place >= 0:
        place, rule, i, edition = costs.links[place]
        # As in `removal_costs`: a whole rule frees what it alone covers, a condition covers what no rule does.
        wanted = 1 if i == 0 else 0
        if edition != costs.editions[rule] or (before == wanted) == (after == wanted):
            continue
        if exact and not costs.stale[rule]:
            costs.rules[rule][i] += count if (after == wanted) == (i == 0) else -count
        else:
            costs.stale[rule] = True


@numba.njit(cache=True, nogil=True)
def _move(times: np.ndarray, removals: Removals, sign: int, known: tuple[_Costs, np.ndarray, bool]) -> None:
    """Add a rule to the number of those that cover each document, or take it away; revise the costs."""
    costs, counts, exact = known
    for d in removals.documents[: removals.starts[1]]:
        times[d] += sign
        if times[d] - min(sign, 0) <= 2 and counts[d] != 0:  # covered more often, it counts in no removal
            _revise(costs, d, (times[d] - sign, times[d], counts[d]), exact)


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
    own, stale, editions = [np.empty(0)], np.ones(size, np.bool_), np.zeros(size, np.int64)
    costs = _Costs(own, stale, np.full(len(positive), -1), [(-1, 0, 0, 0)], editions)
    known = costs, counts, bool(np.all(counts == np.rint(counts)))
    left, removals = [np.empty(0, np.int64)], [_removals(examples, holders, rules.items[:0])]
    left.clear()
    removals.clear()
    own.clear()
    for r in range(size):
        left.append(rules.items[rules.starts[r] : rules.starts[r + 1]].copy())
        removals.append(_removals(examples, holders, left[r]))
        own.append(np.empty(0))
        for d in removals[r].documents[: removals[r].starts[1]]:
            times[d] += 1
        _enter(costs, r, removals[r])
    errors[0] = _held_out_error(times, positive, held)
    for step in range(most):
        rule, place, saving, least = -1, 0, 0, np.inf
        for r in range(size):
            if not alive[r]:
                continue
            if stale[r]:
                own[r], stale[r] = removal_costs(removals[r], times, counts), False
            for i in range(len(own[r])):
                saved = len(left[r]) if i == 0 else 1
                price = own[r][i] / max(saved, 1)
                if rule < 0 or price < least or (price == least and saved > saving):
                    rule, place, saving, least = r, i - 1, saved, price
        if rule < 0:
            return added[:step].copy(), which[:step].copy(), places[:step].copy(), errors[: step + 1].copy()
        editions[rule] += 1
        _move(times, removals[rule], -1, known)
        if place < 0:
            alive[rule] = False
        else:
            left[rule] = np.concatenate((left[rule][:place], left[rule][place + 1 :]))
            removals[rule] = _removals(examples, holders, left[rule])
            _move(times, removals[rule], 1, known)
            _enter(costs, rule, removals[rule])
        added[step], which[step], places[step] = least, rule, place
        errors[step + 1] = _held_out_error(times, positive, held)
    return added, which, places, errors
