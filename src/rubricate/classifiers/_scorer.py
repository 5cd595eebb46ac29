"""What every classifier shares: checks of the input, the forms of y, and predictions from scores.

A classifier is a file with a class derived from `Scorer` that gives two methods:

    _learn(X, labels, weights)   X csr or dense float64; labels csr_array bool, documents × categories; weights or None
    _score(X) -> documents × categories, float64

and may give `_explain(X, category, limit)`. For a one-dimensional y with two classes, `labels` has two columns
(the score is their difference), or one where `_mirrored` says that the second is only the first with the other sign.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from rubricate.errors import InvalidInput
from rubricate.labels import indicator
from rubricate.types import Evidence, Floats, Scores, Sparse

__all__ = ["Scorer"]

BLOCK = 1 << 22
"""Scores held at once when only the best of each document are kept."""


class Scorer(ClassifierMixin, BaseEstimator):
    """A classifier that gives scores; decisions are made by thresholds."""

    _mirrored = False
    _natural_cut = 0.0
    _nonnegative = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from vectors and their labels: a column of classes, or a matrix documents × categories."""
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, ensure_non_negative=self._nonnegative)
        labels = self._take_labels(y, X.shape[0])
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        self._learn(sparse.csr_array(X) if sparse.issparse(X) else X, labels, weights)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Scores, documents × categories; one column for a y of two classes, positive for the second."""
        scores = self._score(self._take_vectors(X))
        if self.multilabel_ or len(self.classes_) > 2:
            return scores
        return scores[:, 0] if self._mirrored else scores[:, 1] - scores[:, 0]

    def predict(self, X: Any) -> Any:
        """The best class for a one-dimensional y; for a multi-label one, every category above the natural cut."""
        scores = self.decision_function(X)
        if self.multilabel_:
            decided = scores > self._natural_cut
            return sparse.csr_array(decided) if self.sparse_labels_ else decided.astype(np.int64)
        best = (scores > 0).astype(np.int64) if scores.ndim == 1 else np.argmax(scores, axis=1)
        return self.classes_[best]

    def top(self, X: Any, k: int) -> Scores:
        """The k best categories of each document, as sparse scores whose floor is the least of them."""
        X = self._take_vectors(X)
        rows = max(1, BLOCK // max(1, self._columns()))
        parts = [_best(self._score(X[s : s + rows]), k) for s in range(0, X.shape[0], rows)]
        values = sparse.csr_array(sparse.vstack(parts))
        names = tuple(str(c) for c in range(values.shape[1]))
        return Scores(values, names, [str(i) for i in range(values.shape[0])], float(values.data.min(initial=0.0)))

    def explain(self, X: Any, category: int, limit: int = 10) -> list[list[Evidence]]:
        """For each document, what spoke most for or against a category (its column), strongest first."""
        return self._explain(self._take_vectors(X), category, limit)

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        raise NotImplementedError

    def _score(self, X: Any) -> Floats:
        raise NotImplementedError

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        raise NotImplementedError

    def _columns(self) -> int:
        return len(self.classes_)

    def _take_vectors(self, X: Any) -> Any:
        check_is_fitted(self)
        X = validate_data(
            self, X, accept_sparse="csr", dtype=np.float64, reset=False, ensure_non_negative=self._nonnegative
        )
        return sparse.csr_array(X) if sparse.issparse(X) else X

    def _take_labels(self, y: Any, rows: int) -> Sparse:
        if y is None:
            raise InvalidInput("requires y to be passed, but the target y is None")
        self.multilabel_ = sparse.issparse(y) or (getattr(np.asanyarray(y), "ndim", 1) == 2 and np.shape(y)[1] > 1)
        self.sparse_labels_ = sparse.issparse(y)
        if self.multilabel_:
            labels = indicator(y)
            self.classes_ = np.arange(labels.shape[1])
        else:
            labels = self._take_classes(y)
        if labels.shape[0] != rows:
            raise InvalidInput(f"X has {rows} documents and y has {labels.shape[0]}; they must be the same")
        return labels

    def _take_classes(self, y: Any) -> Sparse:
        values = np.asarray(y)
        if values.ndim == 2:
            values = values.ravel()
        check_classification_targets(values)
        self.classes_, column = np.unique(values, return_inverse=True)
        if len(self.classes_) == 1:
            raise InvalidInput(f"y has 1 class ({self.classes_[0]!r}); a classifier needs 2 classes or more")
        if len(self.classes_) == 2 and self._mirrored:
            return indicator(column[:, None])
        starts = np.arange(len(column) + 1)
        return sparse.csr_array((np.ones(len(column), bool), column, starts), shape=(len(column), len(self.classes_)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self._nonnegative
        tags.classifier_tags.multi_label = True
        return tags


def _best(scores: Floats, k: int) -> sparse.csr_array:
    """The k highest of each row; equal scores go to the earlier column."""
    rows, columns = scores.shape
    k = min(k, columns)
    order = np.sort(np.argsort(-scores, axis=1, kind="stable")[:, :k], axis=1)
    data = np.take_along_axis(scores, order, axis=1).ravel()
    return sparse.csr_array((data, order.ravel(), np.arange(rows + 1) * k), shape=scores.shape)
