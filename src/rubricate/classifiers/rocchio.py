"""Rocchio: one prototype per category, compared by cosine. rocchio1971; yang1999, section 2 (system 6)."""

from __future__ import annotations

from numbers import Real
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from rubricate.classifiers.base import Scorer, contributions
from rubricate.classifiers.batches import take_batch
from rubricate.classifiers.rows import extended, unit_rows
from rubricate.classifiers.weight_lists import is_worthwhile, lists_of
from rubricate.errors import InvalidInput, UnknownName
from rubricate.registry import classifier
from rubricate.types import Evidence, Floats, Sparse

__all__ = ["Rocchio"]

NEGATIVES = ("clip", "keep")
NOTHING = 1e-13
"""A prototype counts as zero where its squared length is below this share of its two terms': rounding error."""


@classifier("rocchio")
class Rocchio(Scorer):
    """The score of c is the cosine of the document and the prototype of c,

        w_c = β / |D_c| Σ_{d in D_c} d/|d|  −  γ / |D − D_c| Σ_{d not in D_c} d/|d|

    D_c the training documents of c (rocchio1971; yang1999, section 2; with the lengths as joachims1997).

    A sample weight counts a document that many times. `partial_fit` adds documents, with the same result as one `fit`
    with all. A mean over no documents is 0: a category without documents has no positive weight, and scores at most 0;
    one with all documents loses its second term. A row of zeros scores 0.

    `predict` takes the best class of a single-label y; of a multi-label one, the categories whose score is above the
    midpoint of the mean scores of their training documents and of the others (infinite for an empty category), for a
    cosine has no natural cut.

    Learned: `coef_` (categories × columns, sparse) and `shift_` (one number per category), from which
    w_c / |w_c| = coef_c − shift_c · total_; shift is 0 where negatives are clipped. `sums_` (categories × columns),
    `total_`, `sizes_` and `size_` are the sums of the documents d/|d| and of their weights, of each category and of
    all; `midpoints_`. Cost of learning and of scoring: a sparse product; no document is visited twice.

    Parameters
    ----------
    beta, gamma : 16 and 4 by custom (buckley1994).
    negatives : weights of w_c below 0: "keep" them, or "clip": they count as 0, as in Rocchio's relevance feedback.

    Examples
    --------
    >>> model = Rocchio().fit([[1, 0, 1], [1, 0, 0], [0, 1, 1]], ["corn", "corn", "gold"])
    >>> model.prototypes().round(3).tolist()
    [[0.96, -0.199, 0.199], [-0.221, 0.734, 0.642]]
    """

    learns_on = True
    sums_: Sparse
    total_: Floats
    sizes_: Floats
    size_: float

    def __init__(self, *, beta: float = 16.0, gamma: float = 4.0, negatives: str = "keep") -> None:
        self.beta = beta
        self.gamma = gamma
        self.negatives = negatives

    def partial_fit(self, X: Any, y: Any, classes: Any = None, *, sample_weight: Any = None) -> Self:
        """Learn these documents in addition to those before.

        y may bring new categories, which get columns behind the known ones: classes not met before, or further columns
        of a label matrix. `classes` names all classes that a single-label y may have, also those still to come; then
        others are an error, as in scikit-learn.
        """
        self._check()
        known = hasattr(self, "sums_")
        X, labels, weights = take_batch(self, X, y, classes=classes, sample_weight=sample_weight)
        self._add(X, labels, weights, afresh=not known)
        return self

    def update(self, X: Any, y: Any) -> Self:
        """Learn further documents, of new categories as well."""
        check_is_fitted(self)
        return self.partial_fit(X, y)

    def prototypes(self) -> Floats:
        """Return w_c / |w_c|, categories × columns."""
        check_is_fitted(self)
        return self.coef_.toarray() - np.outer(self.shift_, self.total_)

    def predict(self, X: Any) -> Any:
        """Return the best class; for a multi-label y, every category whose score is above its midpoint."""
        check_is_fitted(self)
        if not self.multilabel_:
            return super().predict(X)
        decided = self.decision_function(X) > self.midpoints_
        return sparse.csr_array(decided) if self.sparse_labels_ else decided.astype(np.int64)

    def finds_best(self, X: Any) -> bool:
        """Tell whether the best categories of such documents are found without the scores of all."""
        return is_worthwhile(self.coef_, X)

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        self._add(X, labels, weights, afresh=True)

    def _add(self, X: Any, labels: Sparse, weights: Floats | None, *, afresh: bool) -> None:
        self._check()
        weights = np.ones(X.shape[0]) if weights is None else weights
        unit, marks = sparse.csr_array(unit_rows(X)), labels.astype(np.float64)
        marks.data = np.repeat(weights, np.diff(marks.indptr))
        sums, total = sparse.csr_array(marks.T @ unit), weights @ unit
        sizes, size = np.asarray(marks.sum(axis=0)).ravel(), float(weights.sum())
        if not afresh:
            sums, total = sparse.csr_array(extended(self.sums_, sums.shape) + sums), self.total_ + total
            sizes[: len(self.sizes_)] += self.sizes_
            size += self.size_
        self.sums_, self.total_, self.sizes_, self.size_ = sums, total, sizes, size
        self._settle()

    def _settle(self) -> None:
        """Compute the prototypes from the sums: w = (a + b) S_c − b T, with a = β/|D_c| and b = γ/|D − D_c|."""
        a, b = _over(self.beta, self.sizes_), _over(self.gamma, self.size_ - self.sizes_)
        coef = _scaled(self.sums_, a + b)
        if self.negatives == "clip":
            coef, b = _clipped(coef, b, self.total_), np.zeros(len(b))
        whole = _squares(coef) + b**2 * (self.total_ @ self.total_)
        square = whole - 2 * b * (coef @ self.total_)
        scale = _over(1.0, np.sqrt(np.where(square > NOTHING * whole, square, 0.0)))
        self.coef_, self.shift_ = _scaled(coef, scale), b * scale
        self.midpoints_ = self._midpoints()

    def _midpoints(self) -> Floats:
        """Return the midpoints. Scores are linear in d/|d|, so that their means are the scores of the means."""
        own = np.asarray(self.coef_.multiply(self.sums_).sum(axis=1)).ravel() - self.shift_ * (self.sums_ @ self.total_)
        every = self.coef_ @ self.total_ - self.shift_ * (self.total_ @ self.total_)
        rest = np.maximum(self.size_ - self.sizes_, 0.0)
        middle = (own * _over(1.0, self.sizes_) + (every - own) * _over(1.0, rest)) / 2
        return np.where(self.sizes_ > 0, middle, np.inf)

    def _score(self, X: Any) -> Floats:
        unit = unit_rows(X)
        scores = unit @ self.coef_.T
        scores = scores.toarray() if sparse.issparse(scores) else np.asarray(scores)
        return scores - np.outer(unit @ self.total_, self.shift_) if self.shift_.any() else scores

    def _k_best(self, X: Any, k: int) -> Sparse:
        if not self.finds_best(X):
            return super()._k_best(X, k)
        unit = unit_rows(X)
        return lists_of(self, -self.shift_).best(unit, k, factors=unit @ self.total_)

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """Return the terms by their part of the cosine; together they are the score."""
        weights = self.coef_[[category]].toarray()[0] - self.shift_[category] * self.total_
        return contributions(unit_rows(X), weights, limit)

    def check_state(self) -> None:
        """Raise ValueError unless sums, sizes and prototypes of an opened model have the same shape."""
        if not hasattr(self, "sums_"):
            return
        categories, columns = self.sums_.shape
        wanted = {"coef_": (categories, columns), "total_": (columns,)}
        for name in ("coef_", "total_", "shift_", "sizes_", "midpoints_"):
            if getattr(self, name).shape != wanted.get(name, (categories,)):
                raise ValueError(f"{name} does not have the shape of sums_, {categories} × {columns}")

    def _check(self) -> None:
        for name in ("beta", "gamma"):
            value = getattr(self, name)
            if not (isinstance(value, Real) and 0 <= float(value) < np.inf):
                raise InvalidInput(f"Rocchio: {name} must be a number of 0 or more, got {value!r}")
        if self.beta == self.gamma == 0:
            raise InvalidInput("Rocchio: beta and gamma are both 0, which leaves no prototype; give beta=16, gamma=4")
        if self.negatives not in NEGATIVES:
            raise UnknownName("treatment of negatives", str(self.negatives), NEGATIVES)


def _over(value: float, sizes: Floats) -> Floats:
    """Return value / size, and 0 where the size is 0."""
    return np.divide(value, sizes, out=np.zeros(len(sizes)), where=sizes > 0)


def _clipped(coef: Sparse, b: Floats, total: Floats) -> Sparse:
    """Return max(0, coef − b T); where T has no negative, only what coef stores can be above 0."""
    if (total < 0).any():
        return sparse.csr_array(np.maximum(0.0, coef.toarray() - np.outer(b, total)))
    coef.data = np.maximum(0.0, coef.data - np.repeat(b, np.diff(coef.indptr)) * total[coef.indices])
    coef.eliminate_zeros()
    return coef


def _scaled(rows: Sparse, factors: Floats) -> Sparse:
    data = rows.data * np.repeat(factors, np.diff(rows.indptr))
    return sparse.csr_array((data, rows.indices.copy(), rows.indptr.copy()), shape=rows.shape)


def _squares(rows: Sparse) -> Floats:
    return np.asarray(rows.power(2).sum(axis=1)).ravel()
