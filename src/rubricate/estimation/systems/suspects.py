"""Labels that may be wrong: documents that leave-one-out decides otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.estimation.definition.estimate import Estimate
from rubricate.training.material import Material

__all__ = ["Suspect", "suspects"]


@dataclass(frozen=True)
class Suspect:
    """A document whose label the classifier that had not seen it contradicts: `labelled` says what it is now."""

    document: str
    category: str
    score: float
    labelled: bool


def suspects(estimate: Estimate, X: Any, y: Any = None, *, limit: int = 20) -> list[Suspect]:
    """List documents that may be mislabelled, the strongest contradiction first.

    `estimate` has scores, that is, it is one of "leave_one_out" for an SVM; X, y are the documents it was made from.
    Equal scores stand in the order of documents.
    """
    if estimate.scores is None:
        raise InvalidInput(f"{estimate.method} keeps no scores of documents; take method='leave_one_out' with an SVM")
    material = Material(X, y)
    place = {name: c for c, name in enumerate(material.categories)}
    labels = material.labels[:, [place[name] for name in estimate.categories]].toarray()
    against = np.where(labels, -estimate.scores, estimate.scores)
    rows, columns = np.nonzero(against > 0)
    order = np.argsort(-against[rows, columns], kind="stable")[:limit]
    return [
        Suspect(material.ids[i], estimate.categories[c], float(estimate.scores[i, c]), bool(labels[i, c]))
        for i, c in zip(rows[order], columns[order], strict=True)
    ]
