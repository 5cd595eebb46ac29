"""Tails of the permutation test for many pairs of systems: patterns of documents, a normal tail, tilted draws.

Exchange the answers of two systems on each document with chance 1/2. Documents whose exchange has the same effect on
the counts, or the opposite one, are one pattern; from the midpoint of both systems the difference d of a measure is an
odd function of the deviations δ_g = k_g − n_g/2, with k_g ~ Bin(n_g, 1/2). Hence p = 2·P(d* >= |d|).

The normal tail takes d as linear in δ: d ≈ Σ w_g δ_g with variance Σ w_g² n_g / 4. Tilted draws take
k_g ~ Bin(n_g, 1/(1 + exp(−θ w_g))) with θ such that d is expected, so that half of the draws are as far off, and weigh
each by its likelihood ratio; the p-value (w_observed + Σ w·hit)/(m + 1) is valid for any number m of draws.
harrison2012, equation 3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special
from scipy.optimize import brentq

from rubricate.types import Floats, Ints

__all__ = ["FEW", "SwapPair", "f1_slopes", "normal_tail", "tilted_tail"]

FEW = 500
"""Differing documents up to which a normal tail is not trusted and draws are made."""

STEEPEST = 1e6
"""Largest tilt, in units of 1/standard deviation: beyond it the observed difference is the largest possible one."""


@dataclass(frozen=True, eq=False)
class SwapPair:
    """The patterns of two systems: documents `n`, those with the first orientation `k`, and their effects on counts.

    `tp` and `assigned` (patterns × columns) are what a document of the first orientation adds to a's counts and takes
    from b's. `middle_tp` and `middle_sum` are the means of both systems: TP, and true + assigned labels.
    """

    n: Ints
    k: Ints
    tp: Floats
    assigned: Floats
    middle_tp: Floats
    middle_sum: Floats
    linear: bool = False

    def differences(self, deviations: Floats) -> Floats:
        """Return the difference of the measure, a − b, for rows of deviations."""
        u = deviations @ self.tp
        if self.linear:
            return np.asarray(2 * u.sum(axis=-1) / self.middle_sum[0])
        v = deviations @ self.assigned
        first = _f1(self.middle_tp + u, self.middle_sum + v)
        return np.asarray((first - _f1(self.middle_tp - u, self.middle_sum - v)).mean(axis=-1))

    @property
    def observed(self) -> Floats:
        """Return the observed deviations, one row."""
        return (self.k - self.n / 2)[None]

    def slopes(self) -> Floats:
        """Return w: how much the difference changes with each deviation, at the midpoint."""
        if self.linear:
            return np.asarray(2 * self.tp.sum(axis=1) / self.middle_sum[0])
        return f1_slopes(self.tp, self.assigned, self.middle_tp, self.middle_sum)


def f1_slopes(tp: Any, assigned: Any, middle_tp: Floats, middle_sum: Floats) -> Floats:
    """Return how much mean F1(a) − F1(b) changes when a gains and b loses what each row of `tp`, `assigned` has."""
    inverse = np.divide(1.0, middle_sum, out=np.zeros_like(middle_sum), where=middle_sum > 0)
    return np.asarray(4 / len(middle_sum) * (tp @ inverse - assigned @ (middle_tp * inverse**2)))


def _f1(tp: Floats, both: Floats) -> Floats:
    return np.divide(2 * tp, both, out=np.zeros(np.broadcast_shapes(tp.shape, both.shape)), where=both > 0.25)


def normal_tail(difference: float, variance: float) -> float:
    """Return the two-sided p-value of the linear approximation; 1 where no document differs in effect."""
    return float(2 * special.ndtr(-abs(difference) / math.sqrt(variance))) if variance > 0 else 1.0


def tilted_tail(pair: SwapPair, difference: float, *, draws: int, rng: np.random.Generator) -> float:
    """Return the two-sided p-value by importance sampling; differences within 10⁻¹² are ties."""
    w, n, far = pair.slopes(), pair.n, abs(difference)
    if far < 1e-12 or not (w != 0).any():
        return 1.0
    theta = _tilt(w, n, far)
    cumulant = float((n * (np.logaddexp(theta * w / 2, -theta * w / 2) - math.log(2))).sum())
    chance = special.expit(theta * w)
    total = math.exp(min(cumulant - theta * abs(float((pair.observed @ w)[0])), 0.0))
    step = max(1, 2_000_000 // len(n))
    for start in range(0, draws, step):
        size = (min(step, draws - start), len(n))
        deviations = rng.binomial(n, chance, size) - n / 2
        hit = pair.differences(deviations) >= far - 1e-12
        total += float(np.exp(np.minimum(cumulant - theta * (deviations[hit] @ w), 50.0)).sum())
    return min(1.0, 2 * total / (draws + 1))


def _tilt(w: Floats, n: Ints, far: float) -> float:
    """Return θ with expected linear difference `far`: Σ n w/2 · tanh(θ w/2) = far; the largest where there is none."""
    sd2 = float((w**2 * n).sum()) / 4

    def short(theta: float) -> float:
        return float((n * w / 2 * np.tanh(theta * w / 2)).sum()) - far

    high = far / sd2
    while short(high) < 0:
        high *= 2
        if high > STEEPEST / math.sqrt(sd2):
            return high
    return float(brentq(short, 0.0, high, xtol=1e-9 * high))
