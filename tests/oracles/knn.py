"""Nearest neighbours as one would write them down: every similarity, sorted."""

from __future__ import annotations

import math


def cosine(a, b):
    lengths = math.sqrt(math.fsum(x * x for x in a)) * math.sqrt(math.fsum(x * x for x in b))
    return math.fsum(x * y for x, y in zip(a, b, strict=True)) / lengths if lengths else 0.0


def inner(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def nearest(queries, documents, k, similarity=cosine):
    """For each query the k (similarity, document) of largest similarity, the earlier document of equals."""
    found = []
    for query in queries:
        ranked = sorted((-similarity(query, document), d) for d, document in enumerate(documents))
        found.append([(-value, d) for value, d in ranked[:k]])
    return found


def scores(neighbours, labels):
    """s(x, c) = Σ cos(x, d) y(d, c)."""
    categories = range(len(labels[0]))
    return [[sum(value for value, d in near if labels[d][c]) for c in categories] for near in neighbours]
