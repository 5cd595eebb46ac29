"""Folds: documents dealt into parts, and the one loop in which each part is judged by what never saw it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from rubricate.engines import Engine, run_tasks
from rubricate.errors import InvalidInput
from rubricate.native import resampling
from rubricate.native.measures import as_lists
from rubricate.native.sparse import Lists
from rubricate.scratch import MappedTexts, empty, is_out_of_core
from rubricate.types import Floats, Ints, Scores, Sparse

__all__ = [
    "assign_folds",
    "fold_scores",
    "in_order",
    "out_of_fold",
    "score_matrix",
    "sparse_scores",
    "splits",
    "take_rows",
]

TAKEN = 1 << 16
"""Rows of a matrix that are copied together."""

Parts: TypeAlias = Sequence[tuple[Ints, Any]]
"""The held-out rows of each fold, and what was made for them."""


def assign_folds(labels: Sparse, folds: int = 5, *, seed: int = 0) -> Ints:
    """Return the fold of each document, every category spread as evenly as possible, the rarest category first.

    The iterative stratification of Sechidis, Tsoumakas and Vlahavas (2011), with the order of categories fixed
    at the start (by ascending frequency) instead of computed again after each document; cost O(labels · folds).

    >>> from rubricate.labels import label_matrix
    >>> labels, _ = label_matrix([["a"], ["a"], ["b"], ["b"], ["a", "b"], []])
    >>> sorted(np.bincount(assign_folds(labels, 2)).tolist())
    [3, 3]
    """
    documents, categories = labels.shape
    if not 2 <= folds <= max(documents, 2):
        raise InvalidInput(f"{folds} folds of {documents} documents; give from 2 to the number of documents")
    rng = np.random.default_rng(seed)
    by_document = sparse.csr_array(labels)
    by_category = sparse.csc_array(by_document)
    frequency = np.diff(by_category.indptr)
    rank = rng.permutation(documents)
    by_rank = np.lexsort((rank[by_category.indices], np.repeat(np.arange(categories), frequency)))
    return resampling.assign_folds(
        Lists(by_category.indptr.astype(np.int64), by_category.indices[by_rank].astype(np.int32)),
        as_lists(by_document),
        categories=np.argsort(frequency, kind="stable"),
        documents=np.argsort(rank),
        folds=rng.permuted(np.tile(np.arange(folds), (max(categories, 1), 1)), axis=1),
    )


def splits(folds: Ints) -> list[tuple[Ints, Ints]]:
    """Return the documents kept and those held out for each fold, in the order of the fold numbers."""
    return [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in np.unique(folds)]


def take_rows(X: Any, index: Ints) -> Any:
    """Return some rows of a matrix, a data frame, a list of texts or `Documents`."""
    if hasattr(X, "take") and hasattr(X, "bodies"):
        return X.take(index)
    if isinstance(X, Scores):
        return sparse_scores(X.values[index], X.floor)
    if isinstance(X, MappedTexts):
        return X.take(index)
    if isinstance(X, Sequence):
        return [X[i] for i in index]
    if is_out_of_core() and isinstance(X, sparse.csr_array):
        return _taken(X, np.asarray(index))
    return X.iloc[index] if hasattr(X, "iloc") else X[index]


def _taken(X: sparse.csr_array, index: Ints) -> sparse.csr_array:
    """Return rows of a matrix as `X[index]` does, with the new arrays in files."""
    rows = np.flatnonzero(index) if index.dtype == bool else index
    starts = np.concatenate([[0], np.cumsum(np.diff(X.indptr)[rows], dtype=np.int64)])
    indices, data = empty(starts[-1], X.indices.dtype), empty(starts[-1], X.data.dtype)
    for first in range(0, len(rows), TAKEN):
        part = X[rows[first : first + TAKEN]]
        place = slice(starts[first], starts[first + part.shape[0]])
        indices[place], data[place] = part.indices, part.data
    starts = starts.astype(X.indptr.dtype)
    taken = sparse.csr_array((data, indices, starts), shape=(len(rows), X.shape[1]))
    taken.has_canonical_format = X.has_canonical_format
    return taken


def score_matrix(estimator: Any, X: Any) -> Floats:
    """Return the scores of a fitted classifier, documents × categories, by whichever of the two methods it has."""
    if hasattr(estimator, "decision_function"):
        scores = estimator.decision_function(X)
    elif hasattr(estimator, "predict_proba"):
        scores = estimator.predict_proba(X)
        if isinstance(scores, list):
            scores = np.column_stack([part[:, -1] for part in scores])
    else:
        raise InvalidInput(f"{type(estimator).__name__} has neither decision_function nor predict_proba")
    matrix = np.asarray(scores, dtype=np.float64)
    return matrix[:, None] if matrix.ndim == 1 else matrix


def out_of_fold(
    work: Callable[[Ints, Ints], Any],
    folds: Ints,
    *,
    engine: Engine | str = "threads",
    join: Callable[[Parts], Any] | None = None,
) -> Any:
    """Run `work(kept, held)` once per fold and return its results in the order of the documents.

    `kept` are the rows that may be learned from, `held` those to be judged. `work` returns one row per held document:
    an array, a sparse matrix, `Scores` or a list; a tuple of these is put in order part by part. `join` replaces
    `in_order` for results of another kind. The result does not depend on the engine.

    >>> out_of_fold(lambda kept, held: held * 10, np.array([0, 1, 0, 1]), engine="serial").tolist()
    [0, 10, 20, 30]
    """
    tasks = splits(folds)
    results = run_tasks(lambda task: work(*task), tasks, engine=engine)
    return (join or in_order)([(held, result) for (_, held), result in zip(tasks, results, strict=True)])


def in_order(parts: Parts) -> Any:
    """Stack results for disjoint rows and sort them by row number."""
    back = np.argsort(np.concatenate([held for held, _ in parts]), kind="stable")
    return _stacked([result for _, result in parts], back)


def _stacked(results: Sequence[Any], back: Ints) -> Any:
    first = results[0]
    if isinstance(first, tuple):
        return tuple(_stacked(each, back) for each in zip(*results, strict=True))
    if isinstance(first, list):
        flat = [value for part in results for value in part]
        return [flat[i] for i in back]
    if isinstance(first, Scores):
        return sparse_scores(_stacked([part.values for part in results], back), first.floor)
    if sparse.issparse(first):
        return sparse.csr_array(sparse.vstack(results))[back]
    return np.concatenate(results)[back]


def sparse_scores(values: Sparse, floor: float = -np.inf) -> Scores:
    """Return sparse scores whose rows and columns are named by their numbers."""
    rows, columns = values.shape
    return Scores(values, tuple(map(str, range(columns))), range(rows), floor)  # type: ignore[arg-type]


def fold_scores(estimator: Any, X: Any, labels: Sparse, *, folds: Ints, engine: Engine | str = "threads") -> Floats:
    """Return the score of each document from a clone trained on the other folds, documents × categories.

    `X` is a matrix, a data frame, a sequence of texts or `Documents`.
    """
    from sklearn.base import clone  # takes a second, for which what only deals folds need not wait

    def work(kept: Ints, held: Ints) -> Floats:
        return score_matrix(clone(estimator).fit(take_rows(X, kept), labels[kept]), take_rows(X, held))

    return out_of_fold(work, folds, engine=engine)
