"""Intervals for proportions and sums of proportions, for whole arrays: Wilson, MOVER, logit with Student's t."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from rubricate.errors import InvalidInput
from rubricate.labelling.predictions import logistic
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = [
    "ENOUGH",
    "ERRORS",
    "FEW",
    "Block",
    "CategoryEstimates",
    "Curve",
    "LabelledSample",
    "Ratio",
    "category_estimates",
    "finite",
    "fit_curve",
    "logit_t",
    "mover",
    "powered_mean",
    "quantile",
    "regressed",
    "wilson_ends",
]


def quantile(level: float) -> float:
    """Return z for a two-sided level."""
    return float(ndtri(0.5 + level / 2))


def finite(labelled: Any, population: Any) -> Floats:
    """Return labelled / (1 − labelled / population): what so many labels are worth when few documents are left."""
    left = np.maximum(1 - np.asarray(labelled, float) / np.maximum(population, 1), 1e-9)
    return np.asarray(labelled / left)


def wilson_ends(p: Any, n: Any, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return Wilson's interval of proportions p of n; 0 to 1 where n is 0. wilson1927."""
    z2 = quantile(level) ** 2
    p, n = np.broadcast_arrays(np.asarray(p, float), np.asarray(n, float))
    kept = np.maximum(n, 1e-9)
    middle = (p + z2 / (2 * kept)) / (1 + z2 / kept)
    half = np.sqrt(z2 * np.maximum(p * (1 - p), 0) / kept + z2 * z2 / (4 * kept * kept)) / (1 + z2 / kept)
    low = np.where((n <= 0) | (p <= 0), 0.0, np.maximum(middle - half, 0.0))
    high = np.where((n <= 0) | (p >= 1), 1.0, np.minimum(middle + half, 1.0))
    return low, high


