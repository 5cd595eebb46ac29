"""The perceptron over dense rows, every set of weights kept; and the correlation coefficient from its four counts."""

from __future__ import annotations

import math

import numpy as np


def perceptron(X, y, weights, orders, *, margin, kept):
    """w with b behind it, and the passes."""
    rows = np.column_stack([X, np.ones(len(X))])
    w, seen, ends = np.zeros(rows.shape[1]), [], []
    for order in orders:
        moved = False
        for d in order:
            if y[d] * (rows[d] @ w) <= margin and weights[d] > 0:
                w, moved = w + weights[d] * y[d] * rows[d], True
            seen.append(w)
        ends.append(w)
        if not moved:
            break
    if kept == "average":
        return np.mean(seen, axis=0), len(ends)
    if kept == "last":
        return w, len(ends)
    wrong = [weights[y * (rows @ w) <= 0].sum() for w in ends]
    return ends[int(np.argmin(wrong))], len(ends)


def correlation(has, labels, weights):
    """C(t, c), categories × terms."""
    found = np.zeros((labels.shape[1], has.shape[1]))
    for c in range(labels.shape[1]):
        for t in range(has.shape[1]):
            A = weights[has[:, t] & labels[:, c]].sum()
            B = weights[has[:, t] & ~labels[:, c]].sum()
            C = weights[~has[:, t] & labels[:, c]].sum()
            D = weights[~has[:, t] & ~labels[:, c]].sum()
            below = (A + C) * (B + D) * (A + B) * (C + D)
            found[c, t] = (A * D - B * C) * math.sqrt(A + B + C + D) / math.sqrt(below) if below else 0.0
    return found
