"""Which rules fire on each document, and how strongly.

Problem  rules are conjunctions of conditions (`rule_cover`), each with a category and a strength s in (0, 1). A
         document's score for a category is, with s1 the highest strength of a rule of that category which fires and
         the product over the other rules that fire, s1 + slight (1 - s1) (1 - prod (1 - s)); 0 where none fires.
Given    documents by row (`starts`, `terms`) and the number of terms; `conditions` of all rules with `rule_starts`; the
         strength and the category of each rule; the rules by their first condition (`keyed_starts`, `keyed`: those that
         begin with the presence of each term) and all other rules (`others`); the number of categories; `slight`.
Return   the scores, documents × categories.
Cost     for each document the rules that begin with one of its terms, and a look-up for each condition up to the first
         that fails; memory beyond the scores: one number a term, two a category.
Ties     of equally strong rules one is the strongest, the others count in the product.
Edges    a rule without conditions always fires.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["fire"]


@numba.njit(cache=True, nogil=True)
def _holds(conditions: np.ndarray, seen: np.ndarray, document: int) -> bool:
    """Whether every condition holds of the document whose terms were marked with its number."""
    for c in conditions:
        present = seen[c if c >= 0 else ~c] == document
        if present != (c >= 0):
            return False
    return True


@numba.njit(cache=True, nogil=True)
def _enter(strength: float, c: int, best: np.ndarray, doubt: np.ndarray) -> None:
    """What a rule of category c that fires adds: the strongest so far, and the product over the others."""
    if best[c] > 0:
        doubt[c] *= 1 - min(strength, best[c])
    best[c] = max(best[c], strength)


@numba.njit(cache=True, nogil=True)
def fire(
    starts: np.ndarray,
    terms: np.ndarray,
    columns: int,
    conditions: np.ndarray,
    rule_starts: np.ndarray,
    strengths: np.ndarray,
    category: np.ndarray,
    keyed_starts: np.ndarray,
    keyed: np.ndarray,
    others: np.ndarray,
    categories: int,
    slight: float,
) -> np.ndarray:
    """The score of each document for each category."""
    documents = len(starts) - 1
    scores, doubt, seen = np.zeros((documents, categories)), np.ones(categories), np.full(columns, -1, np.int64)
    for d in range(documents):
        row, best = terms[starts[d] : starts[d + 1]], scores[d]
        for t in row:
            seen[t] = d
        for t in row:
            for i in range(keyed_starts[t], keyed_starts[t + 1]):
                r = keyed[i]
                if _holds(conditions[rule_starts[r] : rule_starts[r + 1]], seen, d):
                    _enter(strengths[r], category[r], best, doubt)
        for r in others:
            if _holds(conditions[rule_starts[r] : rule_starts[r + 1]], seen, d):
                _enter(strengths[r], category[r], best, doubt)
        for c in range(categories):
            best[c] += slight * (1 - best[c]) * (1 - doubt[c])
            doubt[c] = 1.0
    return scores
