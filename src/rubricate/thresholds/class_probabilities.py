"""Calibrated chances of classes, for documents that have exactly one label.

    P(c | d) = exp(a·s_c) / Σ_k exp(a·s_k)

s are the scores of a document; a, the sharpness, maximises the likelihood of the true classes of out-of-fold documents
(temperature scaling, guo2017). The order of the classes stays that of the scores.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.types import Floats, Ints

__all__ = ["class_chances", "sharpness_of"]

WIDEST = 8.0
"""ln a lies within ±8: scores of any of our classifiers, from probabilities to sums of log-odds, fit in there."""

FARTHEST = 1e100
"""Scores beyond this would overflow when multiplied; differences as large leave a chance of 0 at any sharpness."""


def sharpness_of(scores: Any, classes: Ints) -> float | None:
    """Return the sharpness that fits out-of-fold scores best; None where no document has a finite true score.

    >>> scores, classes = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 1, 1])
    >>> round(sharpness_of(scores, classes), 3)
    0.693
    """
    from scipy.optimize import minimize_scalar  # here, as answers need none of it

    if not isinstance(scores, np.ndarray):  # only the best scores of each document are known
        return None
    true = scores[np.arange(len(classes)), classes]
    known = np.isfinite(true) & ~np.isposinf(scores).any(axis=1)
    if not known.any():
        return None
    scores = _within_reach(scores[known])
    apart = scores - scores.max(axis=1, keepdims=True)
    true = apart[np.arange(len(apart)), classes[known]]

    def loss(log_a: float) -> float:
        a = np.exp(log_a)
        return float(np.mean(np.log(np.exp(a * apart).sum(axis=1)) - a * true))

    return float(np.exp(minimize_scalar(loss, bounds=(-WIDEST, WIDEST), method="bounded").x))


def class_chances(scores: Floats, sharpness: float) -> Floats:
    """Return the chance of each class; a class of score -inf has none, one of +inf all of it.

    >>> class_chances(np.array([[0.0, 0.0], [1.0, -np.inf]]), 2.0).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    certain = np.isposinf(scores)
    scores = np.where(certain.any(axis=1, keepdims=True), np.where(certain, 0.0, -np.inf), scores)
    scores = _within_reach(scores)
    scaled = np.where(np.isneginf(scores), -np.inf, sharpness * scores)
    scaled = np.where(np.isneginf(scaled).all(axis=1, keepdims=True), 0.0, scaled)
    chances = np.exp(scaled - scaled.max(axis=1, keepdims=True, initial=-np.inf))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def _within_reach(scores: Floats) -> Floats:
    """Return scores below +inf as they are; those of a document with huge ones as distances from its best."""
    huge = ((np.abs(scores) > FARTHEST) & np.isfinite(scores)).any(axis=1)
    if not huge.any():
        return scores
    with np.errstate(over="ignore"):  # to -inf, which becomes the farthest
        apart = scores[huge] - scores[huge].max(axis=1, keepdims=True)
    moved = scores.copy()
    moved[huge] = np.where(np.isneginf(scores[huge]), -np.inf, np.maximum(apart, -FARTHEST))
    return moved
