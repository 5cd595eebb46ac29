"""CHARADE's search for the rules of one category: descriptions by closure, then those that cover the examples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from rubricate.classifiers.rule_learners.search.cases import Cases
from rubricate.kernels.rule_choice import choose_rules
from rubricate.kernels.rule_closure import descriptions
from rubricate.types import Ints

__all__ = ["charade_rules"]


def charade_rules(
    cases: Cases, *, support: float, share: float, confidence: float, longest: int, redundancy: int
) -> Sequence[Ints]:
    """The rules of the category, those that cover most positive documents first.

    A description must cover positive documents of weight `support` and `share` of all positive ones, yet never more
    than half of them, so that a category of two or three documents can have rules.
    """
    of_positive = float(cases.weights[cases.positive].sum())
    least = min(max(support, share * of_positive), of_positive / 2)
    listed, begins, p, n = descriptions(
        cases.starts,
        cases.terms,
        len(cases.columns),
        cases.positive,
        cases.weights,
        least,
        confidence,
        longest,
    )
    order = np.lexsort((np.diff(begins), n, -p))
    by_term = sparse.csr_array(
        (np.ones(len(cases.terms), np.int8), cases.terms, cases.starts), shape=(len(cases.positive), len(cases.columns))
    ).tocsc()
    chosen = choose_rules(
        cases.starts,
        cases.terms,
        by_term.indptr.astype(np.int64),
        by_term.indices.astype(np.int64),
        listed,
        begins,
        order,
        cases.positive,
        cases.weights,
        confidence,
        redundancy,
    )
    return [listed[begins[r] : begins[r + 1]] for r in chosen]
