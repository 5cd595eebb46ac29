"""What the classifiers share that have learned rules: their rules in the shared form, scores, reasons, checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sklearn.utils.validation import check_is_fitted

from rubricate.classifiers.base.keeping import Keeping
from rubricate.classifiers.rule_learners.search.table import RuleTable
from rubricate.errors import InvalidInput
from rubricate.rules.form import RuleBase
from rubricate.types import Evidence, Floats, Ints

__all__ = ["Ruled"]


class Ruled(Keeping):
    """Mixin of a `Scorer` that keeps a `RuleTable`."""

    _term_names: Callable[[], Sequence[str]]
    categories_: tuple[str, ...]
    n_features_in_: int
    conditions_: Ints
    rule_starts_: Ints
    category_starts_: Ints
    positives_: Floats
    negatives_: Floats

    def rule_base(self, names: Sequence[str] | None = None, categories: Sequence[str] | None = None) -> RuleBase:
        """Return the rules in the shared form, to print, edit and run; `names` are those of the columns."""
        check_is_fitted(self)
        names = self._term_names() if names is None else names
        categories = self.categories_ if categories is None else categories
        for noun, named, size in (
            ("columns", names, self.n_features_in_),
            ("categories", categories, len(self.categories_)),
        ):
            if len(named) != size:
                raise InvalidInput(f"{len(named)} names for {size} {noun}; give one each")
        return self._recall(RuleTable).rule_base(names, categories)

    def check_state(self) -> None:
        """Raise ValueError where learned arrays would lead a document astray (of a model read from a file)."""
        if hasattr(self, "classes_"):
            self._recall(RuleTable).check(columns=self.n_features_in_, categories=len(self.categories_))

    def _score(self, X: Any) -> Floats:
        return self._recall(RuleTable).scores(X)

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """Return the rules that fire, the strongest first."""
        return self._recall(RuleTable).explain(X, category, limit)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]  # that of Scorer
        tags.classifier_tags.poor_score = True  # the checks' measurements are above 0 everywhere: all words present
        return tags
