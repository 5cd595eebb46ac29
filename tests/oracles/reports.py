"""Slow twins of the report's arithmetic."""

from __future__ import annotations

import itertools
import math

import numpy as np


def category_cut(scores: np.ndarray, decided: np.ndarray) -> float:
    """The middle between the lowest score with a yes and the highest with a no, of one category or document."""
    yes = [s for s, d in zip(scores, decided, strict=True) if d]
    no = [s for s, d in zip(scores, decided, strict=True) if not d and s > -math.inf]
    if yes and no:
        return (min(yes) + max(no)) / 2
    return min(yes) if yes else max(no, default=-math.inf)


def contradicts(scores: np.ndarray, decided: np.ndarray) -> bool:
    pairs = itertools.product(range(len(scores)), repeat=2)
    return any(decided[i] and not decided[j] and scores[i] < scores[j] for i, j in pairs)


def margins(scores: np.ndarray, decided: np.ndarray) -> np.ndarray:
    """|score − cut| of every pair, cuts by category unless those by document contradict the decisions less."""
    columns = [(category_cut(s, d), contradicts(s, d)) for s, d in zip(scores.T, decided.T, strict=True)]
    rows = [(category_cut(s, d), contradicts(s, d)) for s, d in zip(scores, decided, strict=True)]
    if sum(bad for _, bad in columns) <= sum(bad for _, bad in rows):
        return np.abs(scores - np.array([cut for cut, _ in columns]))
    return np.abs(scores - np.array([cut for cut, _ in rows])[:, None])
