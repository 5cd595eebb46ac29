"""Naive Bayes by its formulas: one loop for each sum and product."""

from __future__ import annotations

import math


def _count(X, rows, t, presence):
    return sum((X[d][t] > 0) if presence else X[d][t] for d in rows)


def _log_likelihood(x, X, rows, alpha, model):
    """log P(x|the class of these documents), without the factor that is the same for all classes."""
    terms = range(len(x))
    if model == "bernoulli":
        p = [(_count(X, rows, t, True) + alpha) / (len(rows) + 2 * alpha) for t in terms]
        return math.fsum(math.log(p[t]) if x[t] > 0 else math.log(1 - p[t]) for t in terms)
    counts = [_count(X, rows, t, False) for t in terms]
    total = sum(counts) + alpha * len(x)
    return math.fsum(x[t] * math.log((counts[t] + alpha) / total) for t in terms)


def _joint(x, X, Y, c, alpha, model):
    inside = [d for d in range(len(X)) if Y[d][c]]
    outside = [d for d in range(len(X)) if not Y[d][c]]
    if model == "complement":
        return -_log_likelihood(x, X, outside, alpha, "multinomial")
    prior = math.log(len(inside) / sum(map(sum, Y)))
    return prior + _log_likelihood(x, X, inside, alpha, model)


def mixture_log_odds(x, X, Y, alpha, model):
    """log P(c|x) / (1 - P(c|x)) of one mixture over the categories."""
    joint = [_joint(x, X, Y, c, alpha, model) for c in range(len(Y[0]))]
    odds = []
    for c, own in enumerate(joint):
        others = [value for e, value in enumerate(joint) if e != c]
        most = max(others)
        odds.append(own - most - math.log(math.fsum(math.exp(value - most) for value in others)))
    return odds


def rest_log_odds(x, X, Y, alpha, model):
    """log P(c|x) / P(not c|x), each category against the documents outside it."""
    odds = []
    for c in range(len(Y[0])):
        inside = [d for d in range(len(X)) if Y[d][c]]
        outside = [d for d in range(len(X)) if not Y[d][c]]
        prior = 0.0 if model == "complement" else math.log(len(inside) / len(outside))
        event = "multinomial" if model == "complement" else model
        ours, rest = (_log_likelihood(x, X, rows, alpha, event) for rows in (inside, outside))
        odds.append(prior + ours - rest)
    return odds
