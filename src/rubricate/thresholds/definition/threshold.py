"""What every threshold shares: the contract, and decisions at learned cuts.

A threshold is a file with a class derived from `Threshold`: parameters by keyword, and

    fit(scores, labels) -> self      scores of documents that the classifier has not seen, and their labels
    decide(scores) -> csr_array      boolean, documents × categories

A threshold declares what it needs, on the class or as a property:

    needs_scores      `fit` reads the scores; else it takes None for them
    needs_labels      `fit` learns something from the labels
    needs_whole_set   the decision on a document depends on the documents decided with it, so that `decide` must get
                      all documents at once; others may be decided in blocks

A threshold with one cut for each category leaves them in `cuts_`; a document gets a category when its score is at least
the cut. A score of -inf never gets the category, one of +inf always does; NaN is an error. `shorthand` names the
parameter behind the colon of `"rcut:2"` and how its text is read; `folds` and `seeds` say out of how many folds, and
how many times, whoever trains the classifier should make scores for `fit`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from rubricate.labels import CategoryGrowth
from rubricate.thresholds.cutting.decisions import CategoryThresholds
from rubricate.thresholds.cutting.expected_cuts import with_expected_cuts
from rubricate.types import Sparse

__all__ = ["Threshold"]


class Threshold(CategoryThresholds, BaseEstimator):
    """A way of turning scores into decisions."""

    needs_scores: ClassVar[bool] = True
    needs_labels: ClassVar[bool] = True
    needs_whole_set: ClassVar[bool] = False
    shorthand: ClassVar[tuple[str, Callable[[str], Any]]]
    folds: int = 5
    seeds: int = 1

    def fit(self, scores: Any, labels: Any) -> Self:
        """Learn from held-out scores and labels, documents × categories."""
        raise NotImplementedError

    def decide(self, scores: Any) -> Sparse:
        """Return the decisions, documents × categories: boolean, sparse."""
        check_is_fitted(self)
        return super().decide(scores)

    def merge(self, fitted: Sequence[Self]) -> Self:
        """Take over what several fits of this threshold learned: the median of each cut (of an even number, the mean
        of the middle two)."""
        self.cuts_ = np.median([fit.cuts_ for fit in fitted], axis=0)
        return self

    def grown(self, growth: CategoryGrowth) -> Self:
        """Return a copy for a classifier that has learned further documents, some of them of new categories.

        What was learned stays. A new category has no held-out score to learn a cut from: it gets the one that goes with
        its number of documents (`cutting.expected_cuts`).
        """
        grown = copy(self)
        if hasattr(self, "cuts_"):
            grown.cuts_ = with_expected_cuts(self.cuts_, growth)
        return grown
