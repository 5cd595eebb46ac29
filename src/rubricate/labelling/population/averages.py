"""Micro- and macro-averages over the population by the regression estimator; intervals on the logit scale."""

from __future__ import annotations

from typing import NamedTuple

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
    error = float(np.sqrt(sample.variance(u))) / below
    low, high = logit_t(value, error, n - strata - 1, level)
    return float(np.clip(value, 0, 1)), float(low), float(high)


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
    # Categories with 5 to 20 labels each: their ratios are skewed, and Student's t answers for that.
    freedom = float(np.median(block.positives))
    low, high = logit_t(mean, float(np.sqrt(sample.variance(u))), freedom, level)
    return float(np.clip(mean, 0, 1)), float(low), float(high)
