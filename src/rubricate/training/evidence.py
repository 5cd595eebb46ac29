"""Evidence where the vectors of an encoder decide: words, by leaving them out, and the nearest training documents.

A dimension of a vector has no meaning of its own. So each word of a text is left out in turn, and what the score of a
category loses is the evidence of that word. After the words come the training documents whose vectors are nearest, by
their cosine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rubricate.classifiers.base import contributions, strongest
from rubricate.errors import InvalidInput
from rubricate.text.texts import blocks
from rubricate.training.adapters import Aligned
from rubricate.training.data import TrainingData
from rubricate.training.representations import has_vectors
from rubricate.types import AnyClassifier, Evidence, Floats

if TYPE_CHECKING:
    from rubricate.training.model import Model

__all__ = ["explain_rows", "joined_texts", "nearest_documents", "top_terms", "training_vectors", "vector_evidence"]

WORD = re.compile(r"\w+(?:['\u2019-]\w+)*")
MOST_WORDS = 48
"""Distinct words of a text that are left out in turn, the first ones: each costs an encoding."""
MOST_DOCUMENTS = 20_000
"""Training documents whose vectors a model keeps: in half precision 15 MB of 384 dimensions."""
NEAREST = 3
"""Training documents that are named beside the words."""


def training_vectors(representation: Any, material: TrainingData) -> NDArray[np.float16] | None:
    """Return the vectors of the training documents in half precision, to find the nearest; None for very many."""
    if not has_vectors(representation) or len(material.ids) > MOST_DOCUMENTS:
        return None
    parts = getattr(representation, "parts", (representation,))
    (part,) = (each for each in parts if each.encoder is not None)
    if not part.encoder.reads_rows_alone:
        return None
    return np.asarray(material.raw(part).values, np.float16)


def vector_evidence(model: Model, text: str, categories: Sequence[str], limit: int) -> dict[str, list[Evidence]]:
    """Return the words that moved the score of each category most, and the nearest training documents."""
    words = list(dict.fromkeys(word.lower() for word in WORD.findall(text)))[:MOST_WORDS]
    without = [re.sub(rf"(?i)(?<!\w){re.escape(word)}(?!\w)", " ", text) for word in words]
    scores = model.scores([text, *without])
    near = nearest_documents(model, [text], NEAREST)[0]
    reasons = {}
    for category in categories:
        column = model.categories.index(category)
        with np.errstate(invalid="ignore"):
            losses = np.nan_to_num(scores[0, column] - scores[1:, column], posinf=0.0, neginf=0.0)
        reasons[category] = strongest(range(len(words)), losses, limit, kind="part", names=words, detail="left out")
        reasons[category] += near
    return reasons


def nearest_documents(model: Model, X: Any, count: int) -> list[list[Evidence]]:
    """Return the training documents whose vectors are nearest, by cosine; none where the model keeps none."""
    rows = model.neighbours
    texts = joined_texts(X)
    if rows is None or not len(rows):
        return [[] for _ in texts]
    parts = getattr(model.representation, "parts_", (model.representation,))
    encoder = next(part.encoder for part in parts if part.encoder is not None)
    cosines = encoder.transform(texts) @ np.asarray(rows, np.float32).T
    order = np.argsort(-cosines, axis=1, kind="stable")[:, :count]
    return [
        [Evidence("document", int(i), float(cosines[row, i]), detail="nearest", name=str(model.ids[i])) for i in places]
        for row, places in enumerate(order)
    ]


def joined_texts(X: Any) -> list[str]:
    """Return the texts of documents in any form, titles first."""
    return [text for block in blocks(X, 1 << 20) for text in block.joined()]


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
