"""Cuts for any classifier, learned from its own out-of-fold scores."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import check_consistent_length, get_tags, indexable
from sklearn.utils.validation import check_is_fitted

from rubricate.engines import Engine
from rubricate.errors import InvalidInput
from rubricate.folds import deal, fold_scores
from rubricate.labels import class_target
from rubricate.thresholds.definition.catalogue import resolve
from rubricate.thresholds.definition.threshold import Threshold
from rubricate.training.aligned import Aligned, Form
from rubricate.types import AnyClassifier, Floats, Sparse

__all__ = ["Thresholded"]


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
        dealt = [deal(labels, folds, seed=self.seed + k) for k in range(seeds)]
        scores = [fold_scores(aligned, X, labels, folds=part, engine=self.engine) for part in dealt]
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
