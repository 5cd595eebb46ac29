"""Corrections for many tests at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from scipy.special import ndtr
from scipy.stats import rankdata, studentized_range

from rubricate.errors import InvalidInput, UnknownName
from rubricate.significance.statistics import friedman_test
from rubricate.significance.system import System, as_system
from rubricate.significance.systems import same_categories
from rubricate.types import Bools, Floats, Run, Undefined

__all__ = [
    "ADJUSTMENTS",
    "CriticalDifference",
    "adjusted",
    "benjamini_hochberg",
    "critical_difference",
    "holm",
    "letters",
    "wilcoxon_p",
]


def _checked(p_values: Sequence[float] | Floats) -> Floats:
    p = np.asarray(p_values, np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise InvalidInput("p-values must be a flat sequence of numbers from 0 to 1")
    return p


def holm(p_values: Sequence[float] | Floats) -> Floats:
    """Step down: the i-th smallest of m p-values times m − i + 1, never falling, at most 1. holm1979.

    Controls the chance of one false rejection or more, whatever the dependence.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return _back(np.minimum(stepped, 1.0), order)


def benjamini_hochberg(p_values: Sequence[float] | Floats) -> Floats:
    """Step up: the i-th smallest of m p-values times m/i, never rising towards the small ones. benjamini1995.

    Controls the expected share of false rejections among the rejections, for independent or positively dependent
    tests.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.04, 0.04]
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    stepped = p[order] * len(p) / np.arange(1, len(p) + 1)
    return _back(np.minimum(np.minimum.accumulate(stepped[::-1])[::-1], 1.0), order)


def _back(values: Floats, order: np.ndarray) -> Floats:
    restored = np.empty_like(values)
    restored[order] = values
    return restored


ADJUSTMENTS: dict[str, Callable[[Sequence[float] | Floats], Floats]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "none": _checked,
}


def adjusted(p_values: Sequence[float] | Floats, how: str) -> Floats:
    """Correct p-values by `holm`, `bh`, or `none`."""
    if how not in ADJUSTMENTS:
        raise UnknownName("correction", how, ADJUSTMENTS)
    return ADJUSTMENTS[how](p_values)


def letters(different: Bools) -> list[str]:
    """Return the letters of systems, given which pairs are significantly different (a symmetric matrix).

    Two systems share a letter exactly if they are not different. Insert and absorb: start with one letter for all; for
    each different pair, split every letter that both have into one without the first and one without the second, and
    drop letters whose systems all have another. Letters are in the order of the systems, best first.

    >>> import numpy as np
    >>> letters(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool))
    ['a', 'ab', 'b']
    """
    n = len(different)
    columns: list[frozenset[int]] = [frozenset(range(n))]
    for i in range(n):
        for j in range(i + 1, n):
            if different[i, j]:
                columns = _split(columns, i, j)
    order = sorted(columns, key=lambda column: (min(column), sorted(column)))
    names = [_name(k) for k in range(len(order))]
    return ["".join(name for name, column in zip(names, order, strict=True) if i in column) for i in range(n)]


def _split(columns: Sequence[frozenset[int]], i: int, j: int) -> list[frozenset[int]]:
    changed = [column for column in columns if i in column and j in column]
    if not changed:
        return list(columns)
    kept = [column for column in columns if not (i in column and j in column)]
    for column in changed:
        for part in (column - {i}, column - {j}):
            if part and not any(part <= other for other in kept):
                kept = [other for other in kept if not other < part] + [part]
    return kept


def _name(place: int) -> str:
    """Return a, b, …, z, then A, …, Z, then a2, b2, …"""
    alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    turn, sign = divmod(place, len(alphabet))
    return alphabet[sign] + (str(turn + 1) if turn else "")


@dataclass(frozen=True, eq=False)
class CriticalDifference:
    """Systems by mean rank, best first; `groups` are runs of places (first, last) that are not distinguishable.

    `difference` is Nemenyi's critical difference, None for Wilcoxon–Holm; `p_value` is Friedman's.
    """

    way: str
    systems: tuple[str, ...]
    mean_ranks: Floats
    groups: tuple[tuple[int, int], ...]
    difference: float | None
    p_value: float
    blocks: int
    alpha: float


def critical_difference(
    runs: Sequence[Run | System],
    *,
    way: Literal["nemenyi", "wilcoxon"] = "nemenyi",
    alpha: float = 0.05,
    undefined: Undefined = "zero",
) -> CriticalDifference:
    """Compare systems by their ranks on the F1 of each category."""
    if way not in ("nemenyi", "wilcoxon"):
        raise UnknownName("way to compare mean ranks", str(way), ("nemenyi", "wilcoxon"))
    systems = [as_system(run) for run in runs]
    if len(systems) < 2:
        raise InvalidInput("a critical difference needs at least two systems")
    same_categories(*(system.inside for system in systems))
    values = np.array([system.f1(undefined) for system in systems])
    values = values[:, ~np.isnan(values).any(axis=0)]
    whole = friedman_test(values)
    order = np.argsort(whole.mean_ranks, kind="stable")
    ranks, k = whole.mean_ranks[order], len(systems)
    difference = None
    if way == "nemenyi":
        q = float(studentized_range.ppf(1 - alpha, k, np.inf)) / math.sqrt(2)
        difference = q * math.sqrt(k * (k + 1) / (6 * max(whole.n, 1)))
        different = np.abs(ranks[:, None] - ranks[None, :]) > difference
    else:
        different = _wilcoxon_different(values[order], alpha)
    names = tuple(systems[i].name for i in order)
    return CriticalDifference(way, names, ranks, _cliques(different), difference, whole.p_value, whole.n, alpha)


def _wilcoxon_different(values: Floats, alpha: float) -> Bools:
    pairs = list(combinations(range(len(values)), 2))
    corrected = holm([wilcoxon_p(values[a] - values[b]) for a, b in pairs])
    different = np.zeros((len(values), len(values)), bool)
    for (a, b), p in zip(pairs, corrected, strict=True):
        different[a, b] = different[b, a] = p <= alpha
    return different


def wilcoxon_p(d: Floats) -> float:
    """Return the two-sided p-value of the signed-rank test, zeros left out, normal with the correction for ties.

    Agrees with `scipy.stats.wilcoxon(d, method="asymptotic")`. Nothing but zeros: 1. wilcoxon1945.
    """
    changed = d[d != 0]
    n = len(changed)
    if n == 0:
        return 1.0
    ranks = rankdata(np.abs(changed))
    _, ties = np.unique(ranks, return_counts=True)
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((ties**3 - ties).sum()) / 48
    z = (min(ranks[changed > 0].sum(), ranks[changed < 0].sum()) - n * (n + 1) / 4) / math.sqrt(variance)
    return min(1.0, float(2 * ndtr(z)))


def _cliques(different: Bools) -> tuple[tuple[int, int], ...]:
    """Return the longest runs of neighbours, at least two, within which no pair is different."""
    runs: list[tuple[int, int]] = []
    for first in range(len(different)):
        last = first
        while last + 1 < len(different) and not different[first : last + 1, last + 1].any():
            last += 1
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return tuple(runs)
