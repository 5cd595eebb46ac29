"""Evidence for a decision in words: terms by name, neighbours by id."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rubricate.classifiers._scorer import contributions
from rubricate.errors import InvalidInput
from rubricate.types import Evidence, Floats

__all__ = ["explain_rows"]

TERM = re.compile(r"\bx(\d+)")
TERMS = re.compile(r"(?:x\d+|not |and |or |[() ])+")
"""A term by number, or several with the words of a rule between them: `x3 and not x7`."""
NEIGHBOUR = re.compile(r"(?:document )?(\d+)")


def explain_rows(
    aligned: Any, X: Any, column: int, limit: int, *, names: Sequence[str] | None, ids: Sequence[str]
) -> list[list[Evidence]]:
    """For each row of X what spoke most for or against a category; nothing for one that is never or always assigned."""
    place = int(np.searchsorted(aligned.columns_, column))
    if aligned.classifier_ is None or place == len(aligned.columns_) or aligned.columns_[place] != column:
        return [[] for _ in range(X.shape[0])]
    classifier = aligned.classifier_
    if hasattr(classifier, "explain"):
        found = classifier.explain(X, column if aligned.shows_all() else place, limit)
    else:
        weights = _linear_weights(classifier, place, len(aligned.columns_))
        found = contributions(X, weights, [f"x{t}" for t in range(X.shape[1])], limit)
    return [[_named(one, names, ids) for one in evidence] for evidence in found]


def _linear_weights(classifier: Any, place: int, columns: int) -> Floats:
    if hasattr(classifier, "estimators_"):
        classifier, place, columns = classifier.estimators_[place], 0, 1
    coef = getattr(classifier, "coef_", None)
    if coef is None:
        raise InvalidInput(
            f"{type(classifier).__name__} cannot explain its decisions; Rubricate's classifiers and linear ones can"
        )
    dense = np.atleast_2d(coef.toarray() if hasattr(coef, "toarray") else coef)
    if len(dense) == 1 and columns == 2:  # one vector stands for both of two classes
        return np.asarray(dense[0] if place == 1 else -dense[0])
    return np.asarray(dense[place])


def _name(term: re.Match[str], names: Sequence[str]) -> str:
    return str(names[int(term[1])]) if int(term[1]) < len(names) else term[0]


def _named(evidence: Evidence, names: Sequence[str] | None, ids: Sequence[str]) -> Evidence:
    neighbour = NEIGHBOUR.fullmatch(evidence.source)
    if names is not None and TERMS.fullmatch(evidence.source):
        return replace(evidence, source=TERM.sub(lambda term: _name(term, names), evidence.source))
    if neighbour and int(neighbour[1]) < len(ids):
        detail = evidence.detail or "support vector"
        return replace(evidence, source=str(ids[int(neighbour[1])]), detail=detail)
    return evidence