def mover(p: Floats, ends: tuple[Floats, Floats], weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Combine proportions of strata (axis 0) into a weighted sum with an interval. zou2008 (MOVER).

    The sum is m = Σ W p; it reaches down by √Σ (W (p − low))² and up by √Σ (W (high − p))².
    """
    low, high = ends
    total = (weights * p).sum(axis=0)
    down = np.sqrt(((weights * (p - low)) ** 2).sum(axis=0))
    up = np.sqrt(((weights * (high - p)) ** 2).sum(axis=0))
    return total, np.maximum(total - down, 0.0), np.minimum(total + up, 1.0)


def logit_t(value: Any, error: Any, freedom: Any, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the interval of a share on the logit scale: logit v ± t · error / (v (1 − v)), with Student's t."""
    kept = np.clip(np.asarray(value, float), 1e-4, 1 - 1e-4)
    t = np.asarray(stdtrit(np.maximum(freedom, 1.0), 0.5 + level / 2))
    centre, reach = np.log(kept / (1 - kept)), t * np.asarray(error) / (kept * (1 - kept))
    return logistic(centre - reach), logistic(centre + reach)


@dataclass(frozen=True, eq=False)
class LabelledSample:
    """Documents drawn at random within strata, and labelled by people. A uniform sample has one stratum.

    Parameters
    ----------
    rows : positions of the documents in the population.
    stratum : stratum of each document, 0, 1, …
    sizes : documents of the population in each stratum, N_h.
    labels : documents × categories, boolean.
    """

    rows: Ints
    stratum: Ints
    sizes: Ints
    labels: Sparse

    def __post_init__(self) -> None:
        if not len(self.rows):
            raise InvalidInput("no labelled document; label some of the sample first")
        empty = np.flatnonzero((self.counts == 0) & (self.sizes > 0))
        if len(empty):
            raise InvalidInput(
                f"{len(empty)} strata of the sample have no labelled document; label at least one of each stratum"
            )
        if (self.counts > self.sizes).any():
            raise InvalidInput("a stratum has more labelled documents than the population; check the sample file")

    @cached_property
    def counts(self) -> Ints:
        """Labelled documents of each stratum, n_h."""
        return np.bincount(self.stratum, minlength=len(self.sizes))

    @cached_property
    def weights(self) -> Floats:
        """Weight of each document, N_h / (N n_h); they sum to 1."""
        share = self.sizes / self.sizes.sum()
        return np.asarray((share / np.maximum(self.counts, 1))[self.stratum])

    @property
    def uniform(self) -> bool:
        """Whether there is one stratum only."""
        return len(self.sizes) == 1

    @property
    def fraction(self) -> float:
        """Share of the population that is labelled."""
        return len(self.rows) / float(self.sizes.sum())

    def mean(self, values: Floats) -> Floats:
        """Return the Horvitz–Thompson estimate of the population mean, Σ_h W_h ȳ_h. horvitz1952."""
        return np.asarray(self.weights @ values)

    def variance(self, values: Floats) -> Floats:
        """Return the variance of `mean`: Σ_h W_h² (1 − n_h / N_h) s_h² / n_h. cochran1977, equation 5.27.

        A stratum with a single labelled document borrows the spread of all documents.
        """
        total = np.zeros(np.shape(values)[1:])
        share = self.sizes / self.sizes.sum()
        overall = np.var(values, axis=0, ddof=1) if len(values) > 1 else np.zeros(np.shape(values)[1:])
        for h in np.flatnonzero(self.counts):
            own: Bools = self.stratum == h
            n, size = int(self.counts[h]), int(self.sizes[h])
            spread = np.var(values[own], axis=0, ddof=1) if n > 1 else overall
            total = total + share[h] ** 2 * (1 - n / size) * spread / n
        return np.asarray(total)

    def effective(self, domain: Floats) -> Floats:
        """Return how many documents of each domain (columns of 0 and 1) the sample is worth. kish1965, section 11.7."""
        weighted = self.weights[:, None] * domain
        squares = (weighted**2).sum(axis=0)
        return np.divide(weighted.sum(axis=0) ** 2, squares, out=np.zeros(domain.shape[1]), where=squares > 0)


def powered_mean(labelled: Any, predicted: Any, unlabelled: Any, *, level: float = 0.95) -> tuple[float, float, float]:
    """Return estimate, low and high of a mean.

    Parameters
    ----------
    labelled, predicted : numbers of the labelled documents: the truth, and what the system predicts.
    unlabelled : predictions for the other documents.
    level : confidence of the interval.
    """
    y, g, rest = (np.asarray(part, float).ravel() for part in (labelled, predicted, unlabelled))
    if len(y) < 2 or len(y) != len(g) or not len(rest):
        raise InvalidInput(f"{len(y)} labels, {len(g)} predictions of them and {len(rest)} others; give 2, 2 and 1")
    spread = (1 + len(y) / len(rest)) * float(np.var(np.concatenate([g, rest]), ddof=1))
    tuned = float(np.clip(np.mean((y - y.mean()) * (g - g.mean())) / spread, 0, 1)) if spread > 0 else 0.0
    value = tuned * float(rest.mean()) + float((y - tuned * g).mean())
    variance = tuned**2 * float(rest.var()) / len(rest) + float((y - tuned * g).var()) / len(y)
    reach = quantile(level) * float(np.sqrt(variance))
    return value, value - reach, value + reach


LAMBDA = (0.0, 1.5)


class Ratio(NamedTuple):
    """Numerator and denominator of each document; one column per ratio."""

    above: Floats
    below: Floats

    def influence(self, value: Floats) -> Floats:
        """Return u = x − θ z."""
        return np.asarray(self.above - value * self.below)


def regressed(sample: LabelledSample, u: Floats, own: Floats, mean: Floats) -> tuple[Floats, Floats]:
    """Return what to add to the mean of u, and the residuals; `own` is g of the labelled, `mean` that of all."""
    centred = own - own.mean(axis=0)
    spread = (centred**2).sum(axis=0)
    slope = np.divide((centred * u).sum(axis=0), spread, out=np.zeros_like(spread), where=spread > 0)
    slope = np.clip(slope, *LAMBDA)
    rest = u - slope * own
    leverage = 1 / len(u) + np.divide(centred**2, spread, out=np.zeros_like(centred), where=spread > 0)
    residual = (rest - rest.mean(axis=0)) / (1 - np.minimum(leverage, 0.5))
    return slope * (mean - sample.mean(own)), residual


RIDGE, STEPS = 0.01, 25


class Curve(NamedTuple):
    """P(label | score) = 1 / (1 + exp(−(intercept + slope · score)))."""

    intercept: float
    slope: float

    def __call__(self, scores: Floats) -> Floats:
        """Return the probabilities of scores."""
        return logistic(self.intercept + self.slope * scores)


def fit_curve(scores: Floats, labels: Floats, weights: Floats) -> Curve:
    """Fit by Newton's method with a small ridge. platt1999, pooled over the categories: few labels allow two numbers.

    `scores` and `labels` are documents × categories, `weights` one number per document (mean 1).
    """
    s, y = scores.ravel(), labels.ravel()
    w = np.repeat(weights / weights.mean(), scores.shape[1])
    a, b = 0.0, 0.0
    for _ in range(STEPS):
        p = logistic(a + b * s)
        rest, curvature = w * (y - p), w * p * (1 - p)
        g = np.array([rest.sum() - RIDGE * a, (rest * s).sum() - RIDGE * b])
        h00, h01, h11 = curvature.sum() + RIDGE, (curvature * s).sum(), (curvature * s * s).sum() + RIDGE
        det = h00 * h11 - h01 * h01
        if det <= 0:
            break
        step = np.clip([(h11 * g[0] - h01 * g[1]) / det, (h00 * g[1] - h01 * g[0]) / det], -3, 3)
        a, b = a + float(step[0]), b + float(step[1])
        if np.abs(step).max() < 1e-8:
            break
    return Curve(a, b)


ENOUGH, ERRORS, FEW = 10, 5, 5
"""Labelled positives and mistakes from which on the difference estimator holds its level, and the fewest positives for
which a number is given. Measured on LitCovid and Reuters, confirmed on GoEmotions: docs/guides/few-labels.md."""
CATEGORIES_LAMBDA = (0.5, 1.0)
"""A free λ explodes for rare categories (coverage .51 at 2 % and n = 100); 1 is the plain difference estimator."""
NEAR = 0.03
"""Undecided pairs with at least this probability (or the mean prevalence, if lower) are near misses."""


@dataclass(frozen=True, eq=False)
class Block:
    """Some categories: labels, decisions, probabilities of the labelled documents, and the same of the population."""

    y: Floats
    d: Floats
    q: Floats
    all_d: Floats
    all_q: Floats

    @property
    def positives(self) -> Floats:
        """Labelled documents with each category."""
        return np.asarray(self.y.sum(axis=0))

    def ratio(self, name: str) -> Ratio:
        """Return numerator and denominator of a measure for each labelled document."""
        both = self.y * self.d
        return Ratio(*{"precision": (both, self.d), "recall": (both, self.y), "f1": (2 * both, self.y + self.d)}[name])

    def expected(self, name: str) -> Ratio:
        """Return what the predictions expect of numerator and denominator, for all documents."""
        q, d = self.all_q, self.all_d
        return Ratio(*{"precision": (d * q, d), "recall": (d * q, q), "f1": (2 * d * q, q + d)}[name])

    def mistakes(self, name: str) -> Floats:
        """Return the labelled documents that the system got wrong: those missed, for F1 also those wrongly assigned."""
        missed = self.y * (1 - self.d)
        return np.asarray((missed if name == "recall" else missed + (1 - self.y) * self.d).sum(axis=0))

    @property
    def rich(self) -> Bools:
        """Tell for which categories the difference estimator is safe."""
        return np.asarray((self.positives >= ENOUGH) & ((self.y != self.d).sum(axis=0) >= ERRORS))


@dataclass(frozen=True, eq=False)
class CategoryEstimates:
    """Estimates of one measure for some categories; NaN where only the interval holds."""

    value: Floats
    low: Floats
    high: Floats

    def of(self, category: int) -> tuple[float, float, float]:
        """Return the estimate of a category, and the two ends of its interval."""
        return float(self.value[category]), float(self.low[category]), float(self.high[category])


def category_estimates(
    sample: LabelledSample, block: Block, *, level: float = 0.95, labels_alone: bool = False
) -> dict[str, CategoryEstimates]:
    """Return prevalence, precision, recall and f1 of the categories of a block."""
    few, fewer = block.positives < FEW, block.d.sum(axis=0) < FEW
    alone = _alone(sample, block, level)
    results = {}
    for name, plain in alone.items():
        estimated = plain
        if not labels_alone and name != "precision":
            helped = _prevalence(sample, block, level) if name == "prevalence" else _ratio(sample, block, name, level)
            where = np.ones_like(few)
            if name != "prevalence":
                narrow = helped[2] - helped[1] <= plain.high - plain.low
                hits = (block.y * block.d).sum(axis=0)
                # Without hits the residuals are all zero and the interval would be a point.
                where = block.rich & (np.minimum(hits, block.mistakes(name)) >= ERRORS) & narrow
            estimated = CategoryEstimates(
                *(np.where(where, a, b) for a, b in zip(helped, plain_parts(plain), strict=True))
            )
        hidden = fewer if name == "precision" else few
        results[name] = CategoryEstimates(np.where(hidden, np.nan, estimated.value), estimated.low, estimated.high)
    return results


def plain_parts(estimated: CategoryEstimates) -> tuple[Floats, Floats, Floats]:
    """Return value, low and high."""
    return estimated.value, estimated.low, estimated.high


def _share(sample: LabelledSample, part: Floats, whole: Floats, level: float) -> CategoryEstimates:
    """Return the weighted share of `part` within `whole` among the labelled documents, with Wilson's interval."""
    above, below = sample.mean(part), sample.mean(whole)
    p = np.divide(above, below, out=np.zeros_like(above), where=below > 0)
    n = sample.effective(whole)
    low, high = wilson_ends(p, finite(n, n / sample.fraction), level)
    return CategoryEstimates(p, low, high)


def _alone(sample: LabelledSample, block: Block, level: float) -> dict[str, CategoryEstimates]:
    tp = block.y * block.d
    jaccard = _share(sample, tp, np.maximum(block.y, block.d), level)
    f1 = CategoryEstimates(*(2 * part / (1 + part) for part in plain_parts(jaccard)))
    prevalence = _share(sample, block.y, np.ones_like(block.y), level)
    if not sample.uniform:
        prevalence = CategoryEstimates(*_by_stratum(sample, block.y, level))
    return {
        "prevalence": prevalence,
        "precision": _share(sample, tp, block.d, level),
        "recall": _share(sample, tp, block.y, level),
        "f1": f1,
    }


def _prevalence(sample: LabelledSample, block: Block, level: float) -> tuple[Floats, Floats, Floats]:
    centred = block.q - block.q.mean(axis=0)
    spread = (centred**2).sum(axis=0)
    slope = np.divide((centred * block.y).sum(axis=0), spread, out=np.ones_like(spread), where=spread > 0)
    tuned = np.clip(slope, *CATEGORIES_LAMBDA)
    value = sample.mean(block.y) + tuned * (block.all_q.mean(axis=0) - sample.mean(block.q))
    error = quantile(level) * np.sqrt(sample.variance(block.y - tuned * block.q))
    helped = (np.clip(value, 0, 1), np.maximum(value - error, 0), np.minimum(value + error, 1))
    rare = _rare_prevalence(sample, block, level) if sample.uniform else _by_stratum(sample, block.y, level)
    rich = block.rich
    return tuple(np.where(rich, a, b) for a, b in zip(helped, rare, strict=True))  # type: ignore[return-value]


def _rare_prevalence(sample: LabelledSample, block: Block, level: float) -> tuple[Floats, Floats, Floats]:
    """Return the narrower of two intervals that both cover more than they promise for rare categories.

    Post-strata by the predictions, or the labels alone: the former are wider where the system hardly decides.
    """
    strata = _by_decision(sample, block, level)
    alone = plain_parts(_share(sample, block.y, np.ones_like(block.y), level))
    narrow = strata[2] - strata[1] <= alone[2] - alone[1]
    return tuple(np.where(narrow, a, b) for a, b in zip(strata, alone, strict=True))  # type: ignore[return-value]


def _by_decision(sample: LabelledSample, block: Block, level: float) -> tuple[Floats, Floats, Floats]:
    """Return the prevalence from post-strata of a uniform sample: decided, near miss, rest."""
    line = min(NEAR, float(block.y.mean()) if block.y.size else NEAR)
    kind, every = (np.where(d > 0, 2, q > line) for d, q in ((block.d, block.q), (block.all_d, block.all_q)))
    parts, lows, highs, weights = [], [], [], []
    for stratum in range(3):
        own, size = kind == stratum, (every == stratum).sum(axis=0)
        n = own.sum(axis=0)
        guess = (block.all_q * (every == stratum)).sum(axis=0) / np.maximum(size, 1)
        p = np.where(n > 0, (block.y * own).sum(axis=0) / np.maximum(n, 1), guess)
        low, high = wilson_ends(p, finite(n, size), level)
        low, high = np.where(n == 0, 0.0, low), np.where(n == 0, 1.0, high)
        parts.append(p)
        lows.append(np.where(n >= size, p, low))
        highs.append(np.where(n >= size, p, high))
        weights.append(size / len(every))
    p, low, high, weight = (np.array(part) for part in (parts, lows, highs, weights))
    return mover(p, (low, high), weight)


def _by_stratum(sample: LabelledSample, y: Floats, level: float) -> tuple[Floats, Floats, Floats]:
    """Return the prevalence from Wilson's interval in each stratum of the design."""
    share = sample.sizes / sample.sizes.sum()
    parts, lows, highs = [], [], []
    for h in range(len(sample.sizes)):
        own = sample.stratum == h
        n = max(int(own.sum()), 1)
        p = y[own].sum(axis=0) / n
        low, high = wilson_ends(p, finite(n, int(sample.sizes[h])), level)
        parts.append(p)
        lows.append(low)
        highs.append(high)
    return mover(np.array(parts), (np.array(lows), np.array(highs)), share[:, None])


def _ratio(sample: LabelledSample, block: Block, name: str, level: float) -> tuple[Floats, Floats, Floats]:
    """Return recall or F1 of each category by the regression estimator on the logit scale."""
    labelled, expected = block.ratio(name), block.expected(name)
    below = sample.mean(labelled.below)
    scale = np.where(below > 0, below, 1)
    value = np.divide(sample.mean(labelled.above), scale)
    g = expected.influence(value)
    moved, residual = regressed(sample, labelled.influence(value), g[sample.rows], g.mean(axis=0))
    value = np.clip(value + moved / scale, 0, 1)
    error = np.sqrt(sample.variance(residual)) / scale
    # Few mistakes make a skewed estimate: Student's t with three degrees of freedom per mistake.
    low, high = logit_t(value, error, np.minimum(len(sample.rows) / 2, 3 * block.mistakes(name)), level)
    return value, low, high
