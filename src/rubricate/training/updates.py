"""Teach a fitted model further documents: the classifier is updated, the rest grows with its categories."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.labels import CategoryGrowth, in_columns
from rubricate.training.data import Target, count, further_target, ids_of
from rubricate.training.model import Model
from rubricate.types import AnyClassifier, Documents, Ints

__all__ = ["growth_of", "join_documents", "plain_documents", "update_model"]

REMEDY = "Fix: train with --keep (or call keep), and update trains anew with all documents"


def growth_of(target: Target, categories: Sequence[str], held: Ints) -> CategoryGrowth:
    """Return what the documents of a target add to a model of these categories, which had so many documents each."""
    columns = {name: column for column, name in enumerate(target.categories)}
    growth = CategoryGrowth(
        target.labels, np.zeros(len(columns), np.int64), np.array([columns[name] for name in categories])
    )
    return replace(growth, held=growth.placed(held, 0))


def update_model(model: Model, X: Any, y: Any = None) -> Model:
    """Return a model whose classifier has learned further documents, too.

    Terms and weights stay, and so does what was learned from out-of-fold scores: thresholds, confidence, familiarity. A
    new category has no such score. Its threshold is that of `Threshold.grown`, its part in the confidence that of a
    category of as many documents. Cost: a copy of the classifier, and its update.
    """
    target = further_target(X, y, categories=model.categories, classes=model.classes)
    growth = growth_of(target, model.categories, model.train_counts)
    documents = None if model.documents is None else _with_documents(model.documents, X, y)
    if target.labels.shape[0] != count(X):
        raise InvalidInput(f"{count(X)} documents and {target.labels.shape[0]} label sets; give one set per document")
    _check_classifier(model)
    _check_labels(model, growth)
    _check_new(model.classifier.classifier_, [target.categories[column] for column in growth.new])
    threshold, classifier = model.threshold.grown(growth), deepcopy(model.classifier)
    classifier.learn_on(model.vectors(X), growth)
    confidence, judged = model.confidence, model.judged
    return replace(
        model,
        classifier=classifier,
        threshold=threshold,
        judged=None if judged is None else judged.grown(growth),
        categories=target.categories,
        classes=target.classes,
        train_counts=growth.held + growth.more,
        ids=(*model.ids, *map(str, ids_of(X, target.labels.shape[0], len(model.ids)))),
        confidence=None if confidence is None else confidence.grown(growth),
        documents=documents,
    )


def plain_documents(documents: Documents) -> Documents:
    """Return documents as a model stores them: ids, texts and labels; vectors are refused, not lost."""
    if "vectors" in documents.fields:
        raise InvalidInput(
            "a model keeps texts, not vectors; Fix: leave out --keep, and train on all vectors when more come"
        )
    return Documents(
        ids=[str(name) for name in documents.ids],
        bodies=list(documents.bodies),
        labels=documents.labels,
        categories=tuple(documents.categories),
        titles=None if documents.titles is None else [title or "" for title in documents.titles],
    )


def join_documents(old: Documents, new: Documents) -> Documents:
    """Return old and new documents as one set over the categories of both; an id that comes twice is refused."""
    known = set(map(str, old.ids))
    twice = next((name for name in new.ids if name in known), None)
    if twice is not None:
        raise InvalidInput(
            f"the document {twice!r} was learned before; Fix: give new documents new ids, or leave out the old ones"
        )
    categories = tuple(sorted({*old.categories, *new.categories}))
    parts = [in_columns(each.labels, each.categories, categories) for each in (old, new)]
    titles = None
    if old.titles is not None or new.titles is not None:
        titles = [*(old.titles or [""] * len(old)), *(new.titles or [""] * len(new))]
    return Documents(
        ids=[*map(str, old.ids), *map(str, new.ids)],
        bodies=[*old.bodies, *new.bodies],
        labels=sparse.csr_array(sparse.vstack(parts), dtype=bool),
        categories=categories,
        titles=titles,
    )


def _with_documents(stored: Documents, X: Any, y: Any) -> Documents:
    """Return the stored documents and further ones, which must be `Documents`."""
    if y is not None or not isinstance(X, Documents):
        raise InvalidInput("the model keeps its documents and could not keep these; Fix: give them as Documents")
    return plain_documents(join_documents(stored, X))


def _check_classifier(model: Model) -> None:
    classifier = model.classifier.classifier_
    if not hasattr(classifier, "update") and not hasattr(classifier, "partial_fit"):
        raise InvalidInput(
            f"{type(classifier).__name__} cannot learn further documents. Fix: fit it anew with all of them "
            "(train --keep keeps them with the model for that), or use one that can: nb, knn, rocchio, experts"
        )


def _check_labels(model: Model, growth: CategoryGrowth) -> None:
    lengths, aligned = np.diff(growth.labels.indptr), model.classifier
    if aligned.form == "classes" and np.any(lengths != 1):
        row = int(np.flatnonzero(lengths != 1)[0])
        raise InvalidInput(
            f"document {row} has {lengths[row]} labels; this model was learned from one label per document. Fix: leave "
            "such documents out, or train a model with all"
        )
    full = np.flatnonzero(aligned.constants_ == np.inf)
    missed = full[growth.more[growth.places[full]] < len(lengths)]
    if len(missed):
        name = model.categories[missed[0]]
        raise InvalidInput(f"{name!r} had all training documents and was not learned. {REMEDY}")


def _check_new(classifier: AnyClassifier, new: Sequence[str]) -> None:
    if new and not getattr(classifier, "learns_on", False):
        named = ", ".join(new[:5]) + (f" and {len(new) - 5} more" if len(new) > 5 else "")
        raise InvalidInput(
            f"the documents bring categories that the model does not have: {named}. {type(classifier).__name__} learns "
            f"on within its categories. {REMEDY}"
        )
