"""Rocchio, one document and one category at a time, densely."""

from __future__ import annotations

import numpy as np


def prototypes(X, Y, *, beta, gamma, clip=False, weights=None):
    """w_c, not scaled."""
    weights = np.ones(len(X)) if weights is None else weights
    units = [row / (np.linalg.norm(row) or 1.0) for row in X]
    found = []
    for c in range(Y.shape[1]):
        own = sum((w * u for u, y, w in zip(units, Y[:, c], weights, strict=True) if y), np.zeros(X.shape[1]))
        rest = sum((w * u for u, y, w in zip(units, Y[:, c], weights, strict=True) if not y), np.zeros(X.shape[1]))
        inside, outside = weights[Y[:, c]].sum(), weights[~Y[:, c]].sum()
        w = beta * own / (inside or 1.0) - gamma * rest / (outside or 1.0)
        found.append(np.maximum(w, 0) if clip else w)
    return np.array(found)


def cosines(X, W):
    """cos(x, w), 0 where either is zero."""
    lengths = np.outer(np.linalg.norm(X, axis=1), np.linalg.norm(W, axis=1))
    return np.divide(X @ W.T, lengths, out=np.zeros(lengths.shape), where=lengths > 1e-12)
