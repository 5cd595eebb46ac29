"""What each document contributes to micro-F1, macro-F1 or accuracy of a system: the infinitesimal jackknife.

The influence of document d is the derivative of the measure by the weight of d, times the number n of documents; the
variance of the measure over resamples of the documents is Σ influence² / n². efron1993, chapter 21.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from rubricate.types import Floats, Sparse

__all__ = ["document_influence"]


def document_influence(truth: Sparse, decided: Sparse, *, measure: str, known: int) -> Floats:
    """Return the influence of each document; F1 that is 0/0 counts as 0 and has none."""
    n = truth.shape[0]
    hits = sparse.csr_array(truth.multiply(decided))
    if measure == "accuracy":
        labels = np.diff(truth.indptr)
        right = (np.diff(hits.indptr) == labels) & (np.diff(decided.indptr) == labels)
        return np.asarray(right - right.mean(), np.float64)
    if measure == "micro_f1":
        both = np.diff(truth.indptr) + np.diff(decided.indptr)
        total = max(int(both.sum()), 1)
        return np.asarray(n * (2 * np.diff(hits.indptr) - 2 * hits.nnz / total * both) / total, np.float64)
    sums = (_columns(truth) + _columns(decided))[:known]
    inverse = np.zeros(truth.shape[1])
    inverse[:known] = np.divide(1.0, sums, out=np.zeros(known), where=sums > 0)
    f1 = 2 * _columns(hits) * inverse
    of_hits, of_labels = 2 * inverse * n / known, f1 * inverse * n / known
    parts = [(hits, of_hits), (truth, -of_labels), (decided, -of_labels)]
    return np.asarray(sum(part.astype(np.float64) @ values for part, values in parts), np.float64)


def _columns(matrix: Sparse) -> Floats:
    return np.bincount(matrix.indices, minlength=matrix.shape[1]).astype(np.float64)
