"""Thresholds by number: a fixed score, the t best categories (Rcut), each category's share of the documents (Pcut)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from copy import copy
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from rubricate.errors import InvalidInput, UnknownName
from rubricate.labels import CategoryGrowth
from rubricate.registry import threshold
from rubricate.thresholds.base import Threshold
from rubricate.thresholds.decisions import ScoreGrid, above, best, take_labels, take_scores
from rubricate.types import Floats, Sparse

__all__ = ["FixedCut", "Pcut", "Rcut"]


@threshold("fixed")
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


@threshold("rcut")
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


PRIORS = ("documents", "labels")
BLOCK = 16
"""Categories copied at once: whole cache lines are read, little is copied."""


@threshold("pcut")
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
