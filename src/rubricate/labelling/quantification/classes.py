"""Quantifiers of one label per document: the classes together, as their shares sum to one."""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from rubricate.errors import UnknownName
from rubricate.labelling.quantification.methods import EPSILON, LEAST, METHODS, STEPS
from rubricate.types import Floats, Ints

__all__ = ["class_shares"]

HEAVY = 1e4
"""Weight of the equation Σ p = 1 beside those of the adjustment: it holds to about 1e-8."""


def class_shares(chances: Floats, *, held_chances: Floats, held_labels: Ints, method: str = "pacc") -> Floats:
    """Return the share of each class among documents, from class probabilities of them and of labelled documents.

    Parameters
    ----------
    chances : documents × classes, rows that sum to one.
    held_chances, held_labels : the same of labelled documents, and the class of each (0, 1, …).
    method : cc, pcc, acc, pacc or em; acc and pacc are the p >= 0 with Σ p = 1 that minimise |M p − count|², where
        column j of M is the mean decision or probability of labelled documents of class j. firat2016, section 2.
    """
    if method not in METHODS:
        raise UnknownName("method", method, METHODS)
    classes = chances.shape[1]
    if method == "em":
        return _expectation_maximization(chances, np.bincount(held_labels, minlength=classes) / len(held_labels))
    sharp = method in ("cc", "acc")
    own, known = (_decisions(part) if sharp else part for part in (chances, held_chances))
    count = np.asarray(own.mean(axis=0))
    if method in ("cc", "pcc"):
        return count
    rates = np.eye(classes)
    for j in range(classes):
        if (held_labels == j).any():
            rates[:, j] = known[held_labels == j].mean(axis=0)
    shares, _ = nnls(np.vstack([rates, np.full(classes, HEAVY)]), np.append(count, HEAVY))
    return np.asarray(shares / shares.sum())


def _decisions(chances: Floats) -> Floats:
    return np.eye(chances.shape[1])[chances.argmax(axis=1)]


def _expectation_maximization(chances: Floats, prior: Floats) -> Floats:
    """Return the shares q with q = mean of the posteriors that q / prior corrects. saerens2002, equation 2.9."""
    before = prior.copy()
    if (before == 0).any():
        before = (before + EPSILON) / (before + EPSILON).sum()
    shares = before
    for step in range(STEPS):
        # The mean of the posteriors as two products: no matrix is made.
        odds = shares / before
        fresh = odds * ((1 / (chances @ odds)) @ chances) / len(chances)
        change, shares = float(np.abs(fresh - shares).mean()), fresh
        if change < EPSILON and step > LEAST:
            break
    return np.asarray(shares)
