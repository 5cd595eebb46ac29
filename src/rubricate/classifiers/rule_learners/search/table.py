"""The learned rules of all categories as arrays: what they cover, how they score, how they read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rubricate.classifiers.words.presence import presence
from rubricate.native.rules import RuleIndex, Rules, find_covered, fire_rules
from rubricate.native.sparse import Lists
from rubricate.rules.form import All, Condition, Not, Rule, RuleBase, Word
from rubricate.types import Evidence, Floats, Ints

__all__ = ["RuleTable"]

SLIGHT = 0.001
"""How far the other rules that fire can lift a score: a tie is broken, a better rule is hardly ever overtaken."""


class RuleTable(NamedTuple):
    """Rules as arrays.

    Rule r has conditions[rule_starts[r]:rule_starts[r + 1]], c >= 0 for a column that is above 0, c < 0 for a column
    ~c that is not; category k has the rules category_starts[k]:category_starts[k + 1]; `positives` and `negatives` are
    the weights of the training documents that each rule covers rightly and wrongly.
    """

    conditions: Ints
    rule_starts: Ints
    category_starts: Ints
    positives: Floats
    negatives: Floats

    def strengths(self) -> Floats:
        """Return Laplace's estimate of each rule's precision, (p + 1) / (p + n + 2)."""
        return (self.positives + 1) / (self.positives + self.negatives + 2)

    def rule(self, r: int) -> Ints:
        """Return the conditions of one rule."""
        return self.conditions[self.rule_starts[r] : self.rule_starts[r + 1]]

    def rules(self, category: int) -> range:
        """Return the rules of one category."""
        return range(int(self.category_starts[category]), int(self.category_starts[category + 1]))

    def scores(self, X: Any) -> Floats:
        """Score each document for each category (`native/rules.c`); 0 where no rule fires."""
        columns, categories = X.shape[1], len(self.category_starts) - 1
        sizes = np.diff(self.rule_starts)
        first = np.full(len(sizes), -1, np.int64)
        first[sizes > 0] = self.conditions[self.rule_starts[:-1][sizes > 0]]
        order = np.argsort(first, kind="stable")
        index = RuleIndex(
            Rules(self.rule_starts.astype(np.int64, copy=False), self.conditions.astype(np.int64, copy=False)),
            self.strengths().astype(np.float64, copy=False),
            np.repeat(np.arange(categories), np.diff(self.category_starts)),
            categories,
            np.searchsorted(first[order], np.arange(columns + 1)),
            order,
            order[first[order] < 0],
        )
        return fire_rules(_rows(X), index, SLIGHT)

    def explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """Return for each document the rules of a category that fire, the strongest first, the earlier of equals."""
        rows, strengths, everyone = _rows(X), self.strengths(), np.arange(X.shape[0])
        explained: list[list[Evidence]] = [[] for _ in everyone]
        for r in sorted(self.rules(category), key=lambda r: (-strengths[r], r)):
            p, n = self.positives[r], self.negatives[r]
            detail = f"a rule, right for {p:.10g} of {p + n:.10g} training documents"
            reason = Evidence("rule", tuple(self.rule(r).tolist()), float(strengths[r]), detail=detail)
            for d in find_covered(rows, everyone, self.rule(r).astype(np.int64, copy=False)):
                explained[d].append(reason)
        return [reasons[:limit] for reasons in explained]

    def rule_base(self, names: Sequence[str], categories: Sequence[str]) -> RuleBase:
        """Return the rules in the shared form; weights of documents are rounded to whole documents."""
        return RuleBase(
            tuple(
                Rule(name, _condition(self.rule(r), names), round(self.positives[r]), round(self.negatives[r]))
                for category, name in enumerate(categories)
                for r in self.rules(category)
            )
        )

    def check(self, *, columns: int, categories: int) -> None:
        """Raise ValueError where the arrays would lead loops astray (of a model read from a file)."""
        if any(part.ndim != 1 for part in self) or any(part.dtype.kind != "i" for part in self[:3]):
            raise ValueError("conditions_, rule_starts_ and category_starts_ must be rows of whole numbers")
        rules = len(self.positives)
        for name, starts, parts, end in (
            ("rule_starts_", self.rule_starts, rules, len(self.conditions)),
            ("category_starts_", self.category_starts, categories, rules),
        ):
            if len(starts) != parts + 1 or starts[0] != 0 or starts[-1] != end or np.any(np.diff(starts) < 0):
                raise ValueError(f"{name} must rise from 0 to {end} in {parts} steps")
        if np.any(self.conditions >= columns) or np.any(~self.conditions >= columns):
            raise ValueError(f"conditions_ names a column beyond the {columns}")
        for counts in (self.positives, self.negatives):
            if counts.dtype.kind != "f" or len(counts) != rules or not (np.isfinite(counts) & (counts >= 0)).all():
                raise ValueError("positives_ and negatives_ must be sums of weights, one per rule")


def _rows(X: Any) -> Lists:
    words = presence(X)
    return Lists(words.indptr.astype(np.int64), words.indices.astype(np.int32))


def _condition(conditions: Ints, names: Sequence[str]) -> Condition:
    parts = (Word(str(names[c])) if c >= 0 else Not(Word(str(names[~c]))) for c in conditions.tolist())
    return All(tuple(parts))
