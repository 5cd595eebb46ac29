"""Probabilities from scores: one sigmoid per category, fitted to scores of documents that the SVM has not seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.folds import deal, out_of_fold
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = ["fit_sigmoids", "held_out_scores", "sigmoid"]

FOLDS = 5


def sigmoid(scores: Floats, parameters: Floats) -> Floats:
    """Return p = 1 / (1 + exp(a s + b)), a and b being the rows of `parameters` (2 × categories)."""
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(parameters[0] * scores + parameters[1]))


def held_out_scores(
    fit: Callable[[Any, Sparse, Floats], Any], X: Any, labels: Sparse, weights: Floats, seed: int
) -> Floats:
    """Return the score of each document from a classifier fitted to the other folds, stratified by category."""

    def work(kept: Ints, held: Ints) -> Floats:
        return fit(X[kept], labels[kept], weights[kept])._score(X[held])

    return out_of_fold(work, deal(labels, min(FOLDS, X.shape[0]), seed=seed), engine="serial")


def _loss(z: Floats, target: Floats, weights: Floats) -> float:
    """Return −Σ t log p + (1 − t) log(1 − p) with p = 1 / (1 + exp z), without overflow."""
    return float(weights @ (np.maximum(z, 0) - z * (1 - target) + np.log1p(np.exp(-np.abs(z)))))


def _fit_sigmoid(scores: Floats, positive: Bools, weights: Floats) -> tuple[float, float]:
    """Fit a and b of Platt's sigmoid by Newton's method with a line search (lin2007), for one category.

    Targets are (n₊ + 1)/(n₊ + 2) and 1/(n₋ + 2), so that neither probability is 0 or 1. The slope a is kept
    at or below 0: where the scores rank the documents the wrong way round, p is constant.
    """
    plus, minus = float(weights @ positive), float(weights @ ~positive)
    target = np.where(positive, (plus + 1) / (plus + 2), 1 / (minus + 2))
    a, b = 0.0, float(np.log((minus + 1) / (plus + 1)))
    loss = _loss(a * scores + b, target, weights)
    for _ in range(100):
        p = 1 / (1 + np.exp(np.clip(a * scores + b, -700, 700)))
        first, second = weights * (target - p), weights * p * (1 - p)
        gradient = np.array([first @ scores, first.sum()])
        if np.abs(gradient).max() < 1e-8 * max(1.0, weights.sum()):
            break
        curve = np.array([[second @ scores**2, second @ scores], [second @ scores, second.sum()]])
        step = -np.linalg.solve(curve + 1e-12 * np.eye(2), gradient)
        length = 1.0
        while length > 1e-10:
            trial = _loss((a + length * step[0]) * scores + b + length * step[1], target, weights)
            if trial < loss + 1e-4 * length * float(gradient @ step):
                break
            length /= 2
        else:
            break
        a, b, loss = a + length * step[0], b + length * step[1], trial
    return (a, b) if a < 0 else (0.0, float(np.log((minus + 1) / (plus + 1))))


def fit_sigmoids(scores: Floats, labels: Sparse, weights: Floats) -> Floats:
    """Fit the sigmoid of every category: its parameters, 2 × categories."""
    positive = sparse.csc_array(labels)
    fitted = [_fit_sigmoid(scores[:, c], positive[:, [c]].toarray()[:, 0], weights) for c in range(scores.shape[1])]
    return np.array(fitted).reshape(-1, 2).T
