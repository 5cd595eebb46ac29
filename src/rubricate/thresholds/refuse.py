"""Refuse: the best category, or none where no category fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rubricate.errors import InvalidInput
from rubricate.thresholds.cutting.decisions import best
from rubricate.thresholds.cutting.grid import ScoreGrid, scores_at, take_labels, take_scores
from rubricate.thresholds.definition.threshold import Threshold
from rubricate.types import Bools, Floats, Sparse

__all__ = ["Refuse"]


class Refuse(Threshold):
    """Assign the best category of each document if its score reaches one common floor; refuse the document otherwise.

    The floor is learned from held-out scores. Where every document has a label, at most `share` of them lie below it.
    Where some have none (documents known to be outside), it maximises

        share of labelled documents that get a right category + share of the others that are refused

    and `share` does not matter; of equal floors the lowest is taken. Equal scores go to the earlier category, -inf is
    never assigned. Without documents nothing is refused. Learned: `floor_`. Cost: one sort of the documents.

    >>> scores = [[0.9, 0.1], [0.2, 0.8], [0.3, 0.2]]
    >>> Refuse().fit(scores, [[1, 0], [0, 1], [0, 0]]).decide(scores).toarray().astype(int).tolist()
    [[1, 0], [0, 1], [0, 0]]
    """

    shorthand = ("share", float)

    def __init__(self, *, share: float = 0.05, folds: int = 5, seeds: int = 1) -> None:
        self.share = share
        self.folds = folds
        self.seeds = seeds

    def fit(self, scores: Any, labels: Any) -> Self:
        """Learn the floor from held-out scores and labels, at most one per document."""
        if not 0 <= self.share < 1:
            raise InvalidInput(f"Refuse: share must be from 0 to below 1, got {self.share!r}")
        grid = take_scores(scores)
        matrix = take_labels(labels, grid.shape)
        chosen, values = _best(grid)
        inside = np.diff(matrix.indptr) > 0
        right = np.diff(chosen.multiply(matrix).tocsr().indptr) > 0
        if inside.all():
            kept = np.sort(values)
            self.floor_ = float(kept[int(self.share * len(kept))]) if len(kept) else -np.inf
        else:
            self.floor_ = _balanced(values, inside, right)
        return self

    def decide(self, scores: Any) -> Sparse:
        """Return the decisions, documents × categories: boolean, sparse."""
        check_is_fitted(self)
        chosen, values = _best(take_scores(scores))
        kept = chosen.multiply((values >= self.floor_)[:, None]).tocsr()
        kept.eliminate_zeros()
        kept.sort_indices()
        return kept.astype(bool)

    def merge(self, fitted: Sequence[Self]) -> Self:
        """Take over the median of the floors."""
        self.floor_ = float(np.median([fit.floor_ for fit in fitted]))
        return self


def _best(grid: ScoreGrid) -> tuple[Sparse, Floats]:
    """Return the best category of each document, and its score; -inf where there is none."""
    chosen = best(grid, 1)
    values = np.full(grid.shape[0], -np.inf)
    values[np.diff(chosen.indptr) > 0] = scores_at(grid, chosen)
    return chosen, values


def _balanced(values: Floats, inside: Bools, right: Bools) -> float:
    """Return the floor with the best sum of both shares."""
    floors = np.unique(values)
    places = np.searchsorted(floors, values)
    wins, outside = np.bincount(places[inside & right], minlength=len(floors)), ~inside
    refused = np.bincount(places[outside], minlength=len(floors))
    answered = wins.sum() - np.r_[0, np.cumsum(wins)]  # right answers at each floor, the last above all of them
    caught = np.r_[0, np.cumsum(refused)]
    worth = answered / max(1, int(inside.sum())) + caught / int(outside.sum())
    return float(np.r_[floors, np.inf][int(np.argmax(worth))])
