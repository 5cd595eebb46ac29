"""The learned rules of all categories as arrays: what they cover, how they score, how they read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rubricate.classifiers.words.presence import presence
from rubricate.errors import InvalidInput
from rubricate.kernels.rule_cover import covered
from rubricate.kernels.rule_firing import fire
from rubricate.rules.form import All, Condition, Not, Rule, RuleBase, Word
from rubricate.types import Evidence, Floats, Ints

__all__ = ["RuleTable", "check_table", "firing_rules", "rule_base", "score_by_rules"]

SLIGHT = 0.001
"""How far the other rules that fire can lift a score: a tie is broken, a better rule is hardly ever overtaken."""


class RuleTable(NamedTuple):
    """Rule r has conditions[rule_starts[r]:rule_starts[r + 1]], c >= 0 for a column that is above 0, c < 0 for a column
    ~c that is not; category k has the rules category_starts[k]:category_starts[k + 1]; `positives` and `negatives` are
    the weights of the training documents that each rule covers rightly and wrongly.
    """

    conditions: Ints
    rule_starts: Ints
    category_starts: Ints
    positives: Floats
    negatives: Floats

    def strengths(self) -> Floats:
        """Laplace's estimate of each rule's precision, (p + 1) / (p + n + 2)."""
        return (self.positives + 1) / (self.positives + self.negatives + 2)

    def rule(self, r: int) -> Ints:
        """The conditions of one rule."""
        return self.conditions[self.rule_starts[r] : self.rule_starts[r + 1]]

    @classmethod
    def of(cls, learner: Any) -> RuleTable:
        """The table that a classifier has learned."""
        return cls(*(getattr(learner, f"{name}_") for name in cls._fields))

    def store(self, learner: Any) -> None:
        """Keep the table as learned attributes of a classifier: `conditions_`, `rule_starts_`, …"""
        for name, value in self._asdict().items():
            setattr(learner, f"{name}_", value)

    def rules(self, category: int) -> range:
        """The rules of one category."""
        return range(int(self.category_starts[category]), int(self.category_starts[category + 1]))


def score_by_rules(table: RuleTable, X: Any) -> Floats:
    """The score of each document for each category (`kernels.rule_firing`); 0 where no rule fires."""
    words, columns = presence(X), X.shape[1]
    sizes = np.diff(table.rule_starts)
    first = np.full(len(sizes), -1, np.int64)
    first[sizes > 0] = table.conditions[table.rule_starts[:-1][sizes > 0]]
    order = np.argsort(first, kind="stable")
    return fire(
        words.indptr.astype(np.int64),
        words.indices.astype(np.int32),
        columns,
        table.conditions,
        table.rule_starts,
        table.strengths(),
        np.repeat(np.arange(len(table.category_starts) - 1), np.diff(table.category_starts)),
        np.searchsorted(first[order], np.arange(columns + 1)),
        order,
        order[first[order] < 0],
        len(table.category_starts) - 1,
        SLIGHT,
    )


def firing_rules(table: RuleTable, X: Any, category: int, limit: int) -> list[list[Evidence]]:
    """For each document the rules of a category that fire, the strongest first, the earlier of equals."""
    words, strengths = presence(X), table.strengths()
    starts, terms = words.indptr.astype(np.int64), words.indices.astype(np.int32)
    found: list[list[Evidence]] = [[] for _ in range(X.shape[0])]
    for r in sorted(table.rules(category), key=lambda r: (-strengths[r], r)):
        p, n = table.positives[r], table.negatives[r]
        reason = Evidence(
            "rule",
            tuple(table.rule(r).tolist()),
            float(strengths[r]),
            detail=f"a rule, right for {p:.10g} of {p + n:.10g} training documents",
        )
        for d in covered(starts, terms, np.arange(X.shape[0]), table.rule(r)):
            found[d].append(reason)
    return [reasons[:limit] for reasons in found]


def rule_base(learner: Any, *, names: Sequence[str] | None, categories: Sequence[str] | None) -> RuleBase:
    """The rules of a classifier in the shared form; weights of documents are rounded to whole documents."""
    check_is_fitted(learner)
    table = RuleTable.of(learner)
    names = learner._term_names() if names is None else names
    categories = learner.categories_ if categories is None else categories
    for given, wanted, what in (
        (names, learner.n_features_in_, "columns"),
        (categories, len(learner.categories_), "categories"),
    ):
        if len(given) != wanted:
            raise InvalidInput(f"{len(given)} names for {wanted} {what}; give one each")
    return RuleBase(
        tuple(
            Rule(name, _condition(table.rule(r), names), round(table.positives[r]), round(table.negatives[r]))
            for category, name in enumerate(categories)
            for r in table.rules(category)
        )
    )


def _condition(conditions: Ints, names: Sequence[str]) -> Condition:
    parts = (Word(str(names[c])) if c >= 0 else Not(Word(str(names[~c]))) for c in conditions.tolist())
    return All(tuple(parts))


def check_table(learner: Any) -> None:
    """Refuse learned arrays that would lead loops astray (of a model read from a file)."""
    if not hasattr(learner, "classes_"):
        return
    table, columns, categories = RuleTable.of(learner), learner.n_features_in_, len(learner.classes_)
    if any(part.ndim != 1 for part in table) or any(part.dtype.kind != "i" for part in table[:3]):
        raise ValueError("conditions_, rule_starts_ and category_starts_ must be rows of whole numbers")
    rules = len(table.positives)
    for name, starts, parts, end in (
        ("rule_starts_", table.rule_starts, rules, len(table.conditions)),
        ("category_starts_", table.category_starts, categories, rules),
    ):
        if len(starts) != parts + 1 or starts[0] != 0 or starts[-1] != end or np.any(np.diff(starts) < 0):
            raise ValueError(f"{name} must rise from 0 to {end} in {parts} steps")
    if np.any(table.conditions >= columns) or np.any(~table.conditions >= columns):
        raise ValueError(f"conditions_ names a column beyond the {columns}")
    for counts in (table.positives, table.negatives):
        if counts.dtype.kind != "f" or len(counts) != rules or not (np.isfinite(counts) & (counts >= 0)).all():
            raise ValueError("positives_ and negatives_ must be sums of weights, one a rule")
