"""WORD, one document, one name and one word at a time."""

from __future__ import annotations

import math


def cosine_with_names(documents, names, scheme):
    """s(x, c) for every pair, the idf from the same documents."""
    tf, idf, norm = scheme
    held = [sum(row[t] > 0 for row in documents) for t in range(len(documents[0]))]
    scores = []
    for x in documents:
        scores.append([])
        for name in names:
            w = [_tf(tf, f, max(name)) * _idf(idf, len(documents), held[t]) for t, f in enumerate(name)]
            product = sum(a * b for a, b in zip(x, w, strict=True))
            length = math.hypot(*x) * math.hypot(*w) if norm == "c" else 1.0
            scores[-1].append(product / length if length else 0.0)
    return scores


def _tf(letter, f, most):
    if f == 0:
        return 0.0
    return {"n": f, "b": 1.0, "l": 1 + math.log(f), "a": 0.5 + 0.5 * f / most}[letter]


def _idf(letter, N, n):
    if letter == "n":
        return 1.0
    if n == 0 or (letter == "p" and N - n <= n):
        return 0.0
    return math.log(N / n if letter == "t" else (N - n) / n)
