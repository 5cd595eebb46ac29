"""The regression estimator of a ratio: what the predictions expect of each document takes noise out of the labels.

A measure is a ratio of means, θ = x̄ / z̄, with u = x − θ z as the influence of a document. The predictions expect g
= x̂ − θ ẑ, which is known for all documents. The estimate moves by λ (mean of g over all − mean of g over the
labelled) / z̄ with λ = cov(u, g) / var(g) (cochran1977, chapter 7; prediction-powered with tuned λ), kept within 0
and 1.5. The residuals u − λ g are those of documents that did not fit λ (divided by 1 − leverage), so that few labels
do not make the interval too narrow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rubricate.labelling.population.labelled import LabelledSample
from rubricate.types import Floats

__all__ = ["Ratio", "regressed"]

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
