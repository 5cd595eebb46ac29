"""A fixed cut: the same for all categories, or one given for each."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rubricate.errors import InvalidInput
from rubricate.labels import CategoryGrowth
from rubricate.thresholds.cutting.decisions import above
from rubricate.thresholds.cutting.grid import take_labels, take_scores
from rubricate.thresholds.definition.threshold import Threshold
from rubricate.types import Floats, Sparse

__all__ = ["FixedCut"]


class FixedCut(Threshold):
    """Assign a category when its score is at least `cut`, one number or one for each category.

    The natural cut of an SVM is 0, of a probability 0.5. Nothing is learned: `fit` may be left out.
    scikit-learn's own `predict` assigns from a score greater than 0, this one from 0 on.

    >>> FixedCut(cut=0.5).decide([[0.5, 0.4], [0.9, 0.6]]).toarray().astype(int).tolist()
    [[1, 0], [1, 1]]
    """

    needs_scores = False
    needs_labels = False
    shorthand = ("cut", float)

    def __init__(self, *, cut: float | ArrayLike = 0.0) -> None:
        self.cut = cut

    def fit(self, scores: Any, labels: Any) -> Self:
        """Lay out one cut for each category of the labels."""
        self.cuts_ = self._cut_per_category(take_labels(labels).shape[1])
        return self

    def decide(self, scores: Any) -> Sparse:
        """Return the decisions, documents × categories: boolean, sparse."""
        grid = take_scores(scores)
        return above(grid, self._cut_per_category(grid.shape[1]))

    def grown(self, growth: CategoryGrowth) -> Self:
        """Return a copy for more categories; new ones have the common cut, one given for each admits none."""
        return copy(self).fit(None, growth.labels)

    def _cut_per_category(self, categories: int) -> Floats:
        cuts = np.asarray(self.cut, dtype=np.float64)
        if cuts.ndim > 1 or np.isnan(cuts).any() or cuts.shape not in ((), (categories,)):
            raise InvalidInput(f"expected one cut or {categories} of them, none NaN; got {self.cut!r}")
        return np.broadcast_to(cuts, (categories,)).copy()
