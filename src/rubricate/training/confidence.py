"""How sure a decision is: the chance that a document got exactly its true labels."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from rubricate.errors import InvalidInput
from rubricate.labels import CategoryGrowth
from rubricate.training.confidence_scores import FARTHEST, ConfidenceCurve
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = ["Confidence", "exactly_right"]

SAMPLE = 40_000
"""About how many of the cells that are neither assigned nor true are learned from."""


class Confidence(ConfidenceCurve, BaseEstimator):
    """P(a document got exactly its true labels), learned from held-out documents in two steps.

    1. One logistic model for all cells (document, category) tells how likely the category is true:

           logit P(true) = w·(1, z, |z|, a, f, zf, af)      z = x / scale, within ±10; a = 1 where assigned, else 0;
                                                            f = ln(1 + n_c), n_c the documents of the category

       x is the offset of the score from the cut, scale the median |x| of true cells. The sureness of a document is
       Σ_c ln P(its decision on c is right), as if cells were independent.
    2. Isotonic regression turns sureness into the share of documents that were exactly right (zadrozny2002). One
       made-up wrong answer among the surest and one right answer among the least sure keep it from 0 and 1.

    Step 1 learns from all cells that are true or assigned and every k-th of the others, weighted by k, so that these
    are about 40,000. Cells that can never or must always be assigned (±inf) do not count. Between the values seen the
    chance is interpolated, beyond them it is as at the last. Cost: ∝ cells.

    Learned: `scale_`, `weights_`, `familiar_` (f), and the corners of the curve, `sureness_` and `chances_`.
    """

    def fit(self, offsets: Any, labels: Sparse, right: Any) -> Self:
        """Learn from the offsets of held-out documents, their labels, and which of them were decided exactly right."""
        yes = np.asarray(right, bool)
        if offsets.shape != labels.shape or yes.shape != (labels.shape[0],) or not len(yes):
            raise InvalidInput("a confidence needs offsets, labels and outcomes of the same documents, at least one")
        self.familiar_ = np.log1p(np.bincount(labels.indices, minlength=labels.shape[1]))
        x, column, true = _sample(offsets, labels)
        near = np.abs(x[true.astype(bool)])
        self.scale_ = float(np.median(near)) if len(near) and np.median(near) > 0 else 1.0
        self.weights_ = _logistic(self._features(x, column), true, _shares(x, true, _stride(offsets)))
        sure = self.confidence_score(offsets)
        curve = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
        curve.fit(np.r_[sure, sure.min(), sure.max()], np.r_[yes, True, False].astype(np.float64))
        self.sureness_, self.chances_ = curve.X_thresholds_, curve.y_thresholds_
        return self

    def predict(self, offsets: Any) -> Floats:
        """Return the chance of each document."""
        check_is_fitted(self)
        return super().predict(offsets)

    def _features(self, x: Floats, column: Ints) -> Floats:
        z, a, f = np.clip(x / self.scale_, -FARTHEST, FARTHEST), (x >= 0).astype(np.float64), self.familiar_[column]
        return np.column_stack([z, np.abs(z), a, f, z * f, a * f])

    def grown(self, growth: CategoryGrowth) -> Self:
        """Return a copy for more categories; the f of a known one stays, since the curve was learned with it."""
        grown = copy(self)
        grown.familiar_ = growth.placed(self.familiar_, 0.0)
        grown.familiar_[growth.new] = np.log1p(growth.more[growth.new])
        return grown


def _stride(offsets: Any) -> int:
    cells = offsets.nnz if sparse.issparse(offsets) else offsets.size
    return max(1, cells // SAMPLE)


def _sample(offsets: Any, labels: Sparse) -> tuple[Floats, Ints, Floats]:
    """Return offset, category and truth of the cells to learn from."""
    if sparse.issparse(offsets):
        rows = np.repeat(np.arange(offsets.shape[0]), np.diff(offsets.indptr))
        x, column = offsets.data, offsets.indices
        true = np.asarray(labels[rows, column]).ravel() if len(rows) else np.empty(0, bool)
    else:
        x, column = offsets.ravel(), None
        true = np.zeros(offsets.shape, bool)
        true[labels.nonzero()] = True
        true = true.ravel()
    kept = (x >= 0) | true
    kept[:: _stride(offsets)] = True
    kept &= np.isfinite(x)
    cells = np.flatnonzero(kept)
    column = cells % offsets.shape[1] if column is None else column[cells]
    return x[cells], column, true[cells].astype(np.float64)


def _shares(x: Floats, true: Floats, stride: int) -> Floats:
    """Return the weight of each cell: how many it stands for."""
    return np.where((x >= 0) | (true > 0), 1.0, float(stride))


def _logistic(features: Floats, true: Floats, weights: Floats) -> Floats:
    if len(np.unique(true)) < 2:
        return np.zeros(features.shape[1] + 1)
    model = LogisticRegression(solver="newton-cholesky", max_iter=200).fit(features, true, weights)
    return np.r_[model.intercept_, model.coef_[0]]


def exactly_right(decided: Any, truth: Any) -> Bools:
    """Return which documents have precisely their true labels."""
    differ = sparse.csr_array(decided != truth)
    differ.eliminate_zeros()
    return np.diff(differ.indptr) == 0
