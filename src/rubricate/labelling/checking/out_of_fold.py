"""Scores that no document's own label shaped: five folds, each scored by an SVM that learned from the other four."""

from __future__ import annotations

from rubricate.classifiers.svm.svm import SVM
from rubricate.errors import InvalidInput
from rubricate.folds import deal, fold_scores
from rubricate.text.vectors import Vectors
from rubricate.types import Documents, Run, Scores

__all__ = ["out_of_fold_scores"]


def out_of_fold_scores(documents: Documents, *, folds: int = 5, seed: int = 0) -> Run:
    """Return a run over labelled documents: out-of-fold scores of linear SVMs on ltc vectors, the labels as truth.

    The terms and their weights are those of all documents, which no label shapes.
    """
    if len(documents) < 2 * folds:
        raise InvalidInput(f"{len(documents)} documents for {folds} folds; give at least {2 * folds}")
    vectors = Vectors(weights="ltc").fit_transform(documents.texts)
    dealt = deal(documents.labels, folds, seed=seed)
    values = fold_scores(SVM(), vectors, documents.labels, folds=dealt)
    ids = tuple(str(name) for name in documents.ids)
    scores = Scores(values, documents.categories, ids)
    return Run("out of fold", ids, documents.categories, scores, None, documents.labels)
