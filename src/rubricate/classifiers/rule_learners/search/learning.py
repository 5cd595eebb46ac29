"""Rules for each category in turn, by any search, as one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rubricate.classifiers.rule_learners.search.cases import Cases, Words
from rubricate.classifiers.rule_learners.search.table import RuleTable
from rubricate.engines import Engine, run_tasks, spreading
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = ["Search", "learn_rules"]

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
