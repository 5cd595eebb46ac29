"""From log P(c) P(x|c) to posteriors, and the priors."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logsumexp

from rubricate.errors import InvalidInput
from rubricate.types import Floats

__all__ = ["log_odds", "log_posteriors", "log_prior"]


def log_prior(prior: Any, counts: Floats, documents: float | None) -> Floats:
    """Return log P(c) by the share of labels; with `documents`, log P(c) / P(not c) by the share of documents.

    Where that is infinite (a category with no document, or with all) it is 0: such categories get scores of their own.

    >>> log_prior("empirical", np.array([3.0, 1.0]), None).round(3).tolist()
    [-0.288, -1.386]
    >>> log_prior("empirical", np.array([3.0, 1.0]), 4.0).round(3).tolist()
    [1.099, -1.099]
    """
    if isinstance(prior, str) and prior == "uniform":
        return np.full(len(counts), -np.log(len(counts)) if documents is None else 0.0)
    if isinstance(prior, str) and prior == "empirical":
        against = np.full(len(counts), counts.sum()) if documents is None else documents - counts
        usable = (counts > 0) & (against > 0)
        return np.log(counts, out=np.zeros(len(counts)), where=usable) - np.log(
            against, out=np.zeros(len(counts)), where=usable
        )
    return _given(prior, counts, documents)


def _given(prior: Any, counts: Floats, documents: float | None) -> Floats:
    wanted = f'"empirical", "uniform", or {len(counts)} probabilities above 0 and below 1'
    if isinstance(prior, str):
        raise InvalidInput(f"prior must be {wanted}; got {prior!r}")
    shares = np.asarray(prior, dtype=np.float64)
    if shares.shape != counts.shape or not ((shares > 0) & (shares < 1)).all():
        raise InvalidInput(f"prior must be {wanted}; got {shares.tolist()!r}")
    return np.log(shares) if documents is None else np.log(shares) - np.log1p(-shares)


def log_posteriors(joint: Floats) -> Floats:
    """Return log P(c|x), rows that sum to 1 as probabilities; a row of -inf stays."""
    total = logsumexp(joint, axis=1, keepdims=True)
    return joint - np.where(np.isfinite(total), total, 0.0)


def log_odds(joint: Floats) -> Floats:
    """Return log P(c|x) / (1 - P(c|x)), each category against the sum of the others, without cancellation.

    The best category of a row is compared with the sum of the others, which is computed without it. Each other category
    is compared with the best plus the remaining ones; that remainder cannot cancel the best.

    >>> log_odds(np.array([[0.0, -100.0, -101.0]])).round(3).tolist()
    [[99.687, -100.0, -101.0]]
    """
    rows, best = np.arange(len(joint)), joint.argmax(axis=1)
    top = joint[rows, best]
    others = joint.copy()
    others[rows, best] = -np.inf
    rest = logsumexp(others, axis=1)
    peak = np.where(np.isfinite(top), top, 0.0)
    remaining = np.exp(rest - peak)[:, None] - np.exp(others - peak[:, None])
    odds = joint - peak[:, None] - np.log1p(np.maximum(remaining, 0.0))
    odds[rows, best] = np.where(np.isfinite(top), peak - rest, -np.inf)
    return odds
