"""Evidence for a decision in words: terms by name, neighbours by id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rubricate.classifiers.base.evidence import contributions
from rubricate.errors import InvalidInput
from rubricate.training.aligned import Aligned
from rubricate.types import AnyClassifier, Evidence, Floats

__all__ = ["explain_rows", "top_terms"]


def explain_rows(
    aligned: Aligned, X: Any, column: int, *, limit: int, names: Sequence[str] | None, ids: Sequence[str]
) -> list[list[Evidence]]:
    """Return what spoke most for or against a category, for each row; nothing for one never or always assigned."""
    place = aligned.place(column)
    if aligned.classifier_ is None or place is None:
        return [[] for _ in range(X.shape[0])]
    classifier = aligned.classifier_
    if hasattr(classifier, "explain"):
        reasons = classifier.explain(X, column if aligned.shows_all() else place, limit)
    else:
        weights = _linear_weights(classifier, place, len(aligned.columns_))
        reasons = contributions(X, weights, limit)
    terms = () if names is None else names
    return [[reason.named(terms=terms, documents=ids) for reason in evidence] for evidence in reasons]


def top_terms(aligned: Aligned, column: int, limit: int, names: Sequence[str] | None) -> list[str]:
    """Return the terms with the largest positive weights for a category; none where the classifier is not linear."""
    place = aligned.place(column)
    if names is None or place is None or getattr(aligned.classifier_, "coef_", None) is None:
        return []
    shown = column if aligned.shows_all() else place
    weights = _linear_weights(aligned.classifier_, shown, len(aligned.columns_))
    best = np.argsort(-weights, kind="stable")[:limit]
    return [str(names[i]) for i in best if weights[i] > 0]


def _linear_weights(classifier: AnyClassifier, place: int, columns: int) -> Floats:
    if hasattr(classifier, "estimators_"):
        classifier, place, columns = classifier.estimators_[place], 0, 1
    coef = getattr(classifier, "coef_", None)
    if coef is None:
        raise InvalidInput(
            f"{type(classifier).__name__} cannot explain its decisions; Rubricate's classifiers and linear ones can"
        )
    rows = coef.shape[0] if coef.ndim == 2 else 1
    if rows == columns > 1:  # one row is enough: all of them may be large
        row = coef[[place]]
        return np.asarray(row.toarray() if hasattr(row, "toarray") else row)[0]
    dense = np.atleast_2d(coef.toarray() if hasattr(coef, "toarray") else coef)
    if len(dense) == 1 and columns == 2:  # one vector stands for both of two classes
        return np.asarray(dense[0] if place == 1 else -dense[0])
    return np.asarray(dense[place])
