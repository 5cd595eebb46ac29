"""One logistic curve from score to probability, learned from the labelled documents over all categories together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rubricate.labelling.predictions import logistic
from rubricate.types import Floats

__all__ = ["Curve", "fit_curve"]

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
