"""Weakest-link pruning: the removal that adds least error for each condition it saves, again and again. weiss1993."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rubricate.classifiers.rule_learners.search.cases import Cases
from rubricate.kernels.rule_removal import Removals, covers_without, removal_costs
from rubricate.types import Bools, Floats, Ints

__all__ = ["Pruning"]


class _Removals(NamedTuple):
    """What can be taken from one rule: itself (place −1), then each of its conditions unless it is the only one.

    Concerned are the documents that the rule covers, then those that it covers without each of its conditions.
    """

    places: Ints
    lengths: Ints
    documents: Ints

    @classmethod
    def of(cls, rule: Ints, cases: Cases) -> _Removals:
        lengths, documents = covers_without(cases.examples, cases.holders, rule)
        return cls(np.arange(-1, len(lengths) - 1), lengths, documents)

    def cover(self) -> Ints:
        """Return the documents that the rule covers."""
        return self.documents[: self.lengths[0]]


NOTHING = np.empty(0, np.int64)
NO_RULE = _Removals(NOTHING, NOTHING, NOTHING)


class Pruning:
    """A set of rules from which rules and conditions are taken; `counted` weighs an error on each document.

    The removals of all rules are kept end to end: a removal changes those of one rule.
    """

    def __init__(self, cases: Cases, rules: Sequence[Ints], counted: Floats) -> None:
        self.cases = cases
        self.rules = list(rules)
        self.gains = np.where(cases.positive, counted, -counted)
        self.times = np.zeros(len(counted), np.int32)
        each = [_Removals.of(rule, cases) for rule in self.rules]
        for removals in each:
            self.times[removals.cover()] += 1
        self.removals = _Removals(*(np.concatenate(parts) for parts in zip(NO_RULE, *each, strict=True)))

    def wrong(self) -> Bools:
        """Return which documents the set gets wrong."""
        return (self.times > 0) != self.cases.positive

    def remove_weakest(self) -> float:
        """Make the weakest removal; return the error that it adds for each condition it saves.

        Of equals the one that saves most conditions, then the first: whole rules come before their conditions.
        """
        places, lengths, documents = self.removals
        whole = places < 0
        starts = np.concatenate([[0], np.cumsum(lengths)])
        costs = removal_costs(Removals(starts, documents, whole), self.times, self.gains)
        rule = np.cumsum(whole) - 1
        # A rule of one condition has one removal, a rule of n has n + 1.
        saved = np.where(whole, np.maximum(np.bincount(rule) - 1, 1)[rule], 1)
        weakest = int(np.lexsort((-saved, costs / saved))[0])
        self._remove(int(rule[weakest]), int(places[weakest]), starts)
        return float(costs[weakest] / saved[weakest])

    def _remove(self, r: int, place: int, starts: Ints) -> None:
        """Take the condition at a place out of a rule; at −1, the whole rule."""
        firsts = np.append(np.flatnonzero(self.removals.places < 0), len(self.removals.places))
        a, b = firsts[r], firsts[r + 1]
        self.times[self.removals.documents[starts[a] : starts[a + 1]]] -= 1
        new = NO_RULE
        if place < 0:
            del self.rules[r]
        else:
            self.rules[r] = np.delete(self.rules[r], place)
            new = _Removals.of(self.rules[r], self.cases)
            self.times[new.cover()] += 1
        places, lengths, documents = self.removals
        self.removals = _Removals(
            np.concatenate([places[:a], new.places, places[b:]]),
            np.concatenate([lengths[:a], new.lengths, lengths[b:]]),
            np.concatenate([documents[: starts[a]], new.documents, documents[starts[b] :]]),
        )
