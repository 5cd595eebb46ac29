"""Rules chosen in a given order for what they add to those chosen before.

Problem  a document is served when so many chosen rules cover it. Go through the rules in order; choose one if, of the
         documents it covers that are not yet served, the positive ones have weight p > 0 and the negative ones n with
         p/(p + n) >= confidence. Stop when every positive document is served.
Given    the examples, the documents that hold each term, and the candidates.
Return   the rules chosen, in order.
Cost     for each rule, a look-up in each document that holds its rarest term.
Edges    a rule without terms is not chosen. n = p = 0 is not chosen.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rule_cover import Holders, RuleExamples, covered

__all__ = ["Candidates", "choose_rules"]


class Candidates(NamedTuple):
    """Conjunctions of terms, terms[starts[r]:starts[r + 1]] of rule r, and the order in which they are tried.

    A rule needs the least `confidence`; a document is served by `needed` rules.
    """

    terms: np.ndarray
    starts: np.ndarray
    order: np.ndarray
    confidence: float
    needed: int


@numba.njit(cache=True, nogil=True)
def _rarest(rule: np.ndarray, holders: Holders) -> int:
    """Return the term of a conjunction that fewest documents hold; the first of equals."""
    starts, ends = holders.starts, holders.ends
    best = rule[0]
    for t in rule[1:]:
        if ends[t] - starts[t] < ends[best] - starts[best]:
            best = t
    return best


@numba.njit(cache=True, nogil=True)
def _unserved(examples: RuleExamples, cover: np.ndarray, waits: np.ndarray) -> tuple[float, float]:
    """Return the weights of the positive and negative documents that still wait for a rule."""
    positive, weights = examples.positive, examples.weights
    p, n = 0.0, 0.0
    for d in cover:
        if waits[d] > 0:
            if positive[d]:
                p += weights[d]
            else:
                n += weights[d]
    return p, n


@numba.njit(cache=True, nogil=True)
def choose_rules(examples: RuleExamples, holders: Holders, candidates: Candidates) -> np.ndarray:
    """Return the rules chosen."""
    chosen, count = np.empty(len(candidates.order), np.int64), 0
    positive, waits = examples.positive, np.full(len(examples.positive), candidates.needed)
    waiting = positive.sum()
    for r in candidates.order:
        rule = candidates.terms[candidates.starts[r] : candidates.starts[r + 1]]
        if waiting == 0:
            break
        if len(rule) == 0:
            continue
        key = _rarest(rule, holders)
        # Only documents that hold the rarest term can meet the rule: its postings stand for all documents.
        cover = covered(examples, holders.documents[holders.starts[key] : holders.ends[key]], rule)
        # Only what earlier rules left counts: a rule that repeats them adds p = 0 and is passed over.
        p, n = _unserved(examples, cover, waits)
        if p <= 0 or p < candidates.confidence * (p + n):
            continue
        chosen[count] = r
        count += 1
        for d in cover:
            waits[d] -= 1
            waiting -= positive[d] and waits[d] == 0
    return chosen[:count]
