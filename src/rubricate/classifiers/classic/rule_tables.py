"""The words that the rules of a category may use: a local dictionary. apte1994."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from rubricate.classifiers.base import Keeping
from rubricate.classifiers.category_terms import presence
from rubricate.engines import Engine, run_tasks, spreading
from rubricate.errors import InvalidInput
from rubricate.native.rules import Holders, RuleExamples, RuleIndex, Rules, find_covered, fire_rules
from rubricate.native.sparse import Lists
from rubricate.rules.form import All, Condition, Not, Rule, RuleBase, Word
from rubricate.types import Bools, Evidence, Floats, Ints, Sparse

__all__ = ["Cases", "RuleTable", "Ruled", "Search", "Words", "learn_rules", "most_frequent", "most_telling"]


def most_frequent(words: Words, positive: Bools, size: int) -> Ints:
    """Return the words that occur in most documents of the category, ascending; of equals the smaller column."""
    inside = words.sums(positive)
    candidates = np.flatnonzero(inside > 0)
    return np.sort(candidates[np.argsort(-inside[candidates], kind="stable")[:size]])


def most_telling(words: Words, positive: Bools, size: int) -> Ints:
    """Return the words of highest χ² among those more frequent inside than outside; of equals the smaller column.

    χ² = N (AD − CB)² / ((A + C)(B + D)(A + B)(C + D)); N and A + C, the same for all words, are left out.
    """
    inside, outside = words.sums(positive), words.sums(~positive)
    of_positive = float(words.weights[positive].sum())
    of_negative = float(words.weights[~positive].sum())
    lead = inside * (of_negative - outside) - (of_positive - inside) * outside
    spread = (inside + outside) * (of_positive + of_negative - inside - outside)
    value = np.divide(lead**2, spread, out=np.zeros(len(lead)), where=spread > 0)
    candidates = np.flatnonzero((inside > 0) & (lead >= 0))
    return np.sort(candidates[np.argsort(-value[candidates], kind="stable")[:size]])


@dataclass(frozen=True, eq=False)
class Words:
    """Which words the documents have: what all categories share. Word t is in `holders` from its start to the next."""

    by_document: Sparse
    holder_starts: Ints
    holders: Ints
    weights: Floats

    def sums(self, documents: Bools) -> Floats:
        """Return for each word the weight of those of these documents that have it."""
        return np.asarray(self.by_document.T @ np.where(documents, self.weights, 0.0))

    @classmethod
    def of(cls, X: Any, weights: Floats | None) -> Words:
        """Return the words of documents: whatever is above 0. Documents without weight are left out by the caller."""
        by_document = presence(X)
        by_word = sparse.csc_array(by_document)
        return cls(
            by_document,
            by_word.indptr.astype(np.int64),
            by_word.indices.astype(np.int64),
            np.ones(by_document.shape[0]) if weights is None else weights,
        )


@dataclass(frozen=True, eq=False)
class Cases:
    """The documents as examples of one category, with the words of its dictionary.

    `columns` are the columns of X that the terms stand for, ascending; `choices` is the number of conditions that a
    rule chooses from, which description lengths ask for.
    """

    words: Words
    examples: RuleExamples
    columns: Ints
    choices: int

    @property
    def weights(self) -> Floats:
        """The weight of each document."""
        return self.words.weights

    @property
    def positive(self) -> Bools:
        """Which documents are positive."""
        return self.examples.positive

    @property
    def holders(self) -> Holders:
        """The documents that hold each term."""
        starts = self.words.holder_starts
        return Holders(starts[self.columns], starts[self.columns + 1], self.words.holders)

    def cover(self, conditions: Ints) -> Ints:
        """Return the documents that meet every condition, ascending."""
        present = self.columns[conditions[conditions >= 0]]
        if not len(present):
            return find_covered(self.examples.rows, np.arange(len(self.positive)), conditions)
        begins, ends = self.words.holder_starts[present], self.words.holder_starts[present + 1]
        rarest = np.argmin(ends - begins)
        return find_covered(self.examples.rows, self.words.holders[begins[rarest] : ends[rarest]], conditions)

    def in_columns(self, conditions: Ints) -> Ints:
        """Return conditions on the terms here as conditions on the columns of X."""
        asked = self.columns[np.where(conditions < 0, ~conditions, conditions)]
        return np.where(conditions < 0, ~asked, asked)

    @classmethod
    def of(cls, words: Words, positive: Bools, columns: Ints | None, *, absent: bool) -> Cases:
        """Return the cases of one category with the words of these columns (ascending); None: all words of X.

        Rules that ask for presence alone need no words but those of the positive documents; the others are then left
        out, though each still counts as a choice.
        """
        X = words.by_document
        choices = (X.shape[1] if columns is None else len(columns)) * (2 if absent else 1)
        if columns is None and absent:
            starts, terms, columns = X.indptr, X.indices, np.arange(X.shape[1])
        else:
            if columns is None:
                columns = np.unique(X[np.flatnonzero(positive)].indices)
            place = np.full(X.shape[1], -1, np.int32)
            place[columns] = np.arange(len(columns))
            terms = place[X.indices]
            known = terms >= 0
            starts, terms = np.concatenate([[0], np.cumsum(known)])[X.indptr], terms[known]
        rows = Lists(starts.astype(np.int64, copy=False), terms.astype(np.int32, copy=False))
        examples = RuleExamples(rows, len(columns), positive, words.weights, absent)
        examples.check()
        return cls(words, examples, columns, choices)


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


Search = Callable[[Words, Bools, int], tuple[Cases, Sequence[Ints]]]
"""From the words of the documents, which are positive, and the number of the category: its cases and rules."""


def learn_rules(X: Any, labels: Sparse, weights: Floats | None, *, search: Search, engine: Engine | str) -> RuleTable:
    """Learn the rules of every category. Documents of weight 0 are left out.

    A category without a positive document has no rule; where all are positive it has one without conditions.
    """
    if weights is not None and (weights == 0).any():
        kept = np.flatnonzero(weights > 0)
        X, labels, weights = X[kept], labels[kept], weights[kept]
    words, by_category = Words.of(X, weights), labels.tocsc()

    def learn(category: int) -> tuple[list[Ints], Floats]:
        positive = np.zeros(labels.shape[0], bool)
        positive[by_category.indices[by_category.indptr[category] : by_category.indptr[category + 1]]] = True
        if not positive.any():
            return [], np.zeros((0, 2))
        if positive.all():
            return [np.zeros(0, np.int64)], np.array([[words.weights.sum(), 0.0]])
        cases, rules = search(words, positive, category)
        return [cases.in_columns(rule) for rule in rules], _counts(cases, rules)

    return _table(run_tasks(learn, range(labels.shape[1]), engine=spreading() or engine))


def _counts(cases: Cases, rules: Sequence[Ints]) -> Floats:
    """Return the weights of the positive and negative documents that each rule covers."""
    counts = np.zeros((len(rules), 2))
    for row, rule in zip(counts, rules, strict=True):
        cover = cases.cover(rule)
        positive, weights = cases.positive[cover], cases.weights[cover]
        row[:] = weights[positive].sum(), weights[~positive].sum()
    return counts


def _table(learned: Sequence[tuple[list[Ints], Floats]]) -> RuleTable:
    rules = [rule for part, _ in learned for rule in part]
    counts = np.concatenate([part for _, part in learned]) if learned else np.zeros((0, 2))
    return RuleTable(
        np.concatenate([np.zeros(0, np.int64), *rules]).astype(np.int64),
        np.concatenate([[0], np.cumsum([len(rule) for rule in rules])]).astype(np.int64),
        np.concatenate([[0], np.cumsum([len(part) for part, _ in learned])]).astype(np.int64),
        np.ascontiguousarray(counts[:, 0]),
        np.ascontiguousarray(counts[:, 1]),
    )


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
