"""Weakest-link pruning: the removal that adds least error for each condition it saves, again and again. weiss1993."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rubricate.classifiers._rule_cases import Cases
from rubricate.kernels.rule_removal import removal_costs
from rubricate.types import Bools, Floats, Ints

__all__ = ["Pruning"]


class Pruning:
    """A set of rules from which rules and conditions are taken; `counted` weighs an error on each document."""

    def __init__(self, cases: Cases, rules: Sequence[Ints], counted: Floats) -> None:
        self.cases = cases
        self.rules = list(rules)
        self.gains = np.where(cases.positive, counted, -counted)
        self.times = np.zeros(len(counted), np.int32)
        self.removals = [self._removals(rule) for rule in self.rules]
        for concerned in self.removals:
            self.times[concerned[0]] += 1

    def wrong(self) -> Bools:
        """Which documents the set gets wrong."""
        return (self.times > 0) != self.cases.positive

    def remove_weakest(self) -> float:
        """Make the weakest removal; the error that it adds for each condition it saves.

        Of equals the one that saves most conditions, then the first: whole rules come before their conditions.
        """
        rule = np.repeat(np.arange(len(self.rules)), [len(concerned) for concerned in self.removals])
        place = np.concatenate([np.arange(len(concerned)) for concerned in self.removals]) - 1
        documents = [part for concerned in self.removals for part in concerned]
        starts = np.concatenate([[0], np.cumsum([len(part) for part in documents])])
        costs = removal_costs(starts, np.concatenate(documents), place < 0, self.times, self.gains)
        saved = np.where(place < 0, np.array([len(one) for one in self.rules])[rule], 1)
        weakest = int(np.lexsort((-saved, costs / saved))[0])
        self._remove(int(rule[weakest]), int(place[weakest]))
        return float(costs[weakest] / saved[weakest])

    def _removals(self, rule: Ints) -> list[Ints]:
        """The documents that the rule covers, then those that it covers without each of its conditions.

        The only condition of a rule goes with the rule.
        """
        shorter = range(len(rule)) if len(rule) > 1 else ()
        return [self.cases.cover(rule), *(self.cases.cover(np.delete(rule, i)) for i in shorter)]

    def _remove(self, r: int, place: int) -> None:
        """Take the condition at a place out of a rule; at −1, the whole rule."""
        self.times[self.removals[r][0]] -= 1
        if place < 0:
            del self.rules[r], self.removals[r]
            return
        self.rules[r] = np.delete(self.rules[r], place)
        self.removals[r] = self._removals(self.rules[r])
        self.times[self.removals[r][0]] += 1
