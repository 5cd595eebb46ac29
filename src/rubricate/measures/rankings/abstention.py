"""Coverage against error when a system may abstain: it answers only where its confidence is high enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.measures.rankings.scores import rankings
from rubricate.native.measures import rank_labels
from rubricate.types import Floats, Sparse

__all__ = ["Abstention", "abstention", "abstention_curve"]


@dataclass(frozen=True, eq=False)
class Abstention:
    """Coverage and error of answering only where the confidence is `confidence[k]` or more, one entry per level k."""

    confidence: Floats
    coverage: Floats
    error: Floats

    @property
    def area(self) -> float:
        """Average the error over the coverage from 0 to 1 (area under the risk-coverage curve); NaN without items.

        Items of one confidence are answered together, each counted with the error at the end of its tie.
        """
        return float(np.sum(np.diff(self.coverage, prepend=0.0) * self.error)) if len(self.error) else float("nan")


def abstention_curve(confidence: Floats, wrong: Floats) -> Abstention:
    """Draw the curve of any confidence: `wrong` is the loss of each item (1 or 0, or a share of its decisions).

    elyaniv2010. Cost: n log n.

    >>> abstention_curve(np.array([0.9, 0.6, 0.8]), np.array([0, 1, 0])).error.round(2).tolist()
    [0.0, 0.0, 0.33]
    """
    sure, loss = np.asarray(confidence, np.float64), np.asarray(wrong, np.float64)
    if sure.shape != loss.shape or sure.ndim != 1 or np.isnan(sure).any() or np.isnan(loss).any():
        raise InvalidInput("confidence and loss must be two lists of numbers of the same length, without NaN")
    order = np.argsort(-sure, kind="stable")
    last = np.flatnonzero(np.append(sure[order][1:] != sure[order][:-1], True)) if len(order) else order
    answered = last + 1
    return Abstention(sure[order][last], answered / max(len(order), 1), np.cumsum(loss[order])[last] / answered)


def abstention(scores: Any, truth: Sparse) -> Abstention:
    """Draw the curve of a system that answers with its best category, as sure as that category scores.

    The answer is wrong when the category is none of the document's; where several tie for the best, the share of
    them that are wrong. A document without a label is always answered wrongly.
    """
    sure, wrong = [], []
    for block in rankings(scores, truth, "document"):
        best = _best(block)
        above, rank, _ = rank_labels(block._replace(label_starts=np.arange(len(best) + 1), labels=best))
        row = np.repeat(np.arange(len(best)), np.diff(block.label_starts))
        true = np.bincount(row[block.labels == best[row]], minlength=len(best))
        sure.append(best)
        wrong.append(1.0 - true / (rank - above))
    return abstention_curve(*(np.concatenate(part) if part else np.zeros(0) for part in (sure, wrong)))


def _best(block: Any) -> Floats:
    """Return the highest score of each ranking."""
    sizes = np.diff(block.starts)
    best = np.full(len(sizes), -np.inf)
    np.maximum.at(best, np.repeat(np.arange(len(sizes)), sizes), block.values)
    return np.where(sizes < block.items, np.maximum(best, block.floor), best)
