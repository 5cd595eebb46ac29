"""CHARADE's search for the rules of one category: descriptions by closure, then those that cover the examples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rubricate.classifiers.rule_learners.search.cases import Cases
from rubricate.native.rules import choose_rules, list_descriptions
from rubricate.types import Ints

__all__ = ["charade_rules"]


def charade_rules(
    cases: Cases, *, support: float, share: float, confidence: float, longest: int, redundancy: int
) -> Sequence[Ints]:
    """Return the rules of the category, those that cover most positive documents first.

    A description must cover positive documents of weight `support` and `share` of all positive ones, yet never more
    than half of them, so that a category of two or three documents can have rules.
    """
    of_positive = float(cases.weights[cases.positive].sum())
    least = min(max(support, share * of_positive), of_positive / 2)
    rules, covers = list_descriptions(
        cases.examples, support=float(least), confidence=float(confidence), max_terms=longest
    )
    order = np.lexsort((np.diff(rules.starts), covers[:, 1], -covers[:, 0]))
    chosen = choose_rules(
        cases.examples, cases.holders, rules, order=order, confidence=float(confidence), needed=redundancy
    )
    listed = rules.split()
    return [listed[r] for r in chosen]
