"""The answer on a document, and its best categories by their scores; arithmetic alone, without an estimator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rubricate.types import Evidence, Floats

__all__ = ["Answer", "best_of"]


@dataclass(frozen=True)
class Answer:
    """The labels of a document, None where the model abstains (a person should look at it).

    `confidence` is the estimated chance that exactly these labels are right, None where it is not known. `decided` are
    the labels it would have given. `scores` are the best first. `evidence` is by category. `familiarity` is the
    share of training documents that look no more familiar (`training.familiarity`), None where it is not known.
    """

    labels: tuple[str, ...] | None
    confidence: float | None
    decided: tuple[str, ...]
    scores: tuple[tuple[str, float], ...] = ()
    evidence: Mapping[str, Sequence[Evidence]] = field(default_factory=dict)
    familiarity: float | None = None


def best_of(row: tuple[Any, Floats], categories: Sequence[str], k: int) -> list[tuple[str, float]]:
    """Return the k best categories of a document, best first, without those that it can never have."""
    columns, scores = row
    order = np.argsort(-scores, kind="stable")[:k]
    return [(categories[columns[i]], float(scores[i])) for i in order if scores[i] > -np.inf]
