"""Further documents for a classifier that can learn them beside those it has."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _check_sample_weight, validate_data

from rubricate.classifiers._scorer import Scorer
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
    X = sparse.csr_array(X) if sparse.issparse(X) else X
    known = None if first else (scorer.multilabel_, scorer.sparse_labels_, scorer.classes_)
    matrix = sparse.issparse(y) or (np.ndim(y) == 2 and np.shape(y)[1] > 1)
    if matrix:
        labels = _take_matrix(scorer, y, X.shape[0], known)
    else:
        labels = _take_column(scorer, np.ravel(np.asarray(y)), X.shape[0], classes if first else known)
    weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
    return X, labels, weights


def _take_matrix(scorer: Scorer, y: Any, rows: int, known: tuple[bool, bool, Any] | None) -> Sparse:
    if known is not None and (not known[0] or np.shape(y)[1] != len(known[2])):
        learnt = f"a label matrix of {len(known[2])} columns" if known[0] else "a column of classes"
        raise InvalidInput(f"learnt from {learnt}, got one of {np.shape(y)[1]} columns; give the same categories")
    labels = scorer._take_labels(y, rows)
    if known is not None:
        scorer.sparse_labels_ = known[1]
    return labels


def _take_column(scorer: Scorer, y: Any, rows: int, known: Any) -> Sparse:
    if isinstance(known, tuple):
        if known[0]:
            raise InvalidInput(f"learnt from a label matrix of {len(known[2])} columns, got a column; give a matrix")
        known = known[2]
    if known is None:
        return scorer._take_labels(y, rows)
    known = np.unique(known)
    strange = np.setdiff1d(y, known)
    if len(strange):
        raise InvalidInput(f"y has classes not known before: {strange[:5].tolist()}; name all of them in `classes`")
    return scorer._take_labels(np.concatenate([known, y]), rows + len(known))[len(known) :]
