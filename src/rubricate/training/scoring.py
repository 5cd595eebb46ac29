"""Scores in blocks, so that documents × categories need not be held at once, and decisions on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.classifiers.base.scorer import BLOCK
from rubricate.thresholds.rank_limit import RankLimit
from rubricate.types import Scores, Sparse

__all__ = ["LARGE", "LIMIT", "blocks", "decide", "gathered", "needs_whole_set", "some_rows"]

LARGE = 1 << 23
"""Scores (documents × categories) up to which all are kept; beyond it, the best `LIMIT` of each document."""
LIMIT = 64


def blocks(classifier: Any, X: Any, limit: int | None = None) -> Iterator[Any]:
    """The scores of some documents after the other: an array, or with a limit `Scores` of the best of each."""
    size = max(1, BLOCK // max(1, len(classifier.constants_)))
    for start in range(0, X.shape[0], size):
        found = classifier.decision_function(X[start : start + size])
        yield found if limit is None else RankLimit(rank=limit).limit(found)


def gathered(parts: list[Any], columns: int) -> Any:
    """Blocks of scores as one."""
    if not parts:
        return np.empty((0, columns))
    if not isinstance(parts[0], Scores):
        return np.vstack(parts)
    return _scores(sparse.csr_array(sparse.vstack([part.values for part in parts])))


def _scores(values: Any) -> Scores:
    return Scores(values, tuple(map(str, range(values.shape[1]))), range(values.shape[0]))  # type: ignore[arg-type]


def some_rows(scores: Any, rows: Any) -> Any:
    """The scores of these documents."""
    return _scores(scores.values[rows]) if isinstance(scores, Scores) else scores[rows]


def needs_whole_set(cut: Any) -> bool:
    """Tell whether the decision on a document depends on those decided with it, as with pcut: the cut declares it."""
    return bool(getattr(cut, "needs_whole_set", False))


def decide(cut: Any, scored: Iterator[Any], columns: int) -> Sparse:
    """The decisions on blocks of scores; a cut that needs the whole set gets it."""
    if needs_whole_set(cut):
        return cut.decide(gathered(list(scored), columns))
    parts = [cut.decide(block) for block in scored]
    return sparse.csr_array(sparse.vstack(parts)) if parts else sparse.csr_array((0, columns), dtype=bool)
