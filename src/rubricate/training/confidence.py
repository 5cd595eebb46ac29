"""How sure a decision is: the chance that a document got exactly its true labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.special import log_expit
from sklearn.base import BaseEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from rubricate.errors import InvalidInput
from rubricate.types import Bools, Floats, Ints, Scores, Sparse

__all__ = ["Confidence", "exactly_right", "offsets"]

FARTHEST = 10.0
"""Offsets are clipped at so many times their usual size, so that one far score cannot decide for a document."""
ROWS = 1 << 20
"""Cells looked at together."""
SAMPLE = 40_000
"""About how many of the cells that are neither assigned nor true are learned from."""


def offsets(scores: Any, cut: Any) -> Any:
    """Return how far each score lies above (>= 0: assigned) or below the cut of its category: x = s − cut_c.

    Where the threshold has no cuts, the cut of a document lies halfway between its t-th best score and the next (t = 1
    unless the threshold says otherwise). Scores of -inf stay, those of +inf too. Sparse scores give sparse offsets.

    >>> from rubricate.thresholds import resolve
    >>> offsets(np.array([[0.9, 0.5], [0.5, 0.1]]), resolve("rcut:1")).round(3).tolist()
    [[0.2, -0.2], [0.2, -0.2]]
    """
    values: Any = scores.values if isinstance(scores, Scores) else scores
    cuts = getattr(getattr(cut, "cut_", cut), "cuts_", None)
    if sparse.issparse(values):
        apart = sparse.csr_array(values, copy=True)
        rows = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
        middles = _middles(_padded(values, _t(cut) + 1), _t(cut))[rows] if cuts is None else cuts[values.indices]
        apart.data = _difference(values.data, middles)
        return apart
    return _difference(values, _middles(values, _t(cut))[:, None] if cuts is None else cuts)


def _t(cut: Any) -> int:
    return int(getattr(cut, "t", 1))


def _difference(scores: Floats, cuts: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        apart = scores - cuts
    return np.where(np.isnan(apart), scores, apart)


def _middles(values: Floats, t: int) -> Floats:
    """Return the middle between the t-th best score of each document and the next; -inf where there is no next."""
    if values.shape[1] <= t:
        return np.full(values.shape[0], -np.inf)
    best = -np.partition(-values, (t - 1, t), axis=1)[:, t - 1 : t + 1]
    known: Bools = np.isfinite(best[:, 0]) & np.isfinite(best[:, 1])
    return np.where(known, np.where(known[:, None], best, 0.0).mean(axis=1), -np.inf)


def _padded(values: Any, width: int) -> Floats:
    """Return the best `width` stored scores of each row, -inf where there are fewer."""
    out = np.full((values.shape[0], width), -np.inf)
    for row, (start, stop) in enumerate(zip(values.indptr[:-1], values.indptr[1:], strict=True)):
        best = np.sort(values.data[start:stop])[::-1][:width]
        out[row, : len(best)] = best
    return out


class Confidence(BaseEstimator):
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
        sure = self.sureness(offsets)
        curve = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
        curve.fit(np.r_[sure, sure.min(), sure.max()], np.r_[yes, True, False].astype(np.float64))
        self.sureness_, self.chances_ = curve.X_thresholds_, curve.y_thresholds_
        return self

    def predict(self, offsets: Any) -> Floats:
        """Return the chance of each document."""
        check_is_fitted(self)
        return np.interp(self.sureness(offsets), self.sureness_, self.chances_)

    def sureness(self, offsets: Any) -> Floats:
        """Return Σ_c ln P(the decision on c is right) of each document."""
        if sparse.issparse(offsets):
            totals = np.zeros(offsets.shape[0])
            rows = np.repeat(np.arange(offsets.shape[0]), np.diff(offsets.indptr))
            np.add.at(totals, rows, self._right(offsets.data, offsets.indices))
            return totals
        size, every = max(1, ROWS // max(1, offsets.shape[1])), np.arange(offsets.shape[1])
        parts = [self._right(offsets[s : s + size], every).sum(axis=1) for s in range(0, offsets.shape[0], size)]
        return np.concatenate(parts) if parts else np.empty(0)

    def _right(self, x: Floats, column: Ints) -> Floats:
        """Return ln P(the decision on a cell is right); 0 where nothing is to decide."""
        w, f = self.weights_, self.familiar_[column]
        z = np.clip(x / self.scale_, -FARTHEST, FARTHEST)
        yes = x >= 0
        logit = np.where(yes, w[0] + w[3] + (w[4] + w[6]) * f, w[0] + w[4] * f)
        logit += np.where(yes, w[1] + w[2] + w[5] * f, w[1] - w[2] + w[5] * f) * z
        return np.where(np.isfinite(x), log_expit(np.where(yes, logit, -logit)), 0.0)

    def _features(self, x: Floats, column: Ints) -> Floats:
        z, a, f = np.clip(x / self.scale_, -FARTHEST, FARTHEST), (x >= 0).astype(np.float64), self.familiar_[column]
        return np.column_stack([z, np.abs(z), a, f, z * f, a * f])

    def check_state(self) -> None:
        """Check that there are a curve and a weight for each feature."""
        if self.sureness_.shape != self.chances_.shape or not len(self.chances_) or self.weights_.shape != (7,):
            raise ValueError("the confidence is incomplete")
        if np.any(np.diff(self.sureness_) < 0) or np.isnan(self.chances_).any():
            raise ValueError("the curve of the confidence does not rise")


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
        x, column = offsets.ravel(), np.tile(np.arange(offsets.shape[1]), offsets.shape[0])
        true = np.zeros(offsets.shape, bool)
        true[labels.nonzero()] = True
        true = true.ravel()
    sampled = np.arange(len(x)) % _stride(offsets) == 0
    kept = np.isfinite(x) & (sampled | (x >= 0) | true)
    return x[kept], column[kept], true[kept].astype(np.float64)


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
