"""Gradient boosting written out: every split of every leaf is tried on the raw values."""

from __future__ import annotations

from itertools import pairwise

import numpy as np


def _best(X, rows, g, h, least, penalty):
    """(gain, feature, value that goes left, values above) of the best split of some rows, or None."""
    G, H = g[rows].sum(), h[rows].sum()
    found = None
    for f in range(X.shape[1]):
        values = np.unique(X[:, f])
        for low, high in pairwise(values):
            left = rows[X[rows, f] <= low]
            if len(left) < least or len(rows) - len(left) < least:
                continue
            gl, hl = g[left].sum(), h[left].sum()
            gain = gl**2 / (hl + penalty) + (G - gl) ** 2 / (H - hl + penalty) - G**2 / (H + penalty)
            if found is None or gain > found[0] + 1e-10:
                found = (gain, f, low, high)
    return found if found is not None and found[0] > 1e-10 else None


def boosted(X, y, new, *, rounds, rate, leaves, least, penalty):
    """Log-odds of the rows of `new`."""
    base = np.log((y.sum() + 0.5) / (len(y) - y.sum() + 0.5))
    s, answer = np.full(len(y), base), np.full(len(new), base)
    for _ in range(rounds):
        p = 1 / (1 + np.exp(-s))
        g, h = p - y, p * (1 - p)
        parts = [(np.arange(len(y)), np.arange(len(new)))]
        for _ in range(leaves - 1):
            splits = [_best(X, rows, g, h, least, penalty) for rows, _ in parts]
            gains = [-1.0 if one is None else one[0] for one in splits]
            at = int(np.argmax(gains))
            if splits[at] is None:
                break
            _, f, low, high = splits[at]
            rows, others = parts.pop(at)
            limit = low + (high - low) / 2
            left, left_new = X[rows, f] <= low, new[others, f] <= limit
            parts += [(rows[left], others[left_new]), (rows[~left], others[~left_new])]
        for rows, others in parts:
            value = -rate * g[rows].sum() / (h[rows].sum() + penalty)
            s[rows] += value
            answer[others] += value
    return answer
