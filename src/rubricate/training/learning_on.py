"""Teach a trained model further documents: the classifier is updated, the rest grows with its categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.labels import CategoryGrowth
from rubricate.training.targets import Target, count, ids_of
from rubricate.training.trained import Trained
from rubricate.types import AnyClassifier, Ints

__all__ = ["growth_of", "learned_on"]

REMEDY = "Fix: train with --keep (or call keep), and update trains anew with all documents"


def growth_of(target: Target, categories: Sequence[str], held: Ints) -> CategoryGrowth:
    """Return what the documents of a target add to a model of these categories, which had so many documents each."""
    columns = {name: column for column, name in enumerate(target.categories)}
    growth = CategoryGrowth(
        target.labels, np.zeros(len(columns), np.int64), np.array([columns[name] for name in categories])
    )
    return replace(growth, held=growth.placed(held, 0))


def learned_on(trained: Trained, X: Any, growth: CategoryGrowth, *, categories: tuple[str, ...]) -> Trained:
    """Return a model whose classifier has learned further documents, too, of these categories.

    Terms and weights stay, and so does what was learned from out-of-fold scores: cuts, confidence, familiarity. A new
    category has no such score. Its cut is that of `Threshold.grown`, its part in the confidence that of a category of
    as many documents. The classifier learns in place.
    """
    labels = growth.labels
    if labels.shape[0] != count(X):
        raise InvalidInput(f"{count(X)} documents and {labels.shape[0]} label sets; give one set per document")
    _check_classifier(trained)
    _check_labels(trained, growth)
    _check_new(trained.classifier.classifier_, [categories[column] for column in growth.new])
    cut = trained.cut.grown(growth)
    trained.classifier.learn_on(trained.vectors(X), growth)
    confidence, judged = trained.confidence, trained.judged
    return replace(
        trained,
        cut=cut,
        judged=None if judged is None else judged.grown(growth),
        categories=categories,
        ids=(*trained.ids, *map(str, ids_of(X, labels.shape[0], len(trained.ids)))),
        confidence=None if confidence is None else confidence.grown(growth),
    )


def _check_classifier(trained: Trained) -> None:
    classifier = trained.classifier.classifier_
    if not hasattr(classifier, "update") and not hasattr(classifier, "partial_fit"):
        raise InvalidInput(
            f"{type(classifier).__name__} cannot learn further documents. Fix: fit it anew with all of them "
            "(train --keep keeps them with the model for that), or use one that can: nb, knn, rocchio, experts"
        )


def _check_labels(trained: Trained, growth: CategoryGrowth) -> None:
    lengths, aligned = np.diff(growth.labels.indptr), trained.classifier
    if aligned.form == "classes" and np.any(lengths != 1):
        row = int(np.flatnonzero(lengths != 1)[0])
        raise InvalidInput(
            f"document {row} has {lengths[row]} labels; this model was learned from one label per document. Fix: leave "
            "such documents out, or train a model with all"
        )
    full = np.flatnonzero(aligned.constants_ == np.inf)
    missed = full[growth.more[growth.places[full]] < len(lengths)]
    if len(missed):
        name = trained.categories[missed[0]]
        raise InvalidInput(f"{name!r} had all training documents and was not learned. {REMEDY}")


def _check_new(classifier: AnyClassifier, new: Sequence[str]) -> None:
    if new and not getattr(classifier, "learns_on", False):
        named = ", ".join(new[:5]) + (f" and {len(new) - 5} more" if len(new) > 5 else "")
        raise InvalidInput(
            f"the documents bring categories that the model does not have: {named}. {type(classifier).__name__} learns "
            f"on within its categories. {REMEDY}"
        )
