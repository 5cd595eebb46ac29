"""Exchange the answers of two systems on each document with chance 1/2: the tails of the difference of a measure.

Documents whose exchange has the same effect on the counts, or the opposite one, are one pattern; from the midpoint of
both systems the difference d of mean F1 is an odd function of the deviations δ_g = k_g − n_g/2, where k_g of n_g
documents are exchanged, k_g ~ Bin(n_g, 1/2). Hence p = 2·P(d* >= |d|).

The exact tail counts all outcomes, the plain one draws them. The normal tail takes d as linear in δ: d ≈ Σ w_g δ_g with
variance Σ w_g² n_g / 4. Tilted draws take k_g ~ Bin(n_g, 1/(1 + exp(−θ w_g))) with θ such that d is expected, so that
half of the draws are as far off, and weigh each by its likelihood ratio; the p-value (w_observed + Σ w·hit)/(m + 1) is
valid for any number m of draws. harrison2012, equation 3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy import special
from scipy.optimize import brentq

from rubricate.measures.definition.ratio import ratio
from rubricate.measures.intervals.resampling import binomial_draws, weighted_sums
from rubricate.types import Bools, Floats, Ints, Undefined

__all__ = [
    "Exchanges", "SwapPair", "count_outcomes", "exact_tail", "f1_slopes", "mean_f1", "normal_tail", "plain_tail",
    "tilted_tail",
]  # fmt: skip

MAX_TILT = 1e6
"""Largest tilt, in units of 1/standard deviation: beyond it the observed difference is the largest possible one."""


class Exchanges(NamedTuple):
    """What an exchange on one document of each pattern adds to the TP and the assigned labels of a, and takes from b's.

    One column for each category, or one for all of them.
    """

    tp: Any
    assigned: Any


@dataclass(frozen=True, eq=False)
class SwapPair:
    """The patterns of two systems: documents `n`, those in the first orientation `k`, and the effects of exchanges.

    `middle_tp` and `middle_sum` are the means of both systems: TP, and true + assigned labels.
    """

    n: Ints
    k: Ints
    effects: Exchanges
    middle_tp: Floats
    middle_sum: Floats
    undefined: Undefined = "zero"

    def differences(self, k: Ints) -> Floats:
        """Return the difference of mean F1, a − b, if `k[b, g]` documents of pattern g have the first orientation."""
        tp, assigned = (sums / 2 for sums in weighted_sums(self.effects, 2 * k - self.n))
        first = mean_f1(self.middle_tp + tp, self.middle_sum + assigned, self.undefined)
        return first - mean_f1(self.middle_tp - tp, self.middle_sum - assigned, self.undefined)

    def is_far(self, k: Ints, far: float) -> Bools:
        """Return which differences are `far` or more from 0; those within 10⁻¹² are ties, and one left out is far."""
        return np.asarray(~(np.abs(self.differences(k)) < far - 1e-12))

    def slopes(self) -> Floats:
        """Return w: how much the difference changes with each deviation, at the midpoint."""
        return f1_slopes(self.effects, self.middle_tp, self.middle_sum)


def mean_f1(tp: Floats, both: Floats, undefined: Undefined) -> Floats:
    """Return the mean of F1 = 2TP / (A + T) over the last axis; 0/0 counts as `undefined`, `both` is A + T."""
    values = ratio(2 * tp, both, undefined)
    defined = ~np.isnan(values)
    return ratio(np.where(defined, values, 0.0).sum(axis=-1), defined.sum(axis=-1), undefined)


def f1_slopes(effects: Exchanges, middle_tp: Floats, middle_sum: Floats) -> Floats:
    """Return how much mean F1(a) − F1(b) changes if a gains and b loses what each row of the effects has."""
    inverse = np.divide(1.0, middle_sum, out=np.zeros_like(middle_sum), where=middle_sum > 0)
    tp, assigned = effects
    return np.asarray(4 / len(middle_sum) * (tp @ inverse - assigned @ (middle_tp * inverse**2)))


def count_outcomes(n: Ints) -> float:
    """Return how many outcomes there are: of n documents of a pattern 0 to n can be exchanged."""
    return math.prod((n + 1.0).tolist())


def exact_tail(pair: SwapPair, far: float) -> float:
    """Return the two-sided p-value from all outcomes. Cost: outcomes × patterns."""
    outcomes = np.array(list(product(*(range(int(size) + 1) for size in pair.n))), np.int64)
    chances = np.ones(len(outcomes))
    for g, size in enumerate(int(size) for size in pair.n):
        chances *= np.array([math.comb(size, k) / 2**size for k in range(size + 1)])[outcomes[:, g]]
    return min(1.0, float(chances[pair.is_far(outcomes, far)].sum()))


def plain_tail(pair: SwapPair, far: float, *, draws: int, rng: np.random.Generator) -> float:
    """Return the two-sided p-value from plain draws, with the observation as one more."""
    blocks = binomial_draws(pair.n, draws, rng=rng, columns=len(pair.middle_sum))
    return (1 + sum(int(pair.is_far(k, far).sum()) for k in blocks)) / (1 + draws)


def normal_tail(difference: float, variance: float) -> float:
    """Return the two-sided p-value of the linear approximation; 1 if no document differs in effect."""
    return float(2 * special.ndtr(-abs(difference) / math.sqrt(variance))) if variance > 0 else 1.0


def tilted_tail(pair: SwapPair, far: float, *, draws: int, rng: np.random.Generator) -> float:
    """Return the two-sided p-value by importance sampling; differences within 10⁻¹² are ties."""
    w, n = pair.slopes(), pair.n
    if far < 1e-12 or not (w != 0).any():
        return 1.0
    theta = _tilt(w, n, far)
    cumulant = float((n * (np.logaddexp(theta * w / 2, -theta * w / 2) - math.log(2))).sum())
    total = math.exp(min(cumulant - theta * abs(float((pair.k - n / 2) @ w)), 0.0))
    for k in binomial_draws(n, draws, rng=rng, chance=special.expit(theta * w), columns=len(pair.middle_sum)):
        hit = pair.differences(k) >= far - 1e-12
        total += float(np.exp(np.minimum(cumulant - theta * ((k[hit] - n / 2) @ w), 50.0)).sum())
    return min(1.0, 2 * total / (draws + 1))


def _tilt(w: Floats, n: Ints, far: float) -> float:
    """Return θ with expected linear difference `far`: Σ n w/2 · tanh(θ w/2) = far; the largest if there is none."""
    sd2 = float((w**2 * n).sum()) / 4

    def shortfall(theta: float) -> float:
        return float((n * w / 2 * np.tanh(theta * w / 2)).sum()) - far

    high = far / sd2
    while shortfall(high) < 0:
        high *= 2
        if high > MAX_TILT / math.sqrt(sd2):
            return high
    return float(brentq(shortfall, 0.0, high, xtol=1e-9 * high))
