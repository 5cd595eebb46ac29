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

from rubricate.classifiers.base.evidence import strongest
from rubricate.text.texts import blocks
from rubricate.training.material import Material
from rubricate.training.representations import has_vectors
from rubricate.types import Evidence

if TYPE_CHECKING:
    from rubricate.training.model import Model

__all__ = ["joined_texts", "nearest_documents", "training_vectors", "vector_evidence"]

WORD = re.compile(r"\w+(?:['\u2019-]\w+)*")
MOST_WORDS = 48
"""Distinct words of a text that are left out in turn, the first ones: each costs an encoding."""
MOST_DOCUMENTS = 20_000
"""Training documents whose vectors a model keeps: in half precision 15 MB of 384 dimensions."""
NEAREST = 3
"""Training documents that are named beside the words."""


def training_vectors(representation: Any, material: Material) -> NDArray[np.float16] | None:
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
