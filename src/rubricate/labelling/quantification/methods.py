"""Quantifiers of several labels: each category on its own, all categories at once.

cc    mean of the decisions (classify and count)
pcc   mean of the probabilities
acc   (cc − fpr) / (tpr − fpr), with the rates of labelled documents. forman2008
pacc  the same with mean probabilities of labelled positives and negatives. bella2010
em    the prevalence at which the probabilities, corrected for it, have it as their mean. saerens2002

Adjusted counts are kept within 0 and 1; where labelled documents lack positives or negatives, or the rates are equal,
they are the plain count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rubricate.errors import InvalidInput, UnknownName
from rubricate.types import Floats

__all__ = ["METHODS", "LabelledScores", "Unlabelled", "quantify"]

METHODS = ("cc", "pcc", "acc", "pacc", "em")
EPSILON, STEPS, LEAST = 1e-4, 1000, 10
"""When em stops: the change of one step, the most steps, and steps that are always taken (as in QuaPy)."""


class Unlabelled(NamedTuple):
    """Decisions (0 or 1) and probabilities of the documents to quantify, and their weights (draws × documents)."""

    decided: Floats
    chances: Floats
    weights: Floats


class LabelledScores(NamedTuple):
    """The same of labelled documents that the system was not trained on, and their labels (0 or 1)."""

    decided: Floats
    chances: Floats
    labels: Floats
    weights: Floats

    def category(self, c: int) -> LabelledScores:
        """Return the parts of one category."""
        return LabelledScores(self.decided[:, [c]], self.chances[:, [c]], self.labels[:, [c]], self.weights)


def quantify(documents: Unlabelled, labelled: LabelledScores | None, method: str) -> Floats:
    """Return the prevalence of each category, draws × categories: one row per row of the weights."""
    if method not in METHODS:
        raise UnknownName("method", method, METHODS)
    if method in ("cc", "pcc"):
        return _mean(documents.weights, documents.decided if method == "cc" else documents.chances)
    if labelled is None:
        raise InvalidInput(f"{method} learns from labelled documents; give some (--truth or --held-out)")
    if method == "em":
        return _expectation_maximization(documents, _mean(labelled.weights, labelled.labels))
    own, known = (documents.decided, labelled.decided) if method == "acc" else (documents.chances, labelled.chances)
    return _adjusted(_mean(documents.weights, own), known, labelled)


def _mean(weights: Floats, values: Floats) -> Floats:
    return np.asarray(weights @ values / weights.sum(axis=1, keepdims=True))


def _adjusted(count: Floats, known: Floats, labelled: LabelledScores) -> Floats:
    weights, labels = labelled.weights, labelled.labels
    positives = weights @ labels
    negatives = weights.sum(axis=1, keepdims=True) - positives
    with np.errstate(divide="ignore", invalid="ignore"):
        hits = weights @ (known * labels) / positives
        alarms = weights @ (known * (1 - labels)) / negatives
        adjusted = np.clip((count - alarms) / (hits - alarms), 0, 1)
    usable = np.isfinite(adjusted) & (hits > alarms)
    return np.where(usable, adjusted, count)


def _expectation_maximization(documents: Unlabelled, prior: Floats) -> Floats:
    """Return p = mean of q r / (q r + (1 − q) s), r = p / prior, s = (1 − p) / (1 − prior), by fixed-point steps."""
    draws, categories = len(documents.weights), documents.chances.shape[1]
    result = np.empty((draws, categories))
    total = documents.weights.sum(axis=1)
    for c in range(categories):
        q = documents.chances[:, c]
        before = np.clip(prior[:, c] if len(prior) == draws else np.repeat(prior[0, c], draws), EPSILON, 1 - EPSILON)
        p = before.copy()
        for step in range(STEPS):
            yes = (p / before)[:, None] * q
            corrected = yes / (yes + ((1 - p) / (1 - before))[:, None] * (1 - q))
            fresh = (documents.weights * corrected).sum(axis=1) / total
            change, p = np.abs(fresh - p).max(), fresh
            if change < EPSILON and step > LEAST:
                break
        result[:, c] = p
    return result
