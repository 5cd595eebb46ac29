"""How far scores lie from their cuts, and how sure that makes a decision; arithmetic alone, without an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rubricate.thresholds.class_probabilities import class_chances
from rubricate.types import Bools, Floats, Ints, Scores

__all__ = ["FARTHEST", "NO_CONFIDENCE", "STRANGE", "ConfidenceCurve", "familiarity", "offsets", "reference_points"]

FARTHEST = 10.0
"""Offsets are clipped at so many times their usual size, so that one far score cannot decide for a document."""
NO_CONFIDENCE = "the model was learned with folds=0 and knows no confidence; fit it with folds=5"
ROWS = 1 << 20
"""Cells looked at together."""


class ConfidenceCurve:
    """The chance that a document got exactly its true labels; `Confidence` learns it and says how.

    `weights_` are those of its features, `scale_` is the usual |x|, `familiar_` the f of each category; `sureness_` and
    `chances_` are the corners of the curve.
    """

    weights_: Floats
    scale_: float
    familiar_: Floats
    sureness_: Floats
    chances_: Floats

    def predict(self, offsets: Any) -> Floats:
        """Return the chance of each document."""
        return np.interp(self.confidence_score(offsets), self.sureness_, self.chances_)

    def confidence_score(self, offsets: Any) -> Floats:
        """Return Σ_c ln P(the decision on c is right) of each document."""
        return _confidence_score(offsets, self.weights_, self.scale_, self.familiar_)

    def check_state(self) -> None:
        """Check that there are a curve and a weight for each feature."""
        if self.sureness_.shape != self.chances_.shape or not len(self.chances_) or self.weights_.shape != (7,):
            raise ValueError("the confidence is incomplete")
        if np.any(np.diff(self.sureness_) < 0) or np.isnan(self.chances_).any():
            raise ValueError("the curve of the confidence does not rise")


def offsets(scores: Any, cut: Any) -> Any:
    """Return how far each score lies above (>= 0: assigned) or below the cut of its category: x = s − cut_c.

    Where the threshold has no cuts, the cut of a document lies halfway between its t-th best score and the next (t = 1
    unless the threshold says otherwise). Scores of -inf stay, those of +inf too. Sparse scores give sparse offsets.

    >>> from rubricate.thresholds import resolve
    >>> offsets(np.array([[0.9, 0.5], [0.5, 0.1]]), resolve("rcut:1")).round(3).tolist()
    [[0.2, -0.2], [0.2, -0.2]]
    """
    values: Any = scores.values if isinstance(scores, Scores) else scores
    cuts = getattr(getattr(cut, "cut_", cut), "cuts_", None)
    if sparse.issparse(values):
        apart = sparse.csr_array(values, copy=True)
        rows = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
        middles = _middles(_padded(values, _t(cut) + 1), _t(cut))[rows] if cuts is None else cuts[values.indices]
        apart.data = _difference(values.data, middles)
        return apart
    return _difference(values, _middles(values, _t(cut))[:, None] if cuts is None else cuts)


def _t(cut: Any) -> int:
    return int(getattr(cut, "t", 1))


def _difference(scores: Floats, cuts: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        apart = scores - cuts
    return np.where(np.isnan(apart), scores, apart)


def _middles(values: Floats, t: int) -> Floats:
    """Return the middle between the t-th best score of each document and the next; -inf where there is no next."""
    if values.shape[1] <= t:
        return np.full(values.shape[0], -np.inf)
    best = -np.partition(-values, (t - 1, t), axis=1)[:, t - 1 : t + 1]
    known: Bools = np.isfinite(best[:, 0]) & np.isfinite(best[:, 1])
    return np.where(known, np.where(known[:, None], best, 0.0).mean(axis=1), -np.inf)


def _padded(values: Any, width: int) -> Floats:
    """Return the best `width` stored scores of each row, -inf where there are fewer."""
    out = np.full((values.shape[0], width), -np.inf)
    for row, (start, stop) in enumerate(zip(values.indptr[:-1], values.indptr[1:], strict=True)):
        best = np.sort(values.data[start:stop])[::-1][:width]
        out[row, : len(best)] = best
    return out


def _confidence_score(offsets: Any, weights: Floats, scale: float, familiar: Floats) -> Floats:
    model = (weights, scale, familiar)
    if sparse.issparse(offsets):
        totals = np.zeros(offsets.shape[0])
        rows = np.repeat(np.arange(offsets.shape[0]), np.diff(offsets.indptr))
        np.add.at(totals, rows, _right(offsets.data, offsets.indices, model))
        return totals
    size, every = max(1, ROWS // max(1, offsets.shape[1])), np.arange(offsets.shape[1])
    parts = [_right(offsets[s : s + size], every, model).sum(axis=1) for s in range(0, offsets.shape[0], size)]
    return np.concatenate(parts) if parts else np.empty(0)


def _right(x: Floats, column: Ints, model: tuple[Floats, float, Floats]) -> Floats:
    """Return ln P(the decision on a cell is right); 0 where nothing is to decide."""
    w, scale, familiar = model
    f = familiar[column]
    z = np.clip(x / scale, -FARTHEST, FARTHEST)
    yes = x >= 0
    logit = np.where(yes, w[0] + w[3] + (w[4] + w[6]) * f, w[0] + w[4] * f)
    logit += np.where(yes, w[1] + w[2] + w[5] * f, w[1] - w[2] + w[5] * f) * z
    return np.where(np.isfinite(x), -np.logaddexp(0.0, np.where(yes, -logit, logit)), 0.0)


POINTS = 1000
STRANGE = 0.05
"""A document below this familiarity is called unlike the training documents; one in twenty of those is, too."""


def reference_points(scores: Any, sharpness: float | None = None) -> Floats:
    """Return at most 1,000 quantiles of the best scores, or chances, of out-of-fold documents, sorted."""
    best = np.sort(_best(scores, sharpness))
    best = best[np.isfinite(best)]
    if len(best) <= POINTS:
        return best
    return best[np.linspace(0, len(best) - 1, POINTS).round().astype(np.int64)]


def familiarity(scores: Any, points: Floats, sharpness: float | None = None) -> Floats:
    """Return the share of reference points that the best score of each document reaches; 1 where there are none.

    >>> familiarity(np.array([[0.1, 0.4], [2.0, 0.0], [-1.0, -3.0]]), np.array([0.0, 0.3, 0.5, 0.9])).tolist()
    [0.5, 1.0, 0.0]
    """
    best = _best(scores, sharpness)
    return np.searchsorted(points, best, side="right") / len(points) if len(points) else np.ones(len(best))


def _best(scores: Any, sharpness: float | None) -> Floats:
    if not isinstance(scores, Scores):
        dense = scores if sharpness is None else class_chances(np.asarray(scores), sharpness)
        return np.asarray(np.max(dense, axis=1, initial=-np.inf))
    values: Any = scores.values
    best = np.full(values.shape[0], scores.floor)
    rows = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
    np.maximum.at(best, rows, values.data)
    return best
