"""CONSTRUE: rules that a person wrote. hayes1990; yang1999, section 2 (system 1)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from rubricate.classifiers.base import Scorer, keep_best
from rubricate.classifiers.category_terms import column_names
from rubricate.errors import InvalidInput, UnknownName
from rubricate.registry import classifier
from rubricate.rules.engine import score
from rubricate.rules.explanation import Explainer
from rubricate.rules.form import RuleBase
from rubricate.rules.parser import parse_rules, read_rules
from rubricate.rules.printer import format_rule, format_rules
from rubricate.rules.sources import Columns, Passages, analysed
from rubricate.types import Documents, Evidence, Floats, Scores, Sparse, Terms

__all__ = ["Construe"]


@classifier("construe")
class Construe(Scorer):
    """The score of c is that of the best rule for c that holds of the document, 0 where none does.

        s(x, c) = max over the rules r for c that hold of x of  score(r),    score(r) = 1 for a hand-written rule,
                  (p + 1) / (p + n + 2) for one that covered p training documents rightly and n wrongly

    Nothing is learned. `fit()` reads the rules; `fit(X, y)` also takes from y the categories (a rule for another one is
    refused) and the form of the answers. Two kinds of X are scored: texts or `Documents`, with the analyzer, where
    every condition holds or not; and matrices, whose columns are words by `terms` or the names of a data frame. A
    matrix has no order and only marked titles (`rules.sources` says what it can answer). Words of rules for a matrix
    are analysed where an analyzer is given, else they are the names of columns. A `Categorizer` makes such a matrix and
    gives its terms, analyzer and categories; rules that ask for phrases, titles or nearness are for `run_rules`.

    `predict` assigns every category of which a rule holds; a single-label y, the best (of equals the first class).
    Learned: `rules_`, the rules as text. Cost: see `rules.engine`.

    Parameters
    ----------
    rules
        A `RuleBase`, the path of a rule file, or its text (a string with a semicolon); docs/guides/rules.md.
    categories
        Names of the label columns (or of classes 0, 1, …) where y has none.
    terms
        Names of the columns of X where it has none.
    analyzer
        How texts, and the words of hand-written rules, become terms: an `Analyzer`.

    Examples
    --------
    >>> from rubricate.text import Analyzer
    >>> words = Analyzer(stop=None, stem=None)
    >>> model = Construe('grain if wheat or "corn belt"; crude if oil near/3 price*;', analyzer=words).fit()
    >>> model.categories_, model.predict(["The price of oil", "The Corn Belt"]).toarray().tolist()
    (('grain', 'crude'), [[False, True], [True, False]])
    """

    names_categories = True  # a `Categorizer` shows it every column, with its terms and the names of categories

    def __init__(
        self,
        rules: RuleBase | str | Path,
        *,
        categories: Sequence[str] | None = None,
        terms: Sequence[str] | None = None,
        analyzer: Any = None,
    ) -> None:
        self.rules = rules
        self.categories = categories
        self.terms = terms
        self.analyzer = analyzer

    def fit(self, X: Any = None, y: Any = None) -> Self:  # type: ignore[override]  # nothing to weigh: nothing is learned
        """Read the rules; check them against the categories of y where there is one."""
        base = read_base(self.rules)
        if X is not None and y is not None and not _is_text(X):
            super().fit(X, y)
        else:
            self._take_labels(y, _count(X, y))
        known = {*self.categories_, *(self.categories or ())}
        for rule in base.rules:
            if rule.category not in known:
                raise UnknownName("category", rule.category, known)
        self.rules_ = format_rules(base)
        return self

    def top(self, X: Any, k: int) -> Scores:
        """Return the k best categories of each document as sparse scores."""
        if k < 1:
            raise InvalidInput(f"top: k must be at least 1, got {k}")
        values = keep_best(self._score(self._take_vectors(X)), k)
        floor = float(values.data.min()) if values.nnz else -np.inf
        return Scores(values, self.categories_, [str(i) for i in range(values.shape[0])], floor)

    def rule_base(self) -> RuleBase:
        """Return the rules as they were given."""
        check_is_fitted(self, "rules_")
        return parse_rules(self.rules_)

    def known_categories(self) -> tuple[str, ...]:
        """Return the categories where no y names them: those of `categories`, else those that have rules."""
        return tuple(self.categories or read_base(self.rules).categories)

    def content(self) -> str:
        """Return the digest of the rules: the path alone would not change when the file is edited."""
        return hashlib.sha256(format_rules(read_base(self.rules)).encode("utf-8", "surrogatepass")).hexdigest()

    def check_state(self) -> None:
        """Raise ValueError where the rules cannot be read or are for other categories."""
        if hasattr(self, "rules_"):
            try:
                parse_rules(self.rules_, categories={*self.categories_, *(self.categories or ())})
            except InvalidInput as error:
                raise ValueError(str(error)) from None

    def try_out(self) -> None:
        """Score two empty documents."""
        nothing = Passages(Terms([], np.empty(0, np.int32), np.zeros(5, np.int64)))
        if self._score(nothing).shape != (2, len(self.classes_)):
            raise ValueError("scores of the wrong shape")

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        if self.terms is not None and len(self.terms) != X.shape[1]:
            raise InvalidInput(f"{len(self.terms)} names in `terms` for {X.shape[1]} columns of X; give one each")

    def _take_labels(self, y: Any, rows: int) -> Sparse:
        if y is None:
            self.categories_ = self.known_categories()
            self.classes_ = np.arange(len(self.categories_))
            self.multilabel_ = self.sparse_labels_ = True
            return Sparse((rows, len(self.classes_)), dtype=bool)
        labels = super()._take_labels(y, rows)
        self.categories_ = column_names(self)
        return labels

    def _take_vectors(self, X: Any) -> Passages | Columns:
        """Return where the rules look words up: sequences of terms for texts, the columns of a matrix."""
        check_is_fitted(self, "rules_")
        if isinstance(X, Passages):
            return X
        if _is_text(X):
            return Passages.of(X, self._reader())
        if not hasattr(self, "n_features_in_"):
            names = self.terms if self.terms is not None else getattr(X, "columns", None)
            return Columns(X, _named(names, X))
        vectors = super()._take_vectors(X)
        return Columns(vectors, _named(self.terms or getattr(self, "feature_names_in_", None), vectors))

    def _score(self, X: Any) -> Floats:
        rules = self._explainer()
        return score(rules.base, rules.fire(X), self.categories_)

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """Return the rules that hold, each with the words that made it hold."""
        explained = self._explainer().explain(X, self.categories_[category])
        return [
            [
                Evidence("rule", firing.number, firing.rule.score, detail=str(firing), name=format_rule(firing.rule))
                for firing in firings[:limit]
            ]
            for firings in explained
        ]

    def _reader(self) -> Any:
        if self.analyzer is None:
            raise InvalidInput(
                "Construe reads texts with an analyzer; give analyzer=Analyzer(stop=None, stem=None), or whichever "
                "made the words of the rules"
            )
        return clone(self.analyzer).set_params(ngrams=1, title="plain")

    def _explainer(self) -> Explainer:
        """Return the rules with their words analysed, ready to run; they are prepared when first needed."""
        cached: tuple[str, Explainer] | None = getattr(self, "_made", None)
        if cached is None or cached[0] is not self.rules_:
            base = parse_rules(self.rules_)
            cached = self.rules_, Explainer(base if self.analyzer is None else analysed(base, self._reader()))
            self._made = cached
        return cached[1]


def read_base(rules: Any) -> RuleBase:
    """Return the rule base that a user gives: itself, as text, or as a file."""
    if isinstance(rules, RuleBase):
        return rules
    if isinstance(rules, Path) or (isinstance(rules, str) and ";" not in rules):
        return read_rules(rules)
    if isinstance(rules, str):
        return parse_rules(rules)
    raise InvalidInput(f"rules must be a RuleBase, the path of a rule file, or its text; got {type(rules).__name__}")


def _is_text(X: Any) -> bool:
    """Return whether X is documents rather than a matrix."""
    if isinstance(X, (Documents, Passages)) or getattr(X, "ndim", None) == 1:
        return True
    return isinstance(X, (list, tuple)) and all(isinstance(text, str) for text in X[:1])


def _count(X: Any, y: Any) -> int:
    """Count the documents, where there are any to count."""
    documents = y if X is None else X
    return 0 if documents is None else int(documents.shape[0]) if hasattr(documents, "shape") else len(documents)


def _named(names: Any, X: Any) -> list[str]:
    if names is None:
        raise InvalidInput(
            "rules look words up by the names of columns, and this matrix has none; give `terms`, a frame, or texts"
        )
    return [str(name) for name in names]
