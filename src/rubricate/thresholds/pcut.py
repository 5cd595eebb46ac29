"""Pcut: assign to each category its share of the documents."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from rubricate.errors import InvalidInput, UnknownName
from rubricate.labels import CategoryGrowth
from rubricate.thresholds.cutting.decisions import above
from rubricate.thresholds.cutting.grid import ScoreGrid, take_labels, take_scores
from rubricate.thresholds.definition.threshold import Threshold
from rubricate.types import Floats, Sparse

__all__ = ["Pcut"]

PRIORS = ("documents", "labels")
BLOCK = 16
"""Categories copied at once: whole cache lines are read, little is copied."""


class Pcut(Threshold):
    """Assign each category to its x · n · P(c) best documents: proportional assignment. yang1999, section 4.2.

    n is the number of documents decided together, so the whole set must be given at once. P(c) is learned:

    - `prior="documents"`: n_c / n_train, the training documents of the category over all, as section 4.2 says;
      x = 1 assigns in the proportions of the training set.
    - `prior="labels"`: n_c / Σ n_c, so that x is the mean number of categories assigned to a document, as section
      4.3 says; tables 3 and 4 (best x 1.2 to 1.3) use it.

    The number assigned is the one nearest to x · n · P(c) that splits no tie (the smaller of two as near; the paper
    is silent), so it is that product rounded, halves down, where no scores are equal, and never more than twice it.
    Scores of -inf are not assigned, those of +inf always. Cost: ∝ scores.

    >>> cut = Pcut(x=1.0).fit(None, [[1, 0], [1, 0], [0, 1], [1, 0]])
    >>> cut.decide([[0.9, 0.2], [0.8, 0.1], [0.7, 0.6], [0.1, 0.5]]).toarray().astype(int).tolist()
    [[1, 0], [1, 0], [1, 1], [0, 0]]
    """

    needs_scores = False
    needs_whole_set = True
    shorthand = ("x", float)

    def __init__(self, *, x: float = 1.0, prior: Literal["documents", "labels"] = "documents") -> None:
        self.x = x
        self.prior = prior

    def fit(self, scores: Any, labels: Any) -> Self:
        """Learn P(c) from the labels; scores are not read. Without documents or labels (0/0) P(c) is 0."""
        if self.prior not in PRIORS:
            raise UnknownName("prior", str(self.prior), PRIORS)
        if not 0 <= self.x < np.inf:
            raise InvalidInput(f"Pcut assigns x · n · P(c) documents; x must be a number from 0 on, got {self.x!r}")
        matrix = take_labels(labels)
        self.counts_ = np.bincount(matrix.indices, minlength=matrix.shape[1])
        self.total_ = int(matrix.shape[0] if self.prior == "documents" else matrix.nnz)
        return self

    def quotas(self, documents: int) -> Floats:
        """Return x · n · P(c) of each category for n documents."""
        check_is_fitted(self)
        return self.x * documents * self.counts_ / max(self.total_, 1)

    def decide(self, scores: Any) -> Sparse:
        """Decide on the whole set of documents."""
        check_is_fitted(self)
        grid = take_scores(scores, categories=len(self.counts_))
        quotas = self.quotas(grid.shape[0])
        cuts = [_cut(scores, grid, quota) for scores, quota in zip(_columns(grid), quotas, strict=True)]
        return above(grid, np.asarray(cuts, dtype=np.float64))

    def merge(self, fitted: Sequence[Self]) -> Self:
        """Take over the first fit; all agree, since they see the same labels."""
        self.counts_, self.total_ = fitted[0].counts_, fitted[0].total_
        return self

    def grown(self, growth: CategoryGrowth) -> Self:
        """Return a copy whose P(c) counts further documents, too: that of one `fit` with all labels."""
        grown = copy(self).fit(None, growth.labels)
        grown.counts_ += growth.placed(self.counts_, 0)
        grown.total_ += self.total_
        return grown


def _columns(grid: ScoreGrid) -> Iterator[Floats]:
    """Yield the scores of each category; of sparse scores those stored."""
    if grid.dense is None:
        columns = sparse.csc_array(grid.stored)
        yield from np.split(columns.data, columns.indptr[1:-1])[: grid.shape[1]]
        return
    for first in range(0, grid.shape[1], BLOCK):
        yield from grid.dense[:, first : first + BLOCK].T.copy()


def _cut(scores: Floats, grid: ScoreGrid, quota: float) -> float:
    """Return the lowest score to assign, so that the number assigned is as near to the quota as ties allow."""
    held = int(np.count_nonzero(scores > -np.inf))
    missing = grid.shape[0] - len(scores) if grid.floor > -np.inf else 0
    wanted = min(math.ceil(quota), held + missing)
    if wanted <= 0:
        return math.inf
    place = len(scores) - wanted
    lowest = np.partition(scores, place)[place] if wanted <= held else grid.floor
    higher = scores[scores > lowest]
    more = int(np.count_nonzero(scores >= lowest)) + (missing if lowest == grid.floor else 0)
    if more - quota < quota - len(higher):
        return float(lowest)
    return float(higher.min(initial=np.inf))
