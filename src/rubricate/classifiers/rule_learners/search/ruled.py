"""What the classifiers share that have learned rules: their rules in the shared form, scores, reasons, checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rubricate.classifiers.rule_learners.search.table import (
    RuleTable,
    check_table,
    firing_rules,
    rule_base,
    score_by_rules,
)
from rubricate.rules.form import RuleBase
from rubricate.types import Evidence, Floats, Ints

__all__ = ["Ruled"]


class Ruled:
    """Rules, scores, reasons and checks; beside `Scorer`, in a classifier whose `_learn` stores a `RuleTable`."""

    _term_names: Any
    conditions_: Ints
    rule_starts_: Ints
    category_starts_: Ints
    positives_: Floats
    negatives_: Floats

    def rule_base(self, names: Sequence[str] | None = None, categories: Sequence[str] | None = None) -> RuleBase:
        """The rules in the shared form, to print, edit and run; `names` are those of the columns."""
        return rule_base(self, names=names, categories=categories)

    def check_state(self) -> None:
        """Refuse learned arrays that would lead a document astray (of a model read from a file)."""
        check_table(self)

    def _score(self, X: Any) -> Floats:
        return score_by_rules(RuleTable.of(self), X)

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """The rules that fire, the strongest first."""
        return firing_rules(RuleTable.of(self), X, category, limit)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]  # that of Scorer
        tags.classifier_tags.poor_score = True  # the checks' measurements are above 0 everywhere: all words present
        return tags
