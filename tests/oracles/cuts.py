"""Cutting by trying everything: every distinct score of a category as a cut, in exact arithmetic where it matters."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

Table = tuple[int, int, int, int]


def every_cut(scores: np.ndarray, truth: np.ndarray) -> list[tuple[float, Table]]:
    """Each score that could be the lowest assigned one, +inf first ("none"), descending, with its table."""
    found = []
    for lowest in sorted({math.inf, *(s for s in scores.tolist() if s > -math.inf)}, reverse=True):
        given = scores >= lowest
        table = (given & truth, given & ~truth, ~given & truth, ~given & ~truth)
        found.append((lowest, tuple(int(part.sum()) for part in table)))
    return found


def f1(table: Table) -> Fraction:
    tp, fp, fn, _ = table
    return Fraction(2 * tp, 2 * tp + fp + fn) if tp else Fraction(0)


def best_table(
    scores: np.ndarray,
    truth: np.ndarray,
    value: Callable[[Table], float] = f1,
    allowed: Callable[[Table], bool] = lambda table: True,
) -> tuple[float, Table]:
    """The first of the best: it assigns fewest, since fewer come first."""
    cuts = every_cut(scores, truth)
    return max([cuts[0], *(cut for cut in cuts[1:] if allowed(cut[1]))], key=lambda cut: value(cut[1]))


def cut_at(scores: np.ndarray, lowest: float) -> float:
    """The middle to the next lower score; above the highest finite score for "none"."""
    under = max((s for s in scores.tolist() if s < lowest), default=-math.inf)
    if lowest == math.inf:
        return math.inf if under == -math.inf else float(np.nextafter(under, math.inf))
    middle = lowest / 2 + under / 2
    return middle if under < middle <= lowest else lowest


def decide(scores: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """A cell at a time."""
    found = np.zeros(scores.shape, bool)
    for d, row in enumerate(scores):
        for c, score in enumerate(row):
            found[d, c] = score > -math.inf and score >= cuts[c]
    return found


def rcut(scores: np.ndarray, t: int) -> np.ndarray:
    """Sort the categories of each document by score, the earlier first, and take t that are not -inf."""
    found = np.zeros(scores.shape, bool)
    for d, row in enumerate(scores):
        order = sorted(range(len(row)), key=lambda c: (-row[c], c))
        for c in order[:t]:
            found[d, c] = row[c] > -math.inf
    return found


def pcut(scores: np.ndarray, quotas: list[Fraction]) -> np.ndarray:
    """For each category the set {score >= v} whose size is nearest to the quota, the smaller of two as near."""
    found = np.zeros(scores.shape, bool)
    for c, quota in enumerate(quotas):
        column = scores[:, c]
        sets = [column >= v for v in {math.inf, *column.tolist()} if v > -math.inf]
        found[:, c] = min(sets, key=lambda given: (abs(int(given.sum()) - quota), int(given.sum())))
    return found


def micro_macro(scores: np.ndarray, truth: np.ndarray, weight: float, passes: int) -> np.ndarray:
    """The rule as it is told: candidates near the top, best F1 first, then round after round."""
    categories = range(scores.shape[1])
    lists = []
    for c in categories:
        near = max(50, 5 * int(truth[:, c].sum()))
        cuts = every_cut(scores[:, c], truth[:, c])
        lists.append([cuts[0], *(cut for cut in cuts[1:] if cut[1][0] + cut[1][1] <= near)])
    chosen = [max(cuts, key=lambda cut: f1(cut[1])) for cuts in lists]
    for _ in range(passes):
        for c in categories:

            def value(cut: tuple[float, Table], c: int = c) -> float:
                tables = [cut[1] if k == c else chosen[k][1] for k in categories]
                hits = sum(t[0] for t in tables)
                wrong = sum(t[1] + t[2] for t in tables)
                micro = 2.0 * hits / max(2 * hits + wrong, 1)
                tp, fp, fn, _ = cut[1]
                return micro + weight / len(categories) * (2.0 * tp / max(2 * tp + fp + fn, 1))

            chosen[c] = max(lists[c], key=value)
    return np.array([cut_at(scores[:, c], chosen[c][0]) for c in categories])
