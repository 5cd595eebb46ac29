"""SMART weights one number at a time, as the letters define them."""

from __future__ import annotations

import math
from collections.abc import Sequence


def frequency(letter: str, f: float, row: Sequence[float]) -> float:
    present = [x for x in row if x > 0]
    return {
        "n": lambda: f,
        "b": lambda: 1.0,
        "l": lambda: 1 + math.log(f),
        "a": lambda: 0.5 + 0.5 * f / max(present),
        "L": lambda: (1 + math.log(f)) / (1 + math.log(sum(present) / len(present))),
    }[letter]()


def inverse(letter: str, n: int, documents: int) -> float:
    if letter == "n":
        return 1.0
    if n == 0:
        return 0.0
    if letter == "s":
        return 1 + math.log((1 + documents) / (1 + n))
    if letter == "t":
        return math.log(documents / n)
    return max(0.0, math.log((documents - n) / n)) if n < documents else 0.0


def weights(scheme: str, train: Sequence[Sequence[float]], rows: Sequence[Sequence[float]]) -> list[list[float]]:
    """The weights of `rows` with the document frequencies of `train`."""
    tf, idf, norm = scheme
    df = [sum(row[t] > 0 for row in train) for t in range(len(train[0]))]
    found = []
    for row in rows:
        raw = [frequency(tf, f, row) * inverse(idf, df[t], len(train)) if f > 0 else 0.0 for t, f in enumerate(row)]
        length = math.sqrt(sum(w * w for w in raw)) if norm == "c" else 1.0
        found.append([w / length if length > 0 else 0.0 for w in raw])
    return found
