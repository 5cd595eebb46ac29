"""Learned values as flat attributes of a classifier.

A model file holds the attributes of an estimator whose names end in `_`: numbers, strings, arrays, tuples of them and
estimators, never objects of other classes. So a value with several parts, such as a table of rules, is kept part by
part and put together again where it is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, Literal, Self, TypeAlias, TypeVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from rubricate.classifiers.linear_scores import BLOCK
from rubricate.classifiers.rows import canonical_rows
from rubricate.errors import InvalidInput, UnknownName
from rubricate.labels import class_target
from rubricate.matrices import check_sparse_indices
from rubricate.native.measures import best_columns
from rubricate.types import Evidence, Floats, Ints, Scores, Sparse

__all__ = [
    "BLOCK",
    "Keeping",
    "Kind",
    "Scorer",
    "contributions",
    "keep_best",
    "require_flag",
    "require_number",
    "require_whole",
    "strongest",
]

T = TypeVar("T")


class Keeping:
    """Mixin of a classifier that keeps named tuples and dataclasses: field `starts` becomes attribute `starts_`."""

    def _keep(self, *values: Any) -> None:
        """Keep the fields of each value."""
        for value in values:
            for name in value.__match_args__:
                setattr(self, f"{name}_", getattr(value, name))

    def _recall(self, kind: type[T]) -> T:
        """Return the value of this class that was kept."""
        names: tuple[str, ...] = kind.__match_args__  # type: ignore[attr-defined]  # of dataclasses and named tuples
        return kind(*(getattr(self, f"{name}_") for name in names))


def require_whole(owner: Any, name: str, least: int, *, or_none: bool = False) -> None:
    """Raise InvalidInput unless a parameter is a whole number from `least` on (or None)."""
    value = getattr(owner, name)
    if or_none and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        what = f"a whole number from {least} on" + (", or None" if or_none else "")
        raise InvalidInput(f"{type(owner).__name__}: {name} must be {what}; got {value!r}")


def require_number(owner: Any, name: str, *, most: float = np.inf) -> None:
    """Raise InvalidInput unless a parameter is a finite number above 0 and at most `most`."""
    value = getattr(owner, name)
    if not (isinstance(value, Real) and 0 < float(value) <= most and float(value) < np.inf):
        limit = "" if most == np.inf else f" and at most {most:g}"
        raise InvalidInput(f"{type(owner).__name__}: {name} must be a number above 0{limit}; got {value!r}")


def require_flag(owner: Any, name: str) -> None:
    """Raise InvalidInput unless a parameter is True or False."""
    value = getattr(owner, name)
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidInput(f"{type(owner).__name__}: {name} must be True or False; got {value!r}")


Kind: TypeAlias = Literal["term", "document", "rule", "part"]


def strongest(
    indices: Any,
    weights: Floats,
    limit: int,
    *,
    kind: Kind = "term",
    detail: str = "",
    names: Sequence[str] = (),
) -> list[Evidence]:
    """Return the indices with the largest absolute weights as evidence, largest first, the earlier of equals.

    Weights of zero are left out. `names` are parallel to `indices`, where only the classifier knows them.
    """
    order = np.argsort(-np.abs(weights), kind="stable")[:limit]
    return [
        Evidence(kind, int(indices[i]), float(weights[i]), detail=detail, name=names[i] if names else "")
        for i in order
        if weights[i] != 0
    ]


def contributions(X: Any, weights: Floats, limit: int, *, columns: Ints | None = None) -> list[list[Evidence]]:
    """Return the terms of each row of X by weight · value; `columns` are their numbers where X holds only some."""
    X = sparse.csr_array(X)
    reasons = []
    for start, stop in pairwise(X.indptr):
        terms = X.indices[start:stop]
        own = terms if columns is None else columns[terms]
        reasons.append(strongest(own, X.data[start:stop] * weights[terms], limit))
    return reasons


class Scorer(ClassifierMixin, BaseEstimator):
    """The base of all classifiers: it gives scores; decisions are made by thresholds.

    Learned by every classifier: `classes_` (the classes of a one-dimensional y, else 0, 1, …), `categories_` (their
    names), `multilabel_`, `sparse_labels_` (whether `predict` answers with a sparse matrix).

    A class declares what it is by class attributes:

    needs_hierarchy    it takes `taxonomy=`, which the program fills in from the corpus
    names_categories   it goes by the names of the categories, and sees every column, also those without documents
    learns_on          `partial_fit` adds documents, of new categories as well
    has_dual           it keeps α and ξ of every document, from which ξα-estimates and leave-one-out follow
    _mirrored          of two classes it learns one; the score of the other is the negative
    _natural_cut       the cut of `predict` for a multi-label y
    _nonnegative       it refuses negative values in X

    >>> class Longest(Scorer):
    ...     def _learn(self, X, labels, weights):
    ...         self.shares_ = labels.mean(axis=0)
    ...     def _score(self, X):
    ...         return np.outer(X.sum(axis=1), self.shares_)
    >>> Longest().fit([[1.0], [2.0], [3.0]], ["a", "b", "b"]).predict([[1.0]]).tolist()
    ['b']
    """

    needs_hierarchy = False
    names_categories = False
    learns_on = False
    has_dual = False
    _mirrored = False
    _natural_cut = 0.0
    _nonnegative = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from vectors and their labels: a column of classes, or a matrix documents × categories."""
        X = validate_data(
            self, check_sparse_indices(X), accept_sparse="csr", dtype=np.float64, ensure_non_negative=self._nonnegative
        )
        labels = self._take_labels(y, X.shape[0])
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self._learn(canonical_rows(X), labels, weights)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return scores, documents × categories; one dimension for a y of two classes, positive for the second."""
        scores = self._score(self._take_vectors(X))
        if self.multilabel_ or len(self.classes_) != 2:
            return scores
        return scores[:, 0] if self._is_mirrored() else scores[:, 1] - scores[:, 0]

    def predict(self, X: Any) -> Any:
        """Return the best class for a one-dimensional y; for a multi-label y, every category above the natural cut.

        Of equal scores the first class wins; a score equal to the cut is below it.
        """
        check_is_fitted(self)
        if not self.multilabel_ and self.finds_best(X):
            return self.classes_[self._k_best(self._take_vectors(X), 1).indices]
        scores = self.decision_function(X)
        if self.multilabel_:
            decided = scores > self._natural_cut
            return sparse.csr_array(decided) if self.sparse_labels_ else decided.astype(np.int64)
        best = (scores > 0).astype(np.int64) if scores.ndim == 1 else np.argmax(scores, axis=1)
        return self.classes_[best]

    def top(self, X: Any, k: int) -> Scores:
        """Return the k best categories of each document as sparse scores, whose floor is the least score kept.

        Documents are scored in blocks. Of equal scores the earlier category is kept.
        """
        if k < 1:
            raise InvalidInput(f"top: k must be at least 1, got {k}")
        values = self._k_best(self._take_vectors(X), k)
        floor = float(values.data.min()) if values.nnz else -np.inf
        return Scores(values, self.categories_, [str(i) for i in range(values.shape[0])], floor)

    def finds_best(self, X: Any) -> bool:
        """Tell whether the best categories of such documents are found without the scores of all."""
        return False

    def limited(self, X: Any, k: int) -> Scores:
        """Return at least the k best scores of each document; the floor is that of all others, or −inf if they differ.

        For classifiers of more than two categories.
        """
        values = self._k_best(self._take_vectors(X), k)
        return Scores(values, self.categories_, range(values.shape[0]))  # type: ignore[arg-type]

    def explain(self, X: Any, category: int | str, limit: int = 10) -> list[list[Evidence]]:
        """Return for each document what spoke most for (> 0) or against (< 0) a category, given by column or name."""
        if isinstance(category, str):
            if category not in self.categories_:
                raise UnknownName("category", category, self.categories_)
            category = self.categories_.index(category)
        if not 0 <= category < len(self.categories_):
            raise InvalidInput(f"explain: category {category} of {len(self.categories_)}; columns count from 0")
        names = self._evidence_names()
        rows = self._explain(self._take_vectors(X), category, limit)
        return [[reason.named(terms=names) for reason in reasons] for reasons in rows]

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        raise NotImplementedError

    def _score(self, X: Any) -> Floats:
        raise NotImplementedError

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        raise NotImplementedError

    def _k_best(self, X: Any, k: int) -> Sparse:
        """Return the k best scores of each document; of equal ones those of the earlier categories."""
        rows = max(1, BLOCK // len(self.categories_))
        parts = [keep_best(self._all_scores(X[s : s + rows]), k) for s in range(0, X.shape[0], rows)]
        return sparse.csr_array(sparse.vstack(parts))

    def _all_scores(self, X: Any) -> Floats:
        """Return one column for every category, also where one is the mirror of the other."""
        scores = self._score(X)
        return np.column_stack([-scores[:, 0], scores[:, 0]]) if self._is_mirrored() else scores

    def _is_mirrored(self) -> bool:
        return self._mirrored and not self.multilabel_ and len(self.classes_) == 2

    def _check_width(self, categories: int) -> None:
        """Raise InvalidInput where the parameters do not allow so many categories."""

    def _term_names(self) -> Sequence[str]:
        """Return the names of the columns of X; `x0`, `x1`, … where it had none."""
        return getattr(self, "feature_names_in_", _Numbered(self.n_features_in_))

    def _evidence_names(self) -> Sequence[str]:
        """Return the names of the columns where they are known, else nothing: evidence then keeps its numbers."""
        return getattr(self, "feature_names_in_", ())

    def _take_vectors(self, X: Any) -> Any:
        check_is_fitted(self)
        X = check_sparse_indices(X)
        if not self._is_ready(X):
            kind = {"accept_sparse": "csr", "dtype": np.float64, "ensure_non_negative": self._nonnegative}
            X = validate_data(self, X, reset=False, **kind)
        return canonical_rows(X)

    def _is_ready(self, X: Any) -> bool:
        """Tell whether scikit-learn's checks would let X pass as it is: they take a millisecond, more than one text."""
        if not isinstance(X, sparse.csr_array) or X.dtype != np.float64 or not X.shape[0]:
            return False
        if X.shape[1] != self.n_features_in_ or hasattr(self, "feature_names_in_"):
            return False
        return bool(np.isfinite(X.data).all()) and not (self._nonnegative and (X.data < 0).any())

    def _take_labels(self, y: Any, rows: int) -> Sparse:
        """Return the labels to learn from in any form that `labels.class_target` takes; remember their form."""
        target = class_target(y, owner=type(self).__name__)
        if target.labels.shape[0] != rows:
            raise InvalidInput(
                f"X has {rows} documents and y has {target.labels.shape[0]}; inconsistent numbers of samples"
            )
        self.multilabel_ = target.form != "column"
        self.sparse_labels_ = target.form in ("sparse", "sets")
        self.categories_ = target.categories
        self.classes_ = np.arange(len(target.categories)) if self.multilabel_ else target.classes
        if self.multilabel_ or len(self.classes_) > 2:
            return target.labels
        if len(self.classes_) == 1:
            raise InvalidInput(f"y has 1 class ({self.classes_[0]!r}); a classifier needs 2 classes or more")
        return sparse.csr_array(target.labels[:, [1]]) if self._mirrored else target.labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self._nonnegative
        tags.classifier_tags.multi_label = True
        return tags


class _Numbered(Sequence[str]):
    """`x0`, `x1`, …, made when asked for."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: Any) -> Any:
        if not 0 <= index < self.size:
            raise IndexError(f"column {index} of {self.size}")
        return f"x{index}"


def keep_best(scores: Floats, k: int) -> sparse.csr_array:
    """Return the k highest scores of each row as a sparse matrix; of equal scores the earlier column is kept."""
    rows, columns = scores.shape
    k = min(k, columns)
    if scores.min(initial=np.inf) > -np.inf:  # false for NaN
        order = np.sort(best_columns(np.ascontiguousarray(scores, np.float64), k)[0], axis=1)
    else:
        order = np.sort(np.argsort(-scores, axis=1, kind="stable")[:, :k], axis=1)
    data = np.take_along_axis(scores, order, axis=1).ravel()
    return sparse.csr_array((data, order.ravel(), np.arange(rows + 1) * k), shape=scores.shape)
