"""Cut and confidence of a trained SVM from its leave-one-out scores, without training it again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rubricate.classifiers.svm_leave_one_out import has_dual
from rubricate.errors import InvalidInput
from rubricate.estimation.estimating import estimate
from rubricate.folds import assign_folds
from rubricate.thresholds import resolve
from rubricate.training.choosing import fit_cut, judge
from rubricate.training.data import Target, given_documents, take_target, without_unlabelled
from rubricate.types import FittedModel, Floats

__all__ = ["calibrate"]

Model = TypeVar("Model", bound=FittedModel)

FOLDS = 5
"""Parts in which cut and confidence are judged: those of a part are learned from the scores of the others."""


def calibrate(model: Model, X: Any, y: Any = None, *, cut: Any = None) -> Model:
    """Return a copy of a fitted categorizer whose cut, confidence and coverage come from leave-one-out scores.

    Parameters
    ----------
    model
        A fitted `Categorizer` with an SVM, the default; with `folds=0` it was trained once.
    X, y
        The documents it was trained on.
    cut
        The threshold to learn, such as "scut"; by default the model's own.

    Folds give scores of SVMs that had only (k − 1)/k of the documents, at the cost of k trainings. Leave-one-out gives
    those of SVMs that had all documents but one. Terms, weights and selection are those of all documents, as in
    `estimate`. `cross_validation_` has the figures, its `folds` being the number of documents. Scores are exact for
    every document (`every=True`); cost: as for "leave_one_out", some tenths of a second for Reuters.
    """
    check_is_fitted(model, "model_")
    if not has_dual(model.classifier_):
        raise InvalidInput(
            f"only an SVM gives leave-one-out scores at once, not {model.classifier_!r}; fit with folds=5"
        )
    if model.limit_ is not None:
        raise InvalidInput("the model keeps only the best scores of a document; learn its cut by folds instead")
    documents, target = given_documents(X), take_target(given_documents(X), y, model.categories_)
    if model.single_label_:
        documents, target = without_unlabelled(documents, target)
    labels = target.labels
    wanted = model.cut if cut is None else cut
    scores, threshold = _scores(model, documents, target), resolve(model.cut_ if wanted is None else wanted)
    fold_ids = assign_folds(labels, min(FOLDS, labels.shape[0]), seed=model.seed)
    judged = judge(threshold, [scores], labels, folds=fold_ids)
    calibrated = replace(
        model.model_,
        threshold=fit_cut(threshold, scores, labels),
        judged=judged,
        confidence=judged.confidence,
        coverage=judged.coverage(),
        figures=judged.figures(labels.shape[0]),
    )
    return model.recalibrated(calibrated, wanted)


def _scores(model: FittedModel, documents: Any, target: Target) -> Floats:
    """Return leave-one-out scores of all categories; ±1 where a category has all or none of the documents."""
    labels, exact = target.labels, estimate(model, documents, target, method="leave_one_out", every=True)
    held = np.bincount(labels.indices, minlength=labels.shape[1])
    scores = np.tile(np.where(held > 0, 1.0, -1.0), (labels.shape[0], 1))
    place = {name: c for c, name in enumerate(model.categories_)}
    scores[:, [place[name] for name in exact.categories]] = exact.scores
    return scores
