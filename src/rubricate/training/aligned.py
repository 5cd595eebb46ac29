"""Any classifier as one that takes a label matrix and gives scores for all of its columns."""

from __future__ import annotations

from copy import copy
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.pipeline import Pipeline

from rubricate.folds import sparse_scores
from rubricate.labels import CategoryGrowth
from rubricate.thresholds.rank_limit import RankLimit
from rubricate.training.label_columns import LabelColumns
from rubricate.types import AnyClassifier, Scores, Sparse

__all__ = ["Aligned", "Form"]

Form: TypeAlias = Literal["classes", "binary", "matrix"]
"""What the labels are: one class per document, one of two classes, or any number of categories."""


class Aligned(LabelColumns, BaseEstimator):
    """Fits a clone of `classifier` with labels in the `form` it knows.

    A category that none of the documents has is not shown to the classifier, which may refuse it: its score is
    -inf. Nor is one that all of them have, in a matrix: its score is +inf. Columns of `labels` are the categories; in
    the form "classes" a document has exactly one, in "binary" there is one column, and `classes` names them.
    A classifier with a taxonomy is shown every column, since columns are its categories, with the same scores; so is
    one that goes by the names of the categories (`names_categories`), whose own scores stand in all of them.
    """

    def __init__(self, classifier: AnyClassifier, *, form: Form, classes: Any) -> None:
        self.classifier = classifier
        self.form = form
        self.classes = classes

    def fit(self, X: Any, labels: Sparse) -> Self:
        """Fit the classifier on the categories that some documents have and some have not."""
        held = np.bincount(labels.indices, minlength=labels.shape[1])
        full = held == labels.shape[0]
        self.constants_ = np.where(full, np.inf, -np.inf)
        by_name = self.form == "matrix" and getattr(_last(self.classifier), "names_categories", False)
        self.columns_ = np.flatnonzero(((held > 0) & ~full) | by_name)
        self.classifier_ = None
        if len(self.columns_):
            self.classifier_ = clone(self.classifier).fit(X, self.target(labels))
        return self

    def trained_as(self, classifier: AnyClassifier, X: Any, labels: Sparse) -> Self:
        """Return what fitting `classifier` would give, which is this one's but for what is added after training."""
        aligned = copy(self)
        aligned.classifier = classifier
        if self.classifier_ is not None:
            aligned.classifier_ = classifier.trained_as(self.classifier_, X, self.target(labels))
        return aligned

    def learn_on(self, X: Any, growth: CategoryGrowth) -> None:
        """Teach the classifier further documents.

        It is shown new categories, and those that had no documents so far, behind the others; `columns_` says where
        the model has them.
        """
        grown = copy(self)
        # The classifier orders new classes by their numbers; a new category gets the next one.
        numbers = growth.placed(self.classes, -1)
        unnumbered = np.flatnonzero(numbers < 0)
        numbers[unnumbered] = len(self.classes) + np.arange(len(unnumbered))
        new = growth.new[np.argsort(numbers[growth.new])]
        grown.classes, grown.columns_ = numbers, np.concatenate([growth.places[self.columns_], new])
        learn = getattr(self.classifier_, "update", None) or self.classifier_.partial_fit
        learn(X, grown.target(growth.labels))
        self.columns_, self.classes = grown.columns_, grown.classes
        self.constants_ = growth.placed(self.constants_, -np.inf)

    def place(self, column: int) -> int | None:
        """Return where the classifier keeps a category; None where it was not shown to it."""
        places = np.flatnonzero(self.columns_ == column)
        return int(places[0]) if len(places) else None

    def finds_best(self, X: Any) -> bool:
        """Return whether `limited` finds the best scores of such documents without those of all categories.

        Not where the classifier has learned on and has another order: of equal scores it would keep others.
        """
        finds = getattr(self.classifier_, "finds_best", None)
        if finds is None or self.shows_all() or len(self.columns_) <= 2:
            return False
        return bool(np.all(np.diff(self.columns_) > 0)) and bool(finds(X))

    def limited(self, X: Any, k: int) -> Scores:
        """Return the k best scores of each document, without those of −inf; of equal ones the earlier categories'."""
        classifier: Any = self.classifier_
        known: Any = RankLimit(rank=k).limit(classifier.limited(X, k)).values
        rows, every = np.arange(known.shape[0]), np.flatnonzero(self.constants_ == np.inf)
        row = np.concatenate([np.repeat(rows, np.diff(known.indptr)), np.repeat(rows, len(every))])
        column = np.concatenate([self.columns_[known.indices], np.tile(every, len(rows))])
        scores = np.concatenate([known.data, np.full(len(rows) * len(every), np.inf)])
        values = sparse.csr_array((scores, (row, column)), shape=(len(rows), len(self.constants_)))
        return RankLimit(rank=k).limit(sparse_scores(values))

    def target(self, labels: Sparse) -> Any:
        """Return labels in the form that the classifier knows."""
        if self.form == "classes":
            return self.classes[labels.indices]
        if self.form == "binary":
            return self.classes[labels.toarray()[:, 0].astype(np.int64)]
        return _matrix(self.classifier, labels if self.shows_all() else labels[:, self.columns_])

    def shows_all(self) -> bool:
        """Return whether the columns of the classifier are those of the labels."""
        return self.form == "matrix" and _knows_columns(self.classifier)


def _last(classifier: AnyClassifier) -> AnyClassifier:
    return classifier.steps[-1][1] if isinstance(classifier, Pipeline) else classifier


def _knows_columns(classifier: AnyClassifier) -> bool:
    last = _last(classifier)
    return getattr(last, "taxonomy", None) is not None or getattr(last, "names_categories", False)


def _matrix(classifier: AnyClassifier, labels: Sparse) -> Any:
    """Return a label matrix as the classifier can take it.

    Sparse only where that is known to be understood: scikit-learn's nearest neighbours take it and score nonsense.
    """
    last = _last(classifier)
    if any(kind.__module__.startswith("rubricate.") for kind in type(last).__mro__):
        return labels
    if labels.shape[1] == 1 and not isinstance(last, (ClassifierChain, MultiOutputClassifier)):
        return labels.toarray()[:, 0].astype(np.int8)
    return labels if isinstance(last, OneVsRestClassifier) else labels.toarray().astype(np.int8)
