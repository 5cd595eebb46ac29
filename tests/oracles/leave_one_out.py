"""Leave-one-out by training once for each document, and the ξα counts by their definition."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.base import clone


def retrained(svm, X, y, rows=None):
    """(score of each document by the SVM trained without it, whether that SVM is stable); one category.

    `y` is boolean. A document alone on its side gets the score that SVM gives where there is nothing to separate.
    """
    rows = range(len(y)) if rows is None else rows
    scores, stable = [], []
    for i in rows:
        kept = np.delete(np.arange(len(y)), i)
        fitted = clone(svm).fit(X[kept], sparse.csr_array(y[kept][:, None]))
        scores.append(float(fitted.decision_function(X[[i]])[0, 0]))
        stable.append(bool(fitted.stable_[0]))
    return np.array(scores), np.array(stable)


def doubted(alpha, slack, rho, radius2):
    """Documents with ρ α R² + ξ >= 1, one at a time."""
    return [rho * a * radius2 + s >= 1 for a, s in zip(alpha, slack, strict=True)]
