"""How much each document is expected to move a measure, before any label is known.

A measure is a ratio θ = Σ x / Σ z, and u = x − θ z the influence of a document. With labels drawn as the pilot
probabilities q say, u has the mean `expected` and the standard deviation `spread` for each document. The variance of an
estimate from n documents is about (Var(expected) + mean(spread²)) / (n z̄²); Neyman's allocation samples by spread.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rubricate.errors import UnknownName
from rubricate.labelling.predictions import Predictions
from rubricate.types import Floats

__all__ = ["MEASURES", "Influence", "influence"]

MEASURES = ("micro_f1", "micro_precision", "micro_recall", "macro_f1", "prevalence")


class Influence(NamedTuple):
    """Expected influence and its spread for each document, on the scale of the measure."""

    expected: Floats
    spread: Floats

    def variance(self) -> float:
        """Return the variance of an estimate from one document drawn uniformly."""
        return float(self.expected.var() + (self.spread**2).mean())


def influence(system: Predictions, measure: str = "micro_f1") -> Influence:
    """Return the influence of each document on a measure; prevalence is that of the most uncertain category."""
    if measure not in MEASURES:
        raise UnknownName("measure to plan for", measure, MEASURES)
    if measure == "prevalence":
        return _prevalence(system)
    if measure == "macro_f1":
        return _macro(system)
    return _micro(system, measure.removeprefix("micro_"))


def _coefficients(name: str) -> tuple[float, float, float]:
    """Return the weights of d·y in x, and of y and d in z."""
    return {"precision": (1.0, 0.0, 1.0), "recall": (1.0, 1.0, 0.0), "f1": (2.0, 1.0, 1.0)}[name]


def _micro(system: Predictions, name: str) -> Influence:
    both, true, decided = _coefficients(name)
    above = below = 0.0
    for columns in system.blocks():
        q, d = system.pilot(columns), system.block(columns)[1]
        above += both * float((d * q).sum())
        below += true * float(q.sum()) + decided * float(d.sum())
    value = above / below if below > 0 else 0.0
    expected, variance = np.zeros(system.shape[0]), np.zeros(system.shape[0])
    for columns in system.blocks():
        q, d = system.pilot(columns), system.block(columns)[1]
        slope = both * d - value * true
        expected += (slope * q - value * decided * d).sum(axis=1)
        variance += (slope**2 * q * (1 - q)).sum(axis=1)
    scale = max(below / system.shape[0], 1e-12)
    return Influence(expected / scale, np.sqrt(variance) / scale)


def _macro(system: Predictions) -> Influence:
    documents, categories = system.shape
    expected, variance = np.zeros(documents), np.zeros(documents)
    for columns in system.blocks():
        q, d = system.pilot(columns), system.block(columns)[1]
        # Three documents more than expected: a category that is hardly ever predicted must not rule the sample.
        below = ((q + d).sum(axis=0) + 3) / documents
        value = 2 * (d * q).mean(axis=0) / below
        slope = (2 * d - value) / below
        expected += (slope * q - value * d / below).sum(axis=1)
        variance += (slope**2 * q * (1 - q)).sum(axis=1)
    return Influence(expected / categories, np.sqrt(variance) / categories)


def _prevalence(system: Predictions) -> Influence:
    best: Influence | None = None
    for columns in system.blocks():
        q = system.pilot(columns)
        c = int(np.argmax((q * (1 - q)).mean(axis=0) + q.var(axis=0)))
        own = Influence(q[:, c], np.sqrt(q[:, c] * (1 - q[:, c])))
        best = own if best is None or own.variance() > best.variance() else best
    return best or Influence(np.zeros(system.shape[0]), np.zeros(system.shape[0]))
