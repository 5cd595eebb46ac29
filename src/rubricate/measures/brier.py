"""The Brier score of probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rubricate.measures.counting.tables import canonical
from rubricate.measures.definition.measure import measure
from rubricate.measures.rankings.probabilities import probability_values
from rubricate.measures.rankings.scores import BLOCK
from rubricate.native.measures import as_lists, as_rows, scores_at
from rubricate.types import Floats, Sparse

__all__ = ["brier"]


@measure("probability", "Brier", greater_is_better=False)
def brier(scores: Any, truth: Sparse) -> Floats:
    """Return the mean of (p − y)² over the documents, of each category. brier1950, for two outcomes (half his sum).

    Agrees with scikit-learn's `brier_score_loss`. A pair that has no score counts as probability 0 (or the floor of
    the scores). NaN when there is no document. Cost: stored scores and labels.
    """
    values, floor = probability_values(scores)
    labels = canonical(truth)
    documents = values.shape[0]
    if not documents:
        return np.full(values.shape[1], np.nan)
    squares = _sparse_squares(values, labels, floor) if sparse.issparse(values) else _dense_squares(values, labels)
    return squares / documents


def _dense_squares(values: Any, labels: Sparse) -> Floats:
    """Sum (p − y)² of each category, one block of documents at a time."""
    squares = np.zeros(labels.shape[1])
    step = max(BLOCK // max(labels.shape[1], 1), 1)
    for first in range(0, labels.shape[0], step):
        part = slice(first, first + step)
        squares += ((values[part] - labels[part].toarray()) ** 2).sum(axis=0)
    return squares


def _sparse_squares(values: Sparse, labels: Sparse, floor: float) -> Floats:
    """Sum the same from what is stored: every other pair has the probability of the floor."""
    documents, categories = labels.shape
    true = scores_at(as_rows(labels), as_lists(values), 0.0)
    stored = np.bincount(values.indices, weights=(values.data - true) ** 2, minlength=categories)
    scored = np.bincount(values.indices, minlength=categories)
    positives = np.bincount(labels.indices, minlength=categories)
    missed = positives - np.bincount(values.indices, weights=true, minlength=categories)
    return stored + missed * (1 - floor) ** 2 + (documents - scored - missed) * floor**2
