"""Slow, obvious twins: distances of label sets and Krippendorff's alpha by its definition."""

from __future__ import annotations


def masi(a: frozenset, b: frozenset) -> float:
    if a == b:
        return 0.0
    common, union = len(a & b), len(a | b)
    kind = 2 / 3 if common and common == min(len(a), len(b)) else 1 / 3
    return 1 - common / union * kind


def jaccard(a: frozenset, b: frozenset) -> float:
    return 0.0 if a == b else 1 - len(a & b) / len(a | b)


def alpha(units: list[list], distance) -> float:
    """Units are lists of the judgements of one document, missing ones left out."""
    units = [unit for unit in units if len(unit) > 1]
    every = [value for unit in units for value in unit]
    observed = sum(
        distance(unit[i], unit[j]) / (len(unit) - 1)
        for unit in units
        for i in range(len(unit))
        for j in range(len(unit))
    )
    expected = sum(distance(a, b) for a in every for b in every) / (len(every) - 1)
    return 1 - observed / expected
