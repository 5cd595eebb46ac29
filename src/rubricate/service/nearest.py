"""The labelled documents of a project that are nearest to a text, in the vectors of the project's model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.io.batches import as_documents
from rubricate.io.reader import Record
from rubricate.reports.html import shorten
from rubricate.service.models import ServedModel
from rubricate.service.workspace.documents import DocumentFilter, DocumentStore
from rubricate.service.workspace.projects import Project
from rubricate.training.evidence import nearest_documents
from rubricate.types import Floats

__all__ = ["nearest_labelled"]

NEAREST = 5
WORDS, EACH = 8, 25
"""Candidates are labelled documents with one of so many words, so many of each."""
READ, SHOWN = 4_000, 160
"""Characters of a candidate that are compared, and that are shown."""


def nearest_labelled(
    store: DocumentStore, project: Project, served: ServedModel, *, text: str, words: Sequence[str]
) -> list[dict[str, Any]]:
    """Return labelled documents, nearest first, with their cosine.

    A model with an encoder keeps the vectors of its training documents; else candidates are those that share one of
    the words that count most, and are compared by the cosine of their vectors.
    """
    fitted = served.model.model_
    kept = nearest_documents(fitted, [text], NEAREST)[0]
    if kept:
        pairs = [(store.get(project, reason.source), reason.weight) for reason in kept]
        return [_shown(document, cosine) for document, cosine in pairs if document is not None]
    candidates: dict[str, dict[str, Any]] = {}
    for word in list(dict.fromkeys(map(str.lower, words)))[:WORDS]:
        which = DocumentFilter(word, labelled=True)
        for document in store.find(project, which, n=EACH, excerpt=READ)[0]:
            candidates.setdefault(document["id"], document)
    if not candidates:
        return []
    documents = list(candidates.values())
    records = [Record("", text), *(Record("", each["text"], title=each["title"]) for each in documents)]
    cosines = _cosines(fitted.vectors(as_documents(records)))
    order = np.argsort(-cosines, kind="stable")[:NEAREST]
    return [_shown(documents[place], float(cosines[place])) for place in order.tolist()]


def _cosines(vectors: Any) -> Floats:
    """Return the cosine of the first row with each of the others; 0 for an empty row."""
    rows = sparse.csr_array(vectors)
    norms = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    products = np.asarray((rows[1:] @ rows[[0]].T).todense()).ravel()
    return np.asarray(products / np.maximum(norms[1:] * norms[0], 1e-300))


def _shown(document: dict[str, Any], cosine: float) -> dict[str, Any]:
    labels = document["annotations"][-1]["labels"] if document["annotations"] else []
    return {
        "id": document["id"],
        "text": shorten(document["text"], SHOWN),
        "labels": labels,
        "similarity": round(cosine, 4),
    }
