"""How much a document looks like the training documents, by its best score.

The familiarity of a document is the share of training documents whose out-of-fold best score is not higher than its
own: a p-value that is uniform on documents like those for training, and near 0 on documents that belong nowhere. Where
documents have one label each, the chance of the best category takes the place of its score: it tells documents of
unknown categories apart better (docs/guides/strangers.md).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.thresholds.cutting.class_chances import class_chances
from rubricate.types import Floats, Scores

__all__ = ["STRANGE", "familiarity", "reference_points"]

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
