"""Slow, obvious twins of the significance tests: dense loops, whole-number chances, full enumeration."""

from __future__ import annotations

import itertools
import math
import statistics
from fractions import Fraction

import numpy as np


def disagreements(truth: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    found = np.zeros((3, truth.shape[1]), np.int64)
    for d, c in np.ndindex(*truth.shape):
        a_right, b_right = a[d, c] == truth[d, c], b[d, c] == truth[d, c]
        if a_right and not b_right:
            found[0, c] += 1
        if b_right and not a_right:
            found[1, c] += 1
        if not a_right and not b_right:
            found[2, c] += 1
    return found


def sign_p(k: int, n: int) -> Fraction:
    """YL99 4.1: P(Z >= k) for k >= n/2, else P(Z <= k), Z ~ Bin(n, 1/2)."""
    chosen = range(k, n + 1) if 2 * k >= n else range(k + 1)
    return Fraction(sum(math.comb(n, i) for i in chosen), 2**n)


def f1(truth: np.ndarray, decided: np.ndarray, undefined: float = 0.0) -> float:
    tp = int((truth & decided).sum())
    both = int(truth.sum()) + int(decided.sum())
    return 2 * tp / both if both else undefined


def macro_f1(truth: np.ndarray, decided: np.ndarray, undefined: float = 0.0) -> float:
    """The mean over categories; NaN is left out, and the answer when nothing is left."""
    values = [f1(truth[:, c], decided[:, c], undefined) for c in range(truth.shape[1])]
    kept = [value for value in values if not math.isnan(value)]
    return statistics.fmean(kept) if kept else math.nan


def t_statistic(a: list[float], b: list[float]) -> tuple[float, int]:
    """YL99 4.3: mean of the differences that are not zero over its standard error, and their number."""
    d = [x - y for x, y in zip(a, b, strict=True) if x != y]
    return statistics.mean(d) / (statistics.stdev(d) / math.sqrt(len(d))), len(d)


def mean_ranks(values: list[float]) -> list[float]:
    """1 + number of smaller values + half the number of other equal ones."""
    return [1 + sum(w < v for w in values) + (sum(w == v for w in values) - 1) / 2 for v in values]


def flip_p(differences: list[Fraction]) -> tuple[Fraction, Fraction]:
    """P(Σ±d >= |Σd|) and P(Σ±d = |Σd|), by going through all sign patterns."""
    observed = abs(sum(differences))
    sums = [
        sum(s * d for s, d in zip(signs, differences, strict=True))
        for signs in itertools.product((-1, 1), repeat=len(differences))
    ]
    return (
        Fraction(sum(x >= observed for x in sums), len(sums)),
        Fraction(sum(x == observed for x in sums), len(sums)),
    )


def permutation_p(truth: np.ndarray, a: np.ndarray, b: np.ndarray, measure) -> float:
    """Two-sided share of all 2ⁿ swaps whose difference is at least as far from 0."""
    observed = abs(measure(truth, a) - measure(truth, b))
    extreme = 0
    for swap in itertools.product((False, True), repeat=len(truth)):
        chosen = np.array(swap)[:, None]
        first, second = np.where(chosen, b, a), np.where(chosen, a, b)
        extreme += not abs(measure(truth, first) - measure(truth, second)) < observed - 1e-12
    return extreme / 2 ** len(truth)


def bootstrap_differences(truth: np.ndarray, a: np.ndarray, b: np.ndarray, measure) -> list[float]:
    """The differences over all nⁿ draws of n documents with replacement."""
    rows = (list(draw) for draw in itertools.product(range(len(truth)), repeat=len(truth)))
    return [measure(truth[r], a[r]) - measure(truth[r], b[r]) for r in rows]


def fisher_p(xa: int, na: int, xb: int, nb: int) -> Fraction:
    """One-sided, in the direction of the larger share: the sum of hypergeometric chances."""
    if xa * nb < xb * na:
        xa, na, xb, nb = xb, nb, xa, na
    x, n = xa + xb, na + nb
    return sum(
        (Fraction(math.comb(na, i) * math.comb(nb, x - i), math.comb(n, x)) for i in range(xa, min(na, x) + 1)),
        Fraction(0),
    )


def holm(p: list[float]) -> list[float]:
    """Reject one by one from the smallest: each p-value times the hypotheses still standing, never falling."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    found, highest = [0.0] * len(p), 0.0
    for rank, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p) - rank) * p[i]))
        found[i] = highest
    return found
