"""Log loss of probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rubricate.measures.counting.tables import canonical
from rubricate.measures.definition.measure import measure
from rubricate.measures.rankings.probabilities import probability_values
from rubricate.native.measures import as_lists, as_rows, scores_at
from rubricate.types import Floats, Sparse

__all__ = ["log_loss"]

LEAST = float(np.finfo(np.float64).eps)
"""Probabilities are kept this far from 0 and 1, as in scikit-learn."""


@measure("probability", "log loss", greater_is_better=False)
def log_loss(scores: Any, truth: Sparse) -> Floats:
    """Return the mean of −y log p − (1 − y) log(1 − p) over the documents, of each category.

    Agrees with scikit-learn's `log_loss` of each category. A pair that has no score counts as probability 0 (or the
    floor of the scores). NaN when there is no document. Cost: stored scores and labels.
    """
    values, floor = probability_values(scores)
    labels = canonical(truth)
    documents, categories = labels.shape
    if not documents:
        return np.full(categories, np.nan)
    if not sparse.issparse(values):
        p = np.clip(values, LEAST, 1 - LEAST)
        true = labels.toarray()
        return np.asarray(-np.where(true, np.log(p), np.log1p(-p)).mean(axis=0))
    p, low = np.clip(values.data, LEAST, 1 - LEAST), min(max(floor, LEAST), 1 - LEAST)
    true = scores_at(as_rows(labels), as_lists(values), 0.0) > 0
    stored = np.bincount(values.indices, weights=-np.where(true, np.log(p), np.log1p(-p)), minlength=categories)
    positives = np.bincount(labels.indices, minlength=categories)
    missed = positives - np.bincount(values.indices, weights=true, minlength=categories)
    rest = documents - np.bincount(values.indices, minlength=categories) - missed
    return np.asarray((stored - missed * np.log(low) - rest * np.log1p(-low)) / documents)
