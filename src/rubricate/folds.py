"""Folds: documents dealt into parts, and the scores that each part gets from a classifier that has not seen it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from rubricate.engines import Engine, run_tasks
from rubricate.errors import InvalidInput
from rubricate.kernels.folds import Order, deal
from rubricate.kernels.rows import Lists
from rubricate.types import Floats, Ints, Sparse

__all__ = ["out_of_fold", "score_matrix", "stratified_folds"]


def stratified_folds(labels: Sparse, folds: int = 5, *, seed: int = 0) -> Ints:
    """The fold of each document, every category spread as evenly as can be, the rarest category first.

    The iterative stratification of Sechidis, Tsoumakas and Vlahavas (2011), with the order of categories fixed
    at the start (by ascending frequency) instead of found again after each document; cost O(labels · folds).

    >>> from rubricate.labels import label_matrix
    >>> labels, _ = label_matrix([["a"], ["a"], ["b"], ["b"], ["a", "b"], []])
    >>> sorted(np.bincount(stratified_folds(labels, 2)).tolist())
    [3, 3]
    """
    documents, categories = labels.shape
    if not 2 <= folds <= max(documents, 2):
        raise InvalidInput(f"{folds} folds of {documents} documents; give from 2 to the number of documents")
    rng = np.random.default_rng(seed)
    by_document = sparse.csr_array(labels)
    by_category = sparse.csc_array(by_document)
    frequency = np.diff(by_category.indptr)
    return deal(
        Lists(by_category.indptr.astype(np.int64), by_category.indices.astype(np.int64)),
        Lists(by_document.indptr.astype(np.int64), by_document.indices.astype(np.int64)),
        Order(
            np.argsort(frequency, kind="stable"),
            rng.permutation(documents),
            rng.permuted(np.tile(np.arange(folds), (max(categories, 1), 1)), axis=1),
        ),
    )


def score_matrix(estimator: Any, X: Any) -> Floats:
    """The scores of a fitted classifier as documents × categories, whichever of the two methods it has."""
    if hasattr(estimator, "decision_function"):
        scores = estimator.decision_function(X)
    elif hasattr(estimator, "predict_proba"):
        scores = estimator.predict_proba(X)
        if isinstance(scores, list):
            scores = np.column_stack([part[:, -1] for part in scores])
    else:
        raise InvalidInput(f"{type(estimator).__name__} has neither decision_function nor predict_proba")
    found = np.asarray(scores, dtype=np.float64)
    return found[:, None] if found.ndim == 1 else found


def out_of_fold(
    estimator: Any,
    X: Any,
    labels: Sparse,
    *,
    folds: Ints,
    engine: Engine | str = "serial",
    score: Callable[[Any, Any], Floats] = score_matrix,
) -> Floats:
    """The score of each document from the classifier trained on the other folds: documents × categories.

    `X` is a matrix or a sequence of texts. A clone of the estimator is fitted for each fold.
    """

    def one(fold: int) -> tuple[Ints, Floats]:
        held, kept = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        fitted = clone(estimator).fit(_rows(X, kept), labels[kept])
        return held, score(fitted, _rows(X, held))

    scores = np.empty(labels.shape, dtype=np.float64)
    for held, values in run_tasks(one, [int(k) for k in np.unique(folds)], engine=engine):
        scores[held] = values
    return scores


def _rows(X: Any, index: Ints) -> Any:
    if hasattr(X, "take") and hasattr(X, "bodies"):
        return X.take(index)
    if isinstance(X, Sequence):
        return [X[i] for i in index]
    return X.iloc[index] if hasattr(X, "iloc") else X[index]
