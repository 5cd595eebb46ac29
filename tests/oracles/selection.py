"""Criteria of selection, one term and category at a time."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np

Presence = np.ndarray
"""Documents × terms or documents × categories, boolean."""


def table(term: Presence, category: Presence) -> tuple[int, int, int, int]:
    """A, B, C, D."""
    pairs = list(zip(term.tolist(), category.tolist(), strict=True))
    return tuple(pairs.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False)))


def chi2(term: Presence, category: Presence) -> float:
    A, B, C, D = table(term, category)
    denominator = (A + C) * (B + D) * (A + B) * (C + D)
    return (A + B + C + D) * (A * D - C * B) ** 2 / denominator if denominator else 0.0


def mutual_information(term: Presence, category: Presence) -> float:
    A, B, C, D = table(term, category)
    return math.log(A * (A + B + C + D) / ((A + C) * (A + B))) if A else 0.0


def information_gain(term: Presence, labels: Presence) -> float:
    """The three sums of yang1997, equation 1."""

    def plogp(column: Presence) -> float:
        p = column.mean() if len(column) else 0.0
        return p * math.log(p) if p > 0 else 0.0

    share = term.mean()
    whole = -sum(plogp(category) for category in labels.T)
    with_term = share * sum(plogp(category[term]) for category in labels.T)
    return whole + with_term + (1 - share) * sum(plogp(category[~term]) for category in labels.T)


def term_strength(present: Presence, related: int) -> list[float]:
    """P(t in y | t in x) over ordered pairs whose cosine reaches the least multiple of .001 that leaves few enough."""
    documents, terms = present.shape
    idf = [math.log(documents / n) if n else 0.0 for n in present.sum(axis=0).tolist()]
    vectors = [[idf[t] if row[t] else 0.0 for t in range(terms)] for row in present]

    def cosine(x: int, y: int) -> float:
        product = sum(a * b for a, b in zip(vectors[x], vectors[y], strict=True))
        return product / math.sqrt(sum(a * a for a in vectors[x]) * sum(b * b for b in vectors[y])) if product else 0.0

    cosines = {(x, y): cosine(x, y) for x, y in permutations(range(documents), 2)}

    def pairs(step: int) -> list[tuple[int, int]]:
        return [pair for pair, value in cosines.items() if value > 0 and value * 1000 + 1e-9 >= step]

    step = next((step for step in range(1, 1001) if len(pairs(step)) <= related * documents), 1000)
    strength = []
    for t in range(terms):
        first = [(x, y) for x, y in pairs(step) if present[x, t]]
        strength.append(sum(present[y, t] for _, y in first) / len(first) if first else 0.0)
    return strength
