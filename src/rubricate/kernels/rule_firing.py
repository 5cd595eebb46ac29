"""Which rules fire on each document, and how strongly.

Problem  rules are conjunctions of conditions (`rule_cover`), each with a category and a strength s in (0, 1). A
         document's score for a category is, with s1 the highest strength of a rule of that category which fires and
         the product over the other rules that fire, s1 + slight (1 - s1) (1 - prod (1 - s)); 0 where none fires.
Given    documents by row, the rules, and `slight`.
Return   the scores, documents × categories.
Cost     for each document the rules that begin with one of its terms, and a look-up for each condition up to the first
         that fails; memory beyond the scores: one number per term, two per category.
Ties     of equally strong rules one is the strongest, the others count in the product.
Edges    a rule without conditions always fires.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rule_cover import TermRows

__all__ = ["FiringRules", "fire"]


class FiringRules(NamedTuple):
    """Rules ready to be looked up by the terms of a document.

    Rule r has conditions[starts[r]:starts[r + 1]], a strength and one of `categories` categories. The rules that begin
    with the presence of term t are keyed[keyed_starts[t]:keyed_starts[t + 1]]; `others` are all other rules.
    """

    conditions: np.ndarray
    starts: np.ndarray
    strengths: np.ndarray
    category: np.ndarray
    categories: int
    keyed_starts: np.ndarray
    keyed: np.ndarray
    others: np.ndarray


@numba.njit(cache=True, nogil=True)
def _fires(conditions: np.ndarray, seen: np.ndarray, document: int) -> bool:
    """Return whether every condition holds of the document whose terms were marked with its number."""
    for c in conditions:
        present = seen[c if c >= 0 else ~c] == document
        if present != (c >= 0):
            return False
    return True


@numba.njit(cache=True, nogil=True)
def _enter(rules: FiringRules, r: int, sums: tuple[np.ndarray, np.ndarray]) -> None:
    """Add a rule that fires: to the strongest of its category so far, and to the product over the others."""
    best, doubt = sums
    strength, c = rules.strengths[r], rules.category[r]
    # Of the new rule and the strongest so far the weaker one goes into the product.
    if best[c] > 0:
        doubt[c] *= 1 - min(strength, best[c])
    best[c] = max(best[c], strength)


@numba.njit(cache=True, nogil=True)
def fire(rows: TermRows, rules: FiringRules, slight: float) -> np.ndarray:
    """Return the score of each document for each category."""
    (starts, terms), keyed_starts, keyed = rows, rules.keyed_starts, rules.keyed
    documents, columns = len(starts) - 1, len(keyed_starts) - 1
    scores, doubt = np.zeros((documents, rules.categories)), np.ones(rules.categories)
    # seen[t] = d marks term t as present in document d: nothing has to be cleared between documents.
    seen = np.full(columns, -1, np.int64)
    for d in range(documents):
        row, best = terms[starts[d] : starts[d + 1]], scores[d]
        for t in row:
            seen[t] = d
        for t in row:
            for i in range(keyed_starts[t], keyed_starts[t + 1]):
                r = keyed[i]
                if _fires(rules.conditions[rules.starts[r] : rules.starts[r + 1]], seen, d):
                    _enter(rules, r, (best, doubt))
        # Rules that begin with an absence, or without conditions, cannot be looked up by a term of the document.
        for r in rules.others:
            if _fires(rules.conditions[rules.starts[r] : rules.starts[r + 1]], seen, d):
                _enter(rules, r, (best, doubt))
        # `slight` is small: other rules break ties between documents and hardly ever overtake a stronger rule.
        for c in range(rules.categories):
            best[c] += slight * (1 - best[c]) * (1 - doubt[c])
            doubt[c] = 1.0
    return scores
