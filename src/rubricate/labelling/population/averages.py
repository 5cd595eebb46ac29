"""Micro- and macro-averages over the population.

A micro-average is a ratio of sums over documents, θ = Σ x / Σ z, with u = x − θ z as the influence of a document. What
the predictions expect of u, g = x̂ − θ ẑ, is known for all documents; the estimate moves by λ (mean of g over all − mean
of g over the labelled) / z̄ with λ = cov(u, g) / var(g) (regression estimator). Intervals on the logit scale with
Student's t; the residuals u − λ g are those of documents that did not fit λ (leave-one-out leverages).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rubricate.labelling.population.bounds import logit_t
from rubricate.labelling.population.categories import Block, difference_ratio
from rubricate.labelling.population.labelled import LabelledSample
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
        own = g[sample.rows]
        centred = own - own.mean()
        spread = float(centred @ centred)
        slope = float(centred @ u) / spread if spread > 0 else 0.0
        value += slope * (float(g.mean()) - float(sample.mean(own))) / below
        leverage = 1 / n + centred**2 / spread if spread > 0 else np.full(n, 1 / n)
        u = (u - slope * own - (u - slope * own).mean()) / (1 - np.minimum(leverage, 0.5))
    error = float(np.sqrt(sample.variance(u))) / below
    low, high = logit_t(value, error, n - strata - 1, level)
    return float(np.clip(value, 0, 1)), float(low), float(high)


def macro_average(
    sample: LabelledSample, name: str, block: Block, *, level: float = 0.95
) -> tuple[float, float, float]:
    """Return the macro-average of the categories of a block, which should have positives enough."""
    value, residual = difference_ratio(sample, block, name)
    mean = float(value.mean())
    error = float(np.sqrt(sample.variance(residual.mean(axis=1))))
    low, high = logit_t(mean, error, len(sample.rows) - len(sample.sizes) - 1, level)
    return mean, float(low), float(high)
