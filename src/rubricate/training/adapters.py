"""Any classifier as one that takes a label matrix, and any classifier with learned thresholds."""

from __future__ import annotations

from copy import copy
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length, get_tags, indexable
from sklearn.utils.validation import check_is_fitted

from rubricate.engines import Engine
from rubricate.errors import InvalidInput
from rubricate.folds import assign_folds, fold_scores, sparse_scores
from rubricate.labels import CategoryGrowth, class_target
from rubricate.thresholds.base import Threshold, resolve
from rubricate.thresholds.rank_limit import RankLimit
from rubricate.training.label_columns import LabelColumns
from rubricate.types import AnyClassifier, Floats, Scores, Sparse

__all__ = ["Aligned", "Form", "Thresholded"]

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


class Thresholded(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier with cuts: any that has `decision_function` or `predict_proba`, ours or scikit-learn's.

    `fit` deals the documents to folds stratified by category (the rarest first), scores each fold by a clone trained on
    the others, learns `cut` from those scores, and refits the classifier on all documents. A cut that needs no scores
    costs no folds.

    Parameters
    ----------
    classifier
        Unfitted; a `Pipeline` that starts from texts will do.
    cut
        A threshold, its shorthand, or a number.
    folds, seeds
        None takes what the cut says (5 and 1 by default). With several seeds the documents are dealt anew for each,
        from `seed` on, and the median of the cuts stands.
    engine
        Where the folds run: "threads", "serial", …; results do not depend on it.
    keep_scores
        Keep the out-of-fold scores as `out_of_fold_scores_`, seeds × documents × categories.

    `decide` gives the decisions at the cuts, a boolean sparse matrix. `predict` gives them in the form of y: a sparse
    or a dense matrix; one of two classes, the second where its score reaches the cut; for more classes than two, each
    document having one, always the class with the highest score: the cuts then serve `decide`, which may leave a
    document without a class. Two classes are one category, the second, so Rcut would always assign it.
    A category that no document has in a training part is not shown to the classifier and scores -inf there, one that
    all have scores +inf.

    Learned: `classifier_` (None if every category is empty or full), `cut_`, `classes_`.

    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = np.arange(20.0)[:, None], np.arange(20) >= 15
    >>> Thresholded(LogisticRegression(), cut="scut").fit(X, y).predict([[3.0], [18.0]])
    array([False,  True])
    """

    def __init__(
        self,
        classifier: AnyClassifier,
        *,
        cut: str | float | Threshold = "scut",
        folds: int | None = None,
        seeds: int | None = None,
        seed: int = 0,
        engine: Engine | str = "threads",
        keep_scores: bool = False,
    ) -> None:
        self.classifier = classifier
        self.cut = cut
        self.folds = folds
        self.seeds = seeds
        self.seed = seed
        self.engine = engine
        self.keep_scores = keep_scores

    def fit(self, X: Any, y: Any) -> Self:
        """Learn cuts from out-of-fold scores, then the classifier from all documents."""
        X = X if hasattr(X, "bodies") else indexable(X)[0]
        labels = self._take_labels(y)
        check_consistent_length(X, labels)
        aligned = Aligned(self.classifier, form=self.form_, classes=self.classes_)
        self.cut_ = self._learned_cut(aligned, X, labels)
        self.aligned_ = clone(aligned).fit(X, labels)
        self.classifier_ = self.aligned_.classifier_
        return self

    def decision_function(self, X: Any) -> Floats:
        """Score documents, documents × categories; for two classes a vector, less the cut where there is one."""
        scores = self._scores(X)
        if self.form_ != "binary":
            return scores
        return scores[:, 0] - getattr(self.cut_, "cuts_", 0.0)

    def decide(self, X: Any) -> Sparse:
        """Decide at the cuts, documents × categories."""
        scores = self._scores(X)
        return self.cut_.decide(scores)

    def predict(self, X: Any) -> Any:
        """Decide in the form of y; the best class where there are more than two."""
        scores = self._scores(X)
        if self.form_ == "classes":
            return self.classes_[np.argmax(scores, axis=1)]
        decided = self.cut_.decide(scores)
        if self.sparse_labels_:
            return decided
        dense = decided.toarray().astype(np.int64)
        return self.classes_[dense[:, 0]] if self.form_ == "binary" else dense

    @property
    def n_features_in_(self) -> int:
        """As the classifier has it."""
        return self.classifier_.n_features_in_

    @property
    def feature_names_in_(self) -> Any:
        """As the classifier has it."""
        return self.classifier_.feature_names_in_

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        return self.aligned_.decision_function(X)

    def _learned_cut(self, aligned: Aligned, X: Any, labels: Sparse) -> Threshold:
        cut = resolve(self.cut)
        if not cut.needs_scores:
            return cut.fit(None, labels)
        folds = cut.folds if self.folds is None else self.folds
        seeds = cut.seeds if self.seeds is None else self.seeds
        if seeds < 1:
            raise InvalidInput(f"Thresholded: seeds must be 1 or more, got {seeds}")
        fold_ids = [assign_folds(labels, folds, seed=self.seed + k) for k in range(seeds)]
        scores = [fold_scores(aligned, X, labels, folds=part, engine=self.engine) for part in fold_ids]
        if self.keep_scores:
            self.out_of_fold_scores_ = np.stack(scores)
        return cut.merge([clone(cut).fit(each, labels) for each in scores])

    def _take_labels(self, y: Any) -> Sparse:
        target = class_target(y, owner="Thresholded")
        self.form_: Form = "matrix"
        self.sparse_labels_ = target.form in ("sparse", "sets")
        if target.form != "column":
            self.classes_ = np.arange(len(target.categories))
            return target.labels
        self.classes_ = target.classes
        if len(self.classes_) < 2:
            raise InvalidInput(f"y has {len(self.classes_)} class(es) {self.classes_.tolist()}; cuts need 2 or more")
        self.form_ = "binary" if len(self.classes_) == 2 else "classes"
        return sparse.csr_array(target.labels[:, [1]]) if self.form_ == "binary" else target.labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.classifier)
        tags.input_tags = inner.input_tags
        tags.classifier_tags = inner.classifier_tags or tags.classifier_tags
        return tags
