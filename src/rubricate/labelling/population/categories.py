"""Prevalence, precision, recall and F1 of each category over the population.

With y the labels, d the decisions and q the calibrated probabilities, the predictions for all documents correct what
the labelled ones say (difference and regression estimators, prediction-powered):

    prevalence  λ q̄ + mean(y − λ q), λ as tuned by angelopoulos2023 (PPI++) but kept within LAMBDA
    recall, F1  ratios of means with the regression estimator of `regression`, intervals on the logit scale
    precision   counted on the labelled documents alone (Wilson): among decided documents q is always high

That needs labels of the category. Below ENOUGH positives or ERRORS mistakes: prevalence from strata (decided, near
miss, rest) by Wilson and MOVER, and the others from the labelled documents alone by Wilson (F1 by way of
TP / (TP + FP + FN)). Below FEW the answer is an interval without a number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rubricate.labelling.population.bounds import finite, logit_t, mover, quantile, wilson_ends
from rubricate.labelling.population.labelled import LabelledSample
from rubricate.labelling.population.regression import Ratio, regressed
from rubricate.types import Bools, Floats

__all__ = ["ENOUGH", "ERRORS", "FEW", "Block", "CategoryEstimates", "category_estimates"]

ENOUGH, ERRORS, FEW = 10, 5, 5
"""Labelled positives and mistakes from which on the difference estimator holds its level, and the fewest positives for
which a number is given. Measured on LitCovid and Reuters, confirmed on GoEmotions: docs/guides/few-labels.md."""
LAMBDA = (0.5, 1.0)
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
    tuned = np.clip(slope, *LAMBDA)
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
