"""The best categories of a document, by its scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rubricate.types import Floats

__all__ = ["best_of", "scores_shown"]


def best_of(row: tuple[Any, Floats], categories: Sequence[str], k: int) -> list[tuple[str, float]]:
    """Return the k best categories of a document, best first, without those that it can never have."""
    columns, scores = row
    order = np.argsort(-scores, kind="stable")[:k]
    return [(categories[columns[i]], float(scores[i])) for i in order if scores[i] > -np.inf]


def scores_shown(
    row: tuple[Any, Floats], categories: Sequence[str], labels: tuple[str, ...], *, top: int | None
) -> tuple[tuple[str, float], ...]:
    """Return the scores of the labels, and of the best `top` categories."""
    if not labels and top is None:
        return ()
    ranked = best_of(row, categories, len(row[0]))
    return tuple(pair for place, pair in enumerate(ranked) if (top is not None and place < top) or pair[0] in labels)
