"""A set of rules with what it covers and its description length."""

from __future__ import annotations

import numpy as np

from rubricate.classifiers.rule_learners.search.cases import Cases
from rubricate.classifiers.rule_learners.search.lengths import exception_bits, rule_bits
from rubricate.types import Bools, Floats, Ints

__all__ = ["RuleSet"]


class RuleSet:
    """Rules in order; rules may be added, exchanged and deleted. `costs` weigh an error on each document."""

    def __init__(self, cases: Cases, costs: Floats) -> None:
        self.cases = cases
        self.costs = costs
        self.rules: list[Ints] = []
        self.covers: list[Ints] = []
        self.times = np.zeros(len(costs), np.int32)
        self.bits = 0.0
        self.right = self.wrong = 0.0
        self.all_positive = float(costs[cases.positive].sum())
        self.all = float(costs.sum())

    def copy(self) -> RuleSet:
        """Return a set that can be changed while this one stays."""
        other = object.__new__(RuleSet)
        other.__dict__.update(self.__dict__)
        other.rules, other.covers, other.times = self.rules.copy(), self.covers.copy(), self.times.copy()
        return other

    def insert(self, place: int, rule: Ints, cover: Ints | None = None) -> None:
        """Insert a rule before the one at `place`; `cover` holds the documents it covers, where they are known."""
        cover = self.cases.cover(rule) if cover is None else cover
        self.rules.insert(place, rule)
        self.covers.insert(place, cover)
        self._count(cover[self.times[cover] == 0], 1)
        self.times[cover] += 1
        self.bits += rule_bits(len(rule), self.cases.choices)

    def delete(self, place: int) -> tuple[Ints, Ints]:
        """Take the rule at `place` out; return it and the documents it covers."""
        cover, rule = self.covers.pop(place), self.rules.pop(place)
        self.times[cover] -= 1
        self._count(cover[self.times[cover] == 0], -1)
        self.bits -= rule_bits(len(rule), self.cases.choices)
        return rule, cover

    def _count(self, documents: Ints, sign: int) -> None:
        positive, costs = self.cases.positive[documents], self.costs[documents]
        self.right += sign * float(costs[positive].sum())
        self.wrong += sign * float(costs[~positive].sum())

    def length(self) -> float:
        """Return the description length of the rules and of their errors, in bits."""
        covered = self.right + self.wrong
        return self.bits + exception_bits(
            covered=max(0.0, covered),
            uncovered=max(0.0, self.all - covered),
            false_positives=max(0.0, self.wrong),
            false_negatives=max(0.0, self.all_positive - self.right),
        )

    def simplify(self) -> None:
        """Delete, from the last to the first, each rule without which the description is shorter."""
        shortest = self.length()
        for place in reversed(range(len(self.rules))):
            rule, cover = self.delete(place)
            without = self.length()
            if without < shortest:
                shortest = without
            else:
                self.insert(place, rule, cover)

    def free(self, before: int | None = None) -> Bools:
        """Return which documents no rule covers; with `before`, no rule ahead of that place."""
        if before is None:
            return self.times == 0
        uncovered = np.ones(len(self.times), bool)
        for cover in self.covers[:before]:
            uncovered[cover] = False
        return uncovered
