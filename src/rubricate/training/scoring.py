"""Scores in blocks, so that documents × categories need not be held at once, and decisions on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.classifiers.linear_scores import BLOCK
from rubricate.folds import score_matrix, sparse_scores, take_rows
from rubricate.training.cache import Arrays, Entry
from rubricate.training.label_columns import LabelColumns
from rubricate.types import AnyClassifier, Floats, Scores, Sparse

__all__ = [
    "LARGE",
    "LIMIT",
    "blocks",
    "decide",
    "limit_for",
    "needs_whole_set",
    "score_all",
    "scores_of",
    "stacked",
    "to_arrays",
    "written_out",
]

LARGE = 1 << 23
"""Scores (documents × categories) up to which all are kept; beyond it, the best `LIMIT` of each document."""
LIMIT = 64


def limit_for(documents: int, categories: int) -> int | None:
    """Return how many of the best scores of each document are kept; None for all of them."""
    return LIMIT if documents * categories > LARGE else None


def blocks(classifier: AnyClassifier, X: Any, *, columns: int, limit: int | None = None) -> Iterator[Any]:
    """Score documents block by block: an array each, or with a limit `Scores` of the best of each document."""
    finds_best = limit is not None and isinstance(classifier, LabelColumns) and classifier.finds_best(X)
    rows = int(X.shape[0]) if hasattr(X, "shape") else len(X)
    size = max(1, BLOCK // max(1, LIMIT if finds_best else columns))
    for start in range(0, rows, size):
        part = X if size >= rows else take_rows(X, np.arange(start, min(start + size, rows)))
        if limit is None:
            yield score_matrix(classifier, part)
        elif finds_best:
            yield classifier.limited(part, limit)
        else:
            from rubricate.thresholds.rank_limit import RankLimit  # an estimator, which most models need not import

            yield RankLimit(rank=limit).limit(score_matrix(classifier, part))


def score_all(classifier: AnyClassifier, X: Any, *, columns: int, limit: int | None = None) -> Any:
    """Score documents in blocks and return the scores of all."""
    return stacked(list(blocks(classifier, X, columns=columns, limit=limit)), columns)


def stacked(parts: Sequence[Any], columns: int) -> Any:
    """Return blocks of scores as one."""
    if not parts:
        return np.empty((0, columns))
    if not isinstance(parts[0], Scores):
        return np.vstack(parts)
    return sparse_scores(sparse.csr_array(sparse.vstack([part.values for part in parts])))


def needs_whole_set(cut: Any) -> bool:
    """Return whether the decision on a document depends on those decided with it, as with pcut."""
    return bool(getattr(cut, "needs_whole_set", False))


def decide(cut: Any, scored: Iterator[Any], columns: int) -> Sparse:
    """Return the decisions on blocks of scores; a cut that needs the whole set gets it."""
    if needs_whole_set(cut):
        return cut.decide(stacked(list(scored), columns))
    parts = [cut.decide(block) for block in scored]
    return sparse.csr_array(sparse.vstack(parts)) if parts else sparse.csr_array((0, columns), dtype=bool)


def written_out(scores: Scores) -> Floats:
    """Return sparse scores as an array, the floor where nothing is stored."""
    values: Any = scores.values
    full = np.full(values.shape, scores.floor)
    full[np.repeat(np.arange(values.shape[0]), np.diff(values.indptr)), values.indices] = values.data
    return full


def to_arrays(scores: Any) -> Arrays:
    """Return scores as arrays by name: dense ones as they are, sparse ones by their parts."""
    if not isinstance(scores, Scores):
        return {"values": scores}
    values: Any = scores.values
    return {"data": values.data, "indices": values.indices, "indptr": values.indptr, "shape": np.array(values.shape)}


def scores_of(entry: Entry) -> Any:
    """Return the scores that `to_arrays` wrote."""
    parts = entry.arrays
    if "values" in parts:
        return parts["values"]
    shape = (int(parts["shape"][0]), int(parts["shape"][1]))
    return sparse_scores(sparse.csr_array((parts["data"], parts["indices"], parts["indptr"]), shape=shape))
