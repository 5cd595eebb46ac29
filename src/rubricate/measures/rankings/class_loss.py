"""Log loss over the classes of single-label data."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rubricate.measures.counting.tables import canonical
from rubricate.measures.rankings.probabilities import probability_values
from rubricate.types import Sparse

__all__ = ["class_log_loss"]

LEAST = float(np.finfo(np.float64).eps)
"""Probabilities are kept this far from 0 and 1, as in scikit-learn."""


def class_log_loss(scores: Any, truth: Sparse) -> float:
    """Return the mean of −log p(true class) where each document has one label; probabilities are made to sum to 1."""
    values, floor = probability_values(scores)
    labels = canonical(truth)
    dense = values
    if sparse.issparse(values):
        dense = np.full(values.shape, floor)
        rows = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
        dense[rows, values.indices] = values.data
    own = dense[np.arange(len(dense)), labels.indices]
    sums = dense.sum(axis=1)
    share = np.divide(own, sums, out=np.zeros_like(own), where=sums > 0)
    return float(-np.log(np.clip(share, LEAST, 1 - LEAST)).mean())
