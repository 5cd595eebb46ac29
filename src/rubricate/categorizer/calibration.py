"""Cut and confidence of a trained SVM from its leave-one-out scores, without training it again."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rubricate.categorizer.categorizer import Categorizer
from rubricate.categorizer.estimation import estimate
from rubricate.classifiers.svm.svm import SVM
from rubricate.errors import InvalidInput
from rubricate.folds import stratified_folds
from rubricate.thresholds import resolve
from rubricate.training.choosing import fit_cut, judge
from rubricate.training.learning import _keep_figures
from rubricate.training.targets import given_documents, take_target
from rubricate.types import Floats, Sparse

__all__ = ["calibrate"]

FOLDS = 5
"""Parts in which cut and confidence are judged: those of a part are learned from the scores of the others."""


def calibrate(model: Categorizer, X: Any, y: Any = None, *, cut: Any = None) -> Categorizer:
    """A copy of a fitted categorizer whose cut, confidence and coverage are learned from leave-one-out scores.

    model   a fitted `Categorizer` with an SVM, the default; with `folds=0` it was trained once
    X, y    the documents it was trained on
    cut     the threshold to learn, such as "scut"; by default the model's own

    Folds give scores of SVMs that had only (k − 1)/k of the documents, at the cost of k trainings. Leave-one-out gives
    those of SVMs that had all documents but one. Terms, weights and selection are those of all documents, as in
    `estimate`. `cross_validation_` has the figures, its `folds` being the number of documents. Scores are exact for
    every document (`every=True`); cost: as for "leave_one_out", some tenths of a second for Reuters.

    >>> texts = ["wheat and corn", "corn exports", "crude oil", "oil and gas", "wheat harvest", "gas pipeline"] * 3
    >>> labels = ["grain", "grain", "fuel", "fuel", "grain", "fuel"] * 3
    >>> model = calibrate(Categorizer("svm", cut=0.0, folds=0).fit(texts, labels), texts, labels)
    >>> model.classify(["wheat exports"])[0]
    ('grain',)
    """
    check_is_fitted(model, "aligned_")
    if not isinstance(model.classifier_, SVM):
        raise InvalidInput(
            f"only an SVM gives leave-one-out scores at once, not {model.classifier_!r}; fit with folds=5"
        )
    if model.limit_ is not None:
        raise InvalidInput("the model keeps only the best scores of a document; learn its cut by folds instead")
    found = copy(model)
    found.cut = model.cut if cut is None else cut
    labels = take_target(given_documents(X), y, model.categories_).labels
    scores, threshold = _scores(model, X, y, labels), resolve(model.cut_ if found.cut is None else found.cut)
    found.cut_ = fit_cut(threshold, scores, labels)
    dealt = stratified_folds(labels, min(FOLDS, labels.shape[0]), seed=model.seed)
    _keep_figures(found, judge(threshold, [scores], labels, dealt), labels, labels.shape[0])
    return found


def _scores(model: Categorizer, X: Any, y: Any, labels: Sparse) -> Floats:
    """Leave-one-out scores of all categories; ±1 where a category has all or none of the documents."""
    exact = estimate(model, X, y, method="leave_one_out", every=True)
    held = np.bincount(labels.indices, minlength=labels.shape[1])
    scores = np.tile(np.where(held > 0, 1.0, -1.0), (labels.shape[0], 1))
    place = {name: c for c, name in enumerate(model.categories_)}
    scores[:, [place[name] for name in exact.categories]] = exact.scores
    return scores
