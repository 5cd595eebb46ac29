"""RIPPER's search for the rules of one category: IREP*, then passes of optimisation. cohen1995."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rubricate.classifiers.rule_learners.search.cases import Cases
from rubricate.classifiers.rule_learners.search.ripper_rules import RuleSet
from rubricate.native.rules import grow_rule, weigh_prefixes
from rubricate.types import Bools, Floats, Ints

__all__ = ["RipperSearch", "ripper_rules"]

PATIENCE = 64.0
"""Bits that the description may be longer than the shortest so far before no more rules are added."""
GROWING = 2 / 3
"""The part of the documents that rules are grown on; they are pruned on the others."""
NOTHING = np.zeros(0, np.int64)


def ripper_rules(
    cases: Cases, *, passes: int, loss_ratio: float, max_error: float | None, rng: np.random.Generator
) -> Sequence[Ints]:
    """Return the rules of the category, each as its conditions in the order of growth."""
    costs = np.where(cases.positive, loss_ratio, 1.0) * cases.weights
    search = RipperSearch(cases, RuleSet(cases, costs), max_error=max_error, rng=rng)
    search.extend()
    for _ in range(passes):
        search.optimise()
        search.extend()
    return search.rules.rules


class RipperSearch:
    """The rules found so far, with the steps that add to them and improve them."""

    def __init__(self, cases: Cases, rules: RuleSet, *, max_error: float | None, rng: np.random.Generator) -> None:
        self.cases, self.rules = cases, rules
        self.max_error, self.rng = max_error, rng

    def extend(self) -> None:
        """Add rules for the positive documents that none covers yet (IREP*), then delete those that do not pay."""
        shortest = self.rules.length()
        while True:
            growing, pruning = self._parts(self.rules.free())
            rule = self._prune(grow_rule(self.cases.examples, growing, NOTHING), pruning, by_precision=True)
            if not len(rule) or self._errs(rule, pruning):
                break
            self.rules.insert(len(self.rules.rules), rule)
            length = self.rules.length()
            if length > shortest + PATIENCE:
                self.rules.delete(len(self.rules.rules) - 1)
                break
            shortest = min(shortest, length)
        self.rules.simplify()

    def optimise(self) -> None:
        """Try for each rule a new one in its place and a longer one; keep what gives the shortest description."""
        for place in range(len(self.rules.rules)):
            rule, _ = self.rules.delete(place)
            growing, pruning = self._parts(self.rules.free(before=place))
            pruning = pruning[self.rules.times[pruning] == 0]
            variants = [rule]
            for start in (NOTHING, rule):
                grown = grow_rule(self.cases.examples, growing, start)
                variants.append(self._prune(grown, pruning, by_precision=False))
            self.rules.insert(place, min(variants, key=lambda variant: self._length_with(place, variant)))

    def _length_with(self, place: int, variant: Ints) -> float:
        """Return the description length with this rule, without those that do not pay; ∞ without a condition."""
        if not len(variant):
            return np.inf
        tried = self.rules.copy()
        tried.insert(place, variant)
        tried.simplify()
        return tried.length()

    def _parts(self, free: Bools) -> tuple[Ints, Ints]:
        """Deal the free documents into growing and pruning, positive and negative ones apart; growing gets more."""
        growing = np.zeros(len(free), bool)
        for part in (self.cases.positive, ~self.cases.positive):
            dealt = self.rng.permutation(np.flatnonzero(free & part))
            growing[dealt[: int(np.ceil(GROWING * len(dealt)))]] = True
        return np.flatnonzero(growing), np.flatnonzero(free & ~growing)

    def _prune(self, rule: Ints, documents: Ints, *, by_precision: bool) -> Ints:
        """Return the beginning of the rule that does best on other documents, the shortest of equals.

        (p − n) / (p + n) for a new rule, with 0/0 = 0; p − n, which the accuracy of the whole set follows, for a
        variant in a set whose other rules cover none of the documents.
        """
        if not len(rule):
            return rule
        p, n = self._weigh_prefixes(rule, documents)
        values = p - n
        if by_precision:
            values = np.divide(values, p + n, out=np.zeros(len(p)), where=p + n > 0)
        return rule[: int(np.argmax(values)) + 1]

    def _errs(self, rule: Ints, documents: Ints) -> bool:
        """Return whether the rule is wrong too often on other documents, if it covers any."""
        p, n = (float(counts[-1]) for counts in self._weigh_prefixes(rule, documents))
        return self.max_error is not None and n > 0 and n >= self.max_error * (p + n)

    def _weigh_prefixes(self, rule: Ints, documents: Ints) -> tuple[Floats, Floats]:
        return weigh_prefixes(self.cases.examples, documents, rule, self.rules.costs)
