"""Intervals: of a proportion by Wilson's formula, of any number from its bootstrap values."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from rubricate.errors import InvalidInput
from rubricate.types import Floats

__all__ = ["Interval", "centred", "percentile", "wilson"]


@dataclass(frozen=True)
class Interval:
    """From `low` to `high` with confidence `level`, and how it was found."""

    low: float
    high: float
    level: float
    method: str


def _checked(level: float) -> float:
    if not 0 < level < 1:
        raise InvalidInput(f"a confidence level lies between 0 and 1, got {level}; .95 is usual")
    return level


def wilson(successes: int, trials: int, *, level: float = 0.95) -> Interval:
    """Return Wilson's score interval of a proportion. wilson1927.

    (p + z²/2n ± z√(p(1 − p)/n + z²/4n²)) / (1 + z²/n). It assumes independent trials, which the decisions of one
    document are not: for micro-averages the document bootstrap is the wider and safer one. No trials: (0, 1).

    >>> wilson(8, 10).low.__round__(4)
    0.4902
    """
    if not 0 <= successes <= trials:
        raise InvalidInput(f"{successes} successes in {trials} trials; successes must lie between 0 and the trials")
    z = float(ndtri(0.5 + _checked(level) / 2))
    if trials == 0:
        return Interval(0.0, 1.0, level, "wilson")
    p, z2 = successes / trials, z * z / trials
    middle, half = p + z2 / 2, z * math.sqrt(p * (1 - p) / trials + z2 / (4 * trials))
    low = 0.0 if successes == 0 else max(0.0, (middle - half) / (1 + z2))
    high = 1.0 if successes == trials else min(1.0, (middle + half) / (1 + z2))
    return Interval(low, high, level, "wilson")


def percentile(values: Floats, *, level: float = 0.95) -> Interval:
    """Return the percentile interval of bootstrap values, NaN left out (NaN when all are). efron1993, chapter 13."""
    tail = (1 - _checked(level)) / 2
    kept = values[~np.isnan(values)]
    low, high = np.quantile(kept, [tail, 1 - tail]) if len(kept) else (math.nan, math.nan)
    return Interval(float(low), float(high), level, "bootstrap")


def centred(value: float, draws: Floats, *, level: float = 0.95) -> Interval:
    """Return the percentile interval of the draws, moved so that their mean lies on the value that was measured.

    A resample can leave a rare category without a document; its F1 is then 0/0, counts as zero, and pulls macro-F1
    down by more than half of its spread: the plain percentile interval need not hold the value at all. Centring keeps
    the spread and drops that shift. The ends stay within 0 and 1 where every draw does. NaN draws are left out.

    >>> centred(0.5, np.array([0.2, 0.3, 0.4]), level=0.5)
    Interval(low=0.45, high=0.55, level=0.5, method='bootstrap')
    """
    plain = percentile(draws, level=level)
    kept = draws[~np.isnan(draws)]
    if not len(kept) or math.isnan(value):
        return plain
    shift, inside = value - float(kept.mean()), bool((kept >= 0).all() and (kept <= 1).all())
    low, high = (round(end + shift, 12) for end in (plain.low, plain.high))
    return Interval(max(low, 0.0) if inside else low, min(high, 1.0) if inside else high, level, plain.method)
