"""Scores that no document's own label shaped: five folds, each scored by an SVM that learned from the other four."""

from __future__ import annotations

from typing import Any

from rubricate.classifiers.svm.svm import SVM
from rubricate.errors import InvalidInput
from rubricate.folds import deal, fold_scores
from rubricate.training.material import Material
from rubricate.training.settings import Settings
from rubricate.types import Documents, Run, Scores

__all__ = ["out_of_fold_scores"]


def out_of_fold_scores(X: Any, y: Any = None, *, folds: int = 5, seed: int = 0) -> Run:
    """Return a run over labelled documents: out-of-fold scores of linear SVMs, the labels as truth.

    The vectors are terms beside words in 1- and 2-grams, with ltc weights (`representation="words"`), or those that the
    documents come with. Terms and weights are those of all documents, which no label shapes. With fewer than two
    documents for each fold there are fewer folds.
    """
    material = Material(X, y)
    documents = len(material.ids)
    if documents < 4:
        raise InvalidInput(f"{documents} documents cannot be scored out of fold; give at least 4")
    vectors, blocks = _vectors(material)
    dealt = deal(material.labels, min(folds, documents // 2), seed=seed)
    values = fold_scores(SVM(C=float(blocks)), vectors, material.labels, folds=dealt)
    scores = Scores(values, material.categories, material.ids)
    return Run("out of fold", material.ids, material.categories, scores, None, material.labels)


def _vectors(material: Material) -> tuple[Any, int]:
    """Return the vectors of the documents, and how many blocks of length 1 they consist of."""
    documents = material.documents
    given = "vectors" in documents.fields if isinstance(documents, Documents) else getattr(documents, "ndim", 1) == 2
    if given:
        return material.shaped(Settings(weights="precomputed").shape(), None).X, 1
    try:
        return material.shaped(Settings(representation="words").shape(), None).X, 2
    except InvalidInput:  # texts without words, such as numbers
        return material.shaped(Settings(representation="characters").shape(), None).X, 2
