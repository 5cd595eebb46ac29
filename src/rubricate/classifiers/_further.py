"""Further documents for a classifier that can learn them beside those it has."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _check_sample_weight, validate_data

from rubricate.classifiers._scorer import Scorer, _canonical
from rubricate.errors import InvalidInput
from rubricate.types import Floats, Sparse

__all__ = ["take_further"]


def take_further(
    scorer: Scorer, X: Any, y: Any, *, classes: Any = None, sample_weight: Any = None
) -> tuple[Any, Sparse, Floats | None]:
    """Vectors, labels in the columns that the classifier has, and weights.

    The first call decides the columns: `classes` where given, else the classes in y; a label matrix has its own.
    """
    first = not hasattr(scorer, "classes_")
    X = validate_data(
        scorer, X, accept_sparse="csr", dtype=np.float64, reset=first, ensure_non_negative=scorer._nonnegative
    )
    if y is None:
        raise InvalidInput(f"{type(scorer).__name__} requires y to be passed, but the target y is None")
    weights = None
    if sample_weight is not None:
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if sparse.issparse(y) or (np.ndim(y) == 2 and np.shape(y)[1] > 1):
        labels = _take_matrix(scorer, y, X.shape[0], first=first)
    else:
        labels = _take_column(scorer, np.ravel(np.asarray(y)), X.shape[0], classes if first else scorer.classes_)
    return _canonical(X), labels, weights


def _take_matrix(scorer: Scorer, y: Any, rows: int, *, first: bool) -> Sparse:
    if first:
        return scorer._take_labels(y, rows)
    columns = len(scorer.classes_)
    if not scorer.multilabel_ or np.shape(y)[1] != columns:
        learnt = f"a label matrix of {columns} columns" if scorer.multilabel_ else "a column of classes"
        raise InvalidInput(f"learnt from {learnt}, got a matrix of {np.shape(y)[1]} columns; give the same categories")
    names, was_sparse = scorer.categories_, scorer.sparse_labels_
    labels = scorer._take_labels(y, rows)
    scorer.categories_, scorer.sparse_labels_ = names, was_sparse
    return labels


def _take_column(scorer: Scorer, y: Any, rows: int, classes: Any) -> Sparse:
    if getattr(scorer, "multilabel_", False):
        raise InvalidInput(f"learnt from a label matrix of {len(scorer.classes_)} columns, got a column; give a matrix")
    if classes is None:
        return scorer._take_labels(y, rows)
    known = np.unique(classes)
    strange = np.setdiff1d(y, known)
    if len(strange):
        raise InvalidInput(f"y has classes not known before: {strange[:5].tolist()}; name all of them in `classes`")
    return scorer._take_labels(np.concatenate([known, y]), rows + len(known))[len(known) :]
