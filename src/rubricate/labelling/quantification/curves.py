"""Probabilities from scores by a curve for each category, learned on labelled documents; rare categories share one."""

from __future__ import annotations

import numpy as np

from rubricate.labelling.population.calibration import Curve, fit_curve
from rubricate.types import Floats

__all__ = ["category_curves", "chances_by"]

OWN = 10
"""Fewest positives (and negatives) for a curve of its own; fewer, and the curve of all categories serves."""


def category_curves(scores: Floats, labels: Floats) -> list[Curve]:
    """Return a logistic curve per category. The labels are pulled in as platt1999 does, (n + 1) / (n + 2)."""
    ones = np.ones(len(scores))
    pooled = fit_curve(scores, labels, ones)
    curves = []
    for c in range(scores.shape[1]):
        yes = labels[:, c].sum()
        no = len(labels) - yes
        if min(yes, no) < OWN:
            curves.append(pooled)
            continue
        target = np.where(labels[:, c] > 0, (yes + 1) / (yes + 2), 1 / (no + 2))
        curves.append(fit_curve(scores[:, [c]], target[:, None], ones))
    return curves


def chances_by(curves: list[Curve], scores: Floats) -> Floats:
    """Return the probabilities of scores by the curves of their categories."""
    intercepts, slopes = (np.array(part) for part in zip(*curves, strict=True))
    return Curve(0.0, 1.0)(intercepts + slopes * scores)
