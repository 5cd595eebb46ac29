"""Confidence intervals: Wilson for proportions, the document bootstrap for everything."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from rubricate.errors import InvalidInput
from rubricate.measures._tables import canonical
from rubricate.types import Counts, Floats, Ints, Sparse

__all__ = ["Interval", "Resampler", "bootstrap", "centred", "percentile", "weighted_means", "wilson"]


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
    """Wilson's score interval of a proportion. wilson1927.

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


@dataclass(frozen=True, eq=False)
class Resampler:
    """What each document adds to the tables: (document, category) of every TP, FP and FN; TN follow from the rest."""

    documents: int
    categories: int
    tp: tuple[Ints, Ints]
    fp: tuple[Ints, Ints]
    fn: tuple[Ints, Ints]

    @classmethod
    def of(cls, truth: Sparse, decided: Sparse) -> Resampler:
        """The contributions of the documents to the tables of a system. Cost: labels and decisions."""
        true, yes = canonical(truth), canonical(decided)
        both = true.multiply(yes)
        return cls(*true.shape, *((part.nonzero()) for part in (both, yes > both, true > both)))

    def counts(self, weights: Ints) -> Counts:
        """The tables when document d is drawn `weights[d]` times. Cost: labels and decisions."""
        tp, fp, fn = (
            np.bincount(columns, weights=weights[rows], minlength=self.categories).astype(np.int64)
            for rows, columns in (self.tp, self.fp, self.fn)
        )
        return Counts(tp, fp, fn, int(weights.sum()) - tp - fp - fn)


def bootstrap(
    statistics: Callable[[Ints], Mapping[str, float]], documents: int, *, draws: int = 1000, seed: int = 0
) -> dict[str, Floats]:
    """The values of some statistics in resamples of the documents with replacement. efron1993, chapter 6.

    `statistics` gets how often each document was drawn. The resamples depend on `seed` and `documents` alone.
    """
    if draws < 1:
        raise InvalidInput(f"a bootstrap needs at least one draw, got {draws}; 1000 is usual")
    if documents < 1:
        raise InvalidInput("there is no document to draw; a bootstrap needs at least one")
    rng = np.random.default_rng(seed)
    rows = [statistics(np.bincount(rng.integers(0, documents, documents), minlength=documents)) for _ in range(draws)]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def weighted_means(each: Mapping[str, Floats], weights: Ints) -> dict[str, float]:
    """The weighted mean of per-document values, NaN left out."""
    found = {}
    for name, values in each.items():
        kept = ~np.isnan(values)
        n = weights[kept].sum()
        found[name] = float(weights[kept] @ values[kept] / n) if n else float("nan")
    return found


def percentile(values: Floats, *, level: float = 0.95) -> Interval:
    """The percentile interval of bootstrap values, NaN left out (NaN when all are). efron1993, chapter 13."""
    tail = (1 - _checked(level)) / 2
    kept = values[~np.isnan(values)]
    low, high = np.quantile(kept, [tail, 1 - tail]) if len(kept) else (math.nan, math.nan)
    return Interval(float(low), float(high), level, "bootstrap")


def centred(value: float, draws: Floats, *, level: float = 0.95) -> Interval:
    """The percentile interval of the draws, moved so that their mean lies on the value that was measured.

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
