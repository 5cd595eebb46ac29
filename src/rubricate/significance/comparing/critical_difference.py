"""Critical differences of mean ranks: which systems are not distinguishable over the categories. demsar2006.

Friedman–Nemenyi: systems whose mean ranks differ by less than CD = q_α √(k(k+1)/6N) are connected. Wilcoxon–Holm:
systems are connected where no pair among them has a corrected signed-rank p-value of α or less. benavoli2016.
The blocks are the F1 values of the categories.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from scipy.special import ndtr
from scipy.stats import rankdata, studentized_range

from rubricate.errors import InvalidInput, UnknownName
from rubricate.significance.comparing.corrections import holm
from rubricate.significance.statistics.friedman_ranks import friedman_test
from rubricate.significance.systems.pair import same_categories
from rubricate.significance.systems.system import System, as_system
from rubricate.types import Bools, Floats, Run, Undefined

__all__ = ["CriticalDifference", "critical_difference", "wilcoxon_p"]


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
