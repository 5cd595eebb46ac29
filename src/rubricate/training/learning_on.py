"""Further documents for a trained model: the classifier learns on, everything around it grows with its categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.training.targets import Target, count, ids_of
from rubricate.training.trained import Trained
from rubricate.types import Ints, Sparse

__all__ = ["learned_on"]

REMEDY = "Fix: train with --keep (or call keep), and update trains anew with all documents"


def learned_on(trained: Trained, X: Any, target: Target, *, held: Ints) -> Trained:
    """Return a model whose classifier has learned further documents, too; `held` are those of each category before.

    Columns of the target beyond the known ones are new categories. They stand behind the known ones, which keep their
    places. Terms and weights stay, and so does what was learned from out-of-fold scores: cuts, confidence, familiarity.
    A new category has no such score. Its cut is that of `Threshold.grown`, its part in the confidence that of a
    category of as many documents. The classifier learns in place.
    """
    labels = target.labels
    if labels.shape[0] != count(X):
        raise InvalidInput(f"{count(X)} documents and {labels.shape[0]} label sets; give one set per document")
    _check_classifier(trained)
    _check_labels(trained, labels)
    new = trained.classifier.new_columns(labels)
    _check_new(trained.classifier.classifier_, [target.categories[column] for column in new])
    cut = trained.cut.grown(labels, held)
    trained.classifier.learn_on(trained.vectors(X), labels)
    confidence = trained.confidence
    return replace(
        trained,
        cut=cut,
        categories=target.categories,
        ids=(*trained.ids, *map(str, ids_of(X, labels.shape[0], len(trained.ids)))),
        confidence=None if confidence is None else confidence.grown(_held(labels), new),
    )


def _held(labels: Sparse) -> Ints:
    return np.bincount(labels.indices, minlength=labels.shape[1])


def _check_classifier(trained: Trained) -> None:
    classifier = trained.classifier.classifier_
    if not hasattr(classifier, "update") and not hasattr(classifier, "partial_fit"):
        raise InvalidInput(
            f"{type(classifier).__name__} cannot learn further documents. Fix: fit it anew with all of them "
            "(train --keep keeps them with the model for that), or use one that can: nb, knn, rocchio, experts"
        )


def _check_labels(trained: Trained, labels: Sparse) -> None:
    lengths, aligned = np.diff(labels.indptr), trained.classifier
    if aligned.form == "classes" and np.any(lengths != 1):
        row = int(np.flatnonzero(lengths != 1)[0])
        raise InvalidInput(
            f"document {row} has {lengths[row]} labels; this model was learned from one label per document. Fix: leave "
            "such documents out, or train a model with all"
        )
    full = np.flatnonzero(aligned.constants_ == np.inf)
    missed = full[_held(labels)[full] < labels.shape[0]]
    if len(missed):
        name = trained.categories[missed[0]]
        raise InvalidInput(f"{name!r} had all training documents and was not learned. {REMEDY}")


def _check_new(classifier: Any, new: Sequence[str]) -> None:
    if new and not getattr(classifier, "learns_on", False):
        named = ", ".join(new[:5]) + (f" and {len(new) - 5} more" if len(new) > 5 else "")
        raise InvalidInput(
            f"the documents bring categories that the model does not have: {named}. {type(classifier).__name__} learns "
            f"on within its categories. {REMEDY}"
        )
