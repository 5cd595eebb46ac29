"""TR: only the best categories of each document keep their scores; another cut decides on those."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from numbers import Integral
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from rubricate.errors import InvalidInput
from rubricate.labels import CategoryGrowth
from rubricate.registry import threshold
from rubricate.thresholds.base import Threshold, resolve
from rubricate.thresholds.decisions import best, scores_at, take_scores
from rubricate.types import Scores, Sparse

__all__ = ["RankLimit"]


@threshold("rank_limit")
class RankLimit(Threshold):
    """TR: in each document the `rank` best categories keep their scores, then `cut` decides. yang1999, section 4.3.

    The scores of all others become `floor`. The paper sets them to zero (`floor=0.0`), which suits scores that are
    never negative; the default, -inf, means "never assigned" and suits all. Ties as in `Rcut`: to the earlier
    category. `limit` gives the limited scores themselves, for rankings (table 4 uses TR = 10).

    Parameters
    ----------
    rank : int
        How many categories of each document keep their scores.
    cut : str, float or Threshold
        Any other threshold; it is fitted on limited scores and decides on them.
    floor : float
        The score of all other categories.

    >>> cut = RankLimit(rank=1, cut="fixed:0.5").fit(None, [[1, 0, 0], [0, 1, 0]])
    >>> cut.decide([[0.9, 0.8, 0.1], [0.2, 0.7, 0.6]]).toarray().astype(int).tolist()
    [[1, 0, 0], [0, 1, 0]]
    """

    shorthand = ("rank", int)

    def __init__(self, *, rank: int = 10, cut: str | float | Threshold = "scut", floor: float = -np.inf) -> None:
        self.rank = rank
        self.cut = cut
        self.floor = floor

    @property
    def needs_scores(self) -> bool:  # type: ignore[override]
        """Tell whether the inner cut learns from scores."""
        return resolve(self.cut).needs_scores

    @property
    def needs_labels(self) -> bool:  # type: ignore[override]
        """Tell whether the inner cut learns from labels."""
        return resolve(self.cut).needs_labels

    @property
    def needs_whole_set(self) -> bool:  # type: ignore[override]
        """Tell whether the inner cut decides on all documents together."""
        return resolve(self.cut).needs_whole_set

    @property
    def folds(self) -> int:  # type: ignore[override]
        """Return how many folds the inner cut wants."""
        return resolve(self.cut).folds

    @property
    def seeds(self) -> int:  # type: ignore[override]
        """Return how many dealings the inner cut wants."""
        return resolve(self.cut).seeds

    def limit(self, scores: Any) -> Scores:
        """Lower the scores of all but the best categories of each document to the floor."""
        if not isinstance(self.rank, Integral) or self.rank < 1:
            raise InvalidInput(f"RankLimit keeps the rank best categories, rank = 1, 2, …; got rank={self.rank!r}")
        grid = take_scores(scores)
        kept = best(grid, int(self.rank))
        values = scores_at(grid, kept)
        if values.min(initial=np.inf) < self.floor:
            raise InvalidInput(
                f"a score among the {self.rank} best, {values.min()}, lies under the floor {self.floor}, so the floor "
                "would outrank it; use floor=-inf"
            )
        rows, columns = grid.shape
        return Scores(
            sparse.csr_array((values, kept.indices, kept.indptr), shape=grid.shape),
            getattr(scores, "categories", tuple(map(str, range(columns)))),
            getattr(scores, "documents", range(rows)),
            float(self.floor),
        )

    def fit(self, scores: Any, labels: Any) -> Self:
        """Fit the inner cut on limited scores; `cut_` holds it."""
        chosen = resolve(self.cut)
        self.cut_ = chosen.fit(self.limit(scores) if chosen.needs_scores else None, labels)
        return self

    def decide(self, scores: Any) -> Sparse:
        """Let the inner cut decide on limited scores."""
        check_is_fitted(self)
        return self.cut_.decide(self.limit(scores))

    def merge(self, fitted: Sequence[Self]) -> Self:
        """Take over what the inner cut learned in several fits."""
        self.cut_ = resolve(self.cut).merge([fit.cut_ for fit in fitted])
        return self

    def grown(self, growth: CategoryGrowth) -> Self:
        """Return a copy whose inner cut has grown."""
        grown = copy(self)
        grown.cut_ = self.cut_.grown(growth)
        return grown
