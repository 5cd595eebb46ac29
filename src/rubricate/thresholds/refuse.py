"""Refuse: the best category, or none where no category fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rubricate.errors import InvalidInput
from rubricate.registry import threshold
from rubricate.thresholds.base import Threshold
from rubricate.thresholds.class_probabilities import class_chances, sharpness_of
from rubricate.thresholds.decisions import ScoreGrid, best, scores_at, take_labels, take_scores
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = ["Refuse"]

MOST = 1 << 26
"""Scores from which a sharpness is learned, at most: they are needed all at once."""

BLOCK = 1 << 22
"""Scores that are turned into chances at once."""


@threshold("refuse")
class Refuse(Threshold):
    """Assign the best category of each document if its chance reaches one common floor; refuse the document otherwise.

    The chance is that of `cutting.class_chances`, whose sharpness is learned with the floor from held-out scores. Where
    every document has a label, at most `share` of them lie below the floor. Where some have none (documents known to
    be outside), the floor maximises

        share of labelled documents that get a right category + share of the others that are refused

    and `share` does not matter; of equal floors the lowest is taken. Then the best score itself is tried as well, and
    taken where it is worth more: a classifier that has seen documents outside gives them low scores. Equal scores go
    to the earlier category, -inf is never assigned. Without documents nothing is refused. Scores that are not stored
    count as the floor of the scores; beyond 2²⁶ scores in all, the floor is one of scores.

    Learned: `floor_`, and `sharpness_`, None where the floor is one of scores. Cost: one sort of the documents.

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
        chosen = best(grid, 1)
        inside = np.diff(matrix.indptr) > 0
        right = np.diff(chosen.multiply(matrix).tocsr().indptr) > 0
        sharpness = _sharpness(grid, matrix)
        if inside.all():
            kept = np.sort(_values(grid, chosen, sharpness))
            self.floor_ = float(kept[int(self.share * len(kept))]) if len(kept) else -np.inf
            self.sharpness_ = sharpness
            return self
        tries = [None] if sharpness is None else [sharpness, None]
        floors = [_balanced(_values(grid, chosen, each), inside, right) for each in tries]
        first = max(range(len(tries)), key=lambda at: (floors[at][1], -at))
        self.floor_, self.sharpness_ = floors[first][0], tries[first]
        return self

    def decide(self, scores: Any) -> Sparse:
        """Return the decisions, documents × categories: boolean, sparse."""
        check_is_fitted(self)
        grid = take_scores(scores)
        chosen = best(grid, 1)
        values = _values(grid, chosen, getattr(self, "sharpness_", None))
        kept = chosen.multiply((values >= self.floor_)[:, None]).tocsr()
        kept.eliminate_zeros()
        kept.sort_indices()
        return kept.astype(bool)

    def merge(self, fitted: Sequence[Self]) -> Self:
        """Take over the medians of the floors and sharpnesses of those that agree with the first."""
        alike = [fit for fit in fitted if (fit.sharpness_ is None) == (fitted[0].sharpness_ is None)]
        self.floor_ = float(np.median([fit.floor_ for fit in alike]))
        known = [fit.sharpness_ for fit in alike if fit.sharpness_ is not None]
        self.sharpness_ = float(np.median(known)) if known else None
        return self


def _values(grid: ScoreGrid, chosen: Sparse, sharpness: float | None) -> Floats:
    """Return the score of the best category of each document, or its chance; -inf where there is none."""
    values = np.full(grid.shape[0], -np.inf)
    some = np.diff(chosen.indptr) > 0
    if sharpness is None:
        values[some] = scores_at(grid, chosen)
        return values
    rows = np.flatnonzero(some)
    step = max(1, BLOCK // max(1, grid.shape[1]))
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        values[part] = class_chances(_whole(grid, part), sharpness).max(axis=1, initial=-np.inf)
    return values


def _whole(grid: ScoreGrid, rows: Ints) -> Floats:
    """Return all scores of some documents, those that are not stored as well."""
    if grid.dense is not None:
        return grid.dense[rows] + 0.0  # no -0.0: equal scores have equal bytes
    part = grid.stored[rows].tocoo()
    whole = np.full(part.shape, grid.floor)
    whole[part.row, part.col] = part.data
    return whole + 0.0


def _sharpness(grid: ScoreGrid, labels: Sparse) -> float | None:
    """Return the sharpness of the documents with one label; None where there are none, or too many scores.

    The documents are sorted first: sums in another order would differ in the last digit.
    """
    one = np.flatnonzero(np.diff(labels.indptr) == 1)
    if grid.shape[1] < 2 or not len(one) or len(one) * grid.shape[1] > MOST:
        return None
    scores, classes = _whole(grid, one), labels[one].indices
    keys = np.column_stack([scores, classes])
    order = np.argsort(keys.view(f"V{keys.shape[1] * keys.itemsize}").ravel(), kind="stable")
    return sharpness_of(scores[order], classes[order])


def _balanced(values: Floats, inside: Bools, right: Bools) -> tuple[float, float]:
    """Return the floor with the best sum of both shares, and that sum."""
    floors = np.unique(values)
    places = np.searchsorted(floors, values)
    wins, outside = np.bincount(places[inside & right], minlength=len(floors)), ~inside
    refused = np.bincount(places[outside], minlength=len(floors))
    answered = wins.sum() - np.r_[0, np.cumsum(wins)]  # right answers at each floor, the last above all of them
    caught = np.r_[0, np.cumsum(refused)]
    worth = answered / max(1, int(inside.sum())) + caught / int(outside.sum())
    at = int(np.argmax(worth))
    return float(np.r_[floors, np.inf][at]), float(worth[at])
