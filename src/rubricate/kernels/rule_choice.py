"""Rules chosen in a given order for what they add to those chosen before.

Problem  a document is served when so many chosen rules cover it. Go through the rules in order; choose one if, of the
         documents it covers that are not yet served, the positive ones have weight p > 0 and the negative ones n with
         p/(p + n) >= confidence. Stop when every positive document is served.
Given    documents by row (`starts`, `terms`); the postings of each term (`holder_starts`, `holders`); the conjunctions
         of terms (`listed`, `begins`); the order; which documents are positive, their weights; the least confidence;
         how many rules serve a document.
Return   the rules chosen, in order.
Cost     for each rule, a look-up in each document that holds its rarest term.
Edges    a rule without terms is not chosen. n = p = 0 is not chosen.
"""

from __future__ import annotations

import numba
import numpy as np

from rubricate.kernels.rule_cover import covered

__all__ = ["choose_rules"]


@numba.njit(cache=True, nogil=True)
def _rarest(rule: np.ndarray, holder_starts: np.ndarray) -> int:
    """The term of a conjunction that fewest documents hold; the first of equals."""
    best = rule[0]
    for t in rule[1:]:
        if holder_starts[t + 1] - holder_starts[t] < holder_starts[best + 1] - holder_starts[best]:
            best = t
    return best


@numba.njit(cache=True, nogil=True)
def _unserved(
    cover: np.ndarray, times: np.ndarray, needed: int, positive: np.ndarray, weights: np.ndarray
) -> tuple[float, float]:
    """The weights of the positive and negative documents that are not served yet."""
    p, n = 0.0, 0.0
    for d in cover:
        if times[d] < needed:
            if positive[d]:
                p += weights[d]
            else:
                n += weights[d]
    return p, n


@numba.njit(cache=True, nogil=True)
def choose_rules(
    starts: np.ndarray,
    terms: np.ndarray,
    holder_starts: np.ndarray,
    holders: np.ndarray,
    listed: np.ndarray,
    begins: np.ndarray,
    order: np.ndarray,
    positive: np.ndarray,
    weights: np.ndarray,
    confidence: float,
    needed: int,
) -> np.ndarray:
    """The rules chosen."""
    chosen, count, times = np.empty(len(order), np.int64), 0, np.zeros(len(positive), np.int64)
    waiting = positive.sum()
    for r in order:
        rule = listed[begins[r] : begins[r + 1]]
        if waiting == 0:
            break
        if len(rule) == 0:
            continue
        key = _rarest(rule, holder_starts)
        cover = covered(starts, terms, holders[holder_starts[key] : holder_starts[key + 1]], rule)
        p, n = _unserved(cover, times, needed, positive, weights)
        if p <= 0 or p < confidence * (p + n):
            continue
        chosen[count] = r
        count += 1
        for d in cover:
            times[d] += 1
            waiting -= positive[d] and times[d] == needed
    return chosen[:count]
