"""Rcut: the t best categories of each document."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Self

from rubricate.errors import InvalidInput
from rubricate.thresholds.cutting.decisions import best
from rubricate.thresholds.cutting.grid import take_scores
from rubricate.thresholds.definition.threshold import Threshold
from rubricate.types import Sparse

__all__ = ["Rcut"]


class Rcut(Threshold):
    """Assign the `t` top-ranked categories to each document. yang1999, section 4.2.

    Nothing is learned: `fit` may be left out. Equal scores go to the earlier category (the paper does not say); a
    score of -inf is never assigned, so a document may get fewer than t. Cost: one comparison per score.

    >>> Rcut(t=2).decide([[0.1, 0.7, 0.4], [0.5, 0.5, 0.5]]).toarray().astype(int).tolist()
    [[0, 1, 1], [1, 1, 0]]
    """

    needs_scores = False
    needs_labels = False
    shorthand = ("t", int)

    def __init__(self, *, t: int = 1) -> None:
        self.t = t

    def fit(self, scores: Any = None, labels: Any = None) -> Self:
        """Check t; there is nothing to learn."""
        if not isinstance(self.t, Integral) or self.t < 1:
            raise InvalidInput(f"Rcut assigns the t best categories, t = 1, 2, …; got t={self.t!r}")
        return self

    def decide(self, scores: Any) -> Sparse:
        """Return the decisions, documents × categories: boolean, sparse."""
        return best(take_scores(scores), int(self.fit().t))

    def merge(self, fitted: Sequence[Self]) -> Self:
        """Take over nothing."""
        return self
