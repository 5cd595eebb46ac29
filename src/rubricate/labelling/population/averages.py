"""Micro- and macro-averages over the population by the regression estimator; intervals on the logit scale."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rubricate.labelling.population.bounds import logit_t
from rubricate.labelling.population.categories import Block
from rubricate.labelling.population.labelled import LabelledSample
from rubricate.labelling.population.regression import regressed
from rubricate.types import Floats

__all__ = ["MICRO", "DocumentSums", "macro_average", "micro_average"]

MICRO = ("precision", "recall", "f1")


class DocumentSums(NamedTuple):
    """Sums over the categories for each document: decisions, labels, both; q stands for labels in the population."""

    decided: Floats
    true: Floats
    both: Floats

    def ratio(self, name: str) -> tuple[Floats, Floats]:
        """Return numerator and denominator of each document."""
        if name == "precision":
            return self.both, self.decided
        if name == "recall":
            return self.both, self.true
        return 2 * self.both, self.decided + self.true


def micro_average(
    sample: LabelledSample,
    name: str,
    labelled: DocumentSums,
    *,
    expected: DocumentSums | None,
    level: float = 0.95,
) -> tuple[float, float, float]:
    """Return a micro-average with its interval; `expected` has the sums of all documents by q, None: labels alone."""
    x, z = labelled.ratio(name)
    below = float(sample.mean(z))
    if below <= 0:
        return float("nan"), 0.0, 1.0
    value = float(sample.mean(x)) / below
    u = x - value * z
    n, strata = len(u), len(sample.sizes)
    if expected is not None:
        above, under = expected.ratio(name)
        g = above - value * under
        moved, u = regressed(sample, u, g[sample.rows], g.mean())
        value += float(moved) / below
    spread, centre = float(sample.variance(u)) / below**2, value
    if not 0 < value < 1:  # nothing but mistakes, or none
        smoothed, least = _smoothed(sample, name, value, np.asarray((z > 0).sum()))
        if least > 0:  # else all documents are labelled
            spread, centre = float(least), float(smoothed)
    low, high = logit_t(centre, np.sqrt(spread), min(n - strata - 1, _freedom(u)), level)
    return float(np.clip(value, 0, 1)), min(float(low), value), max(float(high), value)


def macro_average(
    sample: LabelledSample, name: str, block: Block, *, labels_alone: bool = False, level: float = 0.95
) -> tuple[float, float, float]:
    """Return the macro-average of the categories of a block, which should have positives enough."""
    labelled = block.ratio(name)
    below = sample.mean(labelled.below)
    value = np.divide(sample.mean(labelled.above), below, out=np.zeros_like(below), where=below > 0)
    scale = np.where(below > 0, below, 1)
    u = (labelled.influence(value) / scale).mean(axis=1)
    mean = float(value.mean())
    if not labels_alone:
        g = (block.expected(name).influence(value) / scale).mean(axis=1)
        moved, u = regressed(sample, u, g[sample.rows], g.mean())
        mean += float(moved)
    counts, own = (labelled.below > 0).sum(axis=0), labelled.influence(value) / scale
    smoothed, least = _smoothed(sample, name, value, counts)
    lift, freedom = _skewness(sample.variance(own), least, counts)
    centre = mean if 0 < mean < 1 or not least.any() else float(smoothed.mean())
    low, high = logit_t(centre, float(np.sqrt(sample.variance(u) + lift)), freedom, level)
    mean = float(np.clip(mean, 0, 1))
    return mean, min(float(low), mean), max(float(high), mean)


def _freedom(u: Floats) -> float:
    """Return the degrees of freedom of a variance that few documents bring: 2 n / (κ − 1), κ the kurtosis of u.

    The variance of s² is σ⁴ (κ − 1) / n, which is that of a χ² with so many degrees (cramer1946, chapter 27).
    """
    centred = u - u.mean()
    square = float((centred**2).mean())
    excess = float((centred**4).mean()) / square**2 - 1 if square > 0 else 0.0
    return 2 * len(u) / excess if excess > 0 else np.inf


def _skewness(shown: Floats, least: Floats, counts: Floats) -> tuple[float, float]:
    """Return what few documents in some categories add to the variance of a mean of ratios, and its degrees of freedom.

    `shown` are the variances of the categories, and `least` what each has at least. The degrees of freedom are those of
    the categories, joined as satterthwaite1946 joins variances: a rare category that brings most of the variance brings
    its few degrees.
    """
    kept = np.maximum(shown, least)
    parts = (kept**2 / np.maximum(counts - 1, 1)).sum()
    freedom = kept.sum() ** 2 / parts if parts > 0 else np.inf  # all documents are labelled
    return float((kept - shown).sum()) / len(kept) ** 2, float(freedom)


def _smoothed(sample: LabelledSample, name: str, value: Any, counts: Any) -> tuple[Floats, Floats]:
    """Return (x + 1) / (n + 2) in place of a ratio of x in n, and its variance; F1 by way of TP / (TP + FP + FN).

    A ratio of documents that are all right shows no variance, which is not to say that it has none.
    """
    left = 1 - sample.counts.sum() / sample.sizes.sum()
    share = np.clip(value / (2 - value) if name == "f1" else value, 0, 1)
    smoothed = (share * counts + 1) / (counts + 2)
    variance = left * smoothed * (1 - smoothed) / (counts + 2)
    if name == "f1":  # F1 = 2 s / (1 + s)
        return np.asarray(2 * smoothed / (1 + smoothed)), np.asarray(variance * (2 / (1 + smoothed) ** 2) ** 2)
    return np.asarray(smoothed), np.asarray(variance)
