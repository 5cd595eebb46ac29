"""Further documents for a classifier that learns in batches: vectors, labels in its columns, weights.

Categories grow. One that was not met before gets a column behind the known ones, which stay where they are: new classes
of a one-dimensional y (sorted among themselves), further columns of a label matrix, new names of a data frame (whose
columns are matched by name).
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from rubricate.classifiers.base.scorer import Scorer
from rubricate.classifiers.numerics.matrices import canonical_rows
from rubricate.errors import InvalidInput
from rubricate.matrices import sound
from rubricate.types import Floats, Sparse

__all__ = ["take_batch"]

NAMES = ("classes_", "categories_", "multilabel_", "sparse_labels_")
"""What a classifier knows of the form and the names of its labels."""


def take_batch(
    scorer: Scorer, X: Any, y: Any, *, classes: Any = None, sample_weight: Any = None
) -> tuple[Any, Sparse, Floats | None]:
    """Return vectors, labels and weights of a batch, and give the classifier the categories that are new in it.

    `classes` names the classes that a column y may have: those not met yet get columns, too, and a y with others is
    refused. A batch that is refused leaves the categories as they were.
    """
    first = not hasattr(scorer, "classes_")
    X, weights = _take_rows(scorer, X, y, first=first, sample_weight=sample_weight)
    if np.ndim(y) == 2 and np.shape(y)[0] != X.shape[0]:
        raise InvalidInput(f"X has {X.shape[0]} documents and y has {np.shape(y)[0]}; inconsistent numbers of samples")
    grown = copy(scorer)
    if _is_matrix(y):
        labels = _take_matrix(grown, y, X.shape[0], first=first)
    else:
        labels = _take_column(grown, np.ravel(np.asarray(y)), X.shape[0], classes=classes, first=first)
    scorer._check_width(labels.shape[1])
    for name in NAMES:
        setattr(scorer, name, getattr(grown, name))
    return X, labels, weights


def _take_rows(scorer: Scorer, X: Any, y: Any, *, first: bool, sample_weight: Any) -> tuple[Any, Floats | None]:
    X = validate_data(
        scorer, sound(X), accept_sparse="csr", dtype=np.float64, reset=first, ensure_non_negative=scorer._nonnegative
    )
    if y is None:
        raise InvalidInput(f"{type(scorer).__name__} requires y to be passed, but the target y is None")
    if sample_weight is None:
        return canonical_rows(X), None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    return canonical_rows(X), weights


def _is_matrix(y: Any) -> bool:
    return sparse.issparse(y) or (np.ndim(y) == 2 and np.shape(y)[1] > 1)


def _take_matrix(scorer: Scorer, y: Any, rows: int, *, first: bool) -> Sparse:
    if first:
        return scorer._take_labels(y, rows)
    if not scorer.multilabel_:
        raise InvalidInput(f"learned from a column of classes, got a matrix of {np.shape(y)[1]} columns; give a column")
    known, was_sparse = scorer.categories_, scorer.sparse_labels_
    labels = scorer._take_labels(y, rows)
    names, scorer.sparse_labels_ = scorer.categories_, was_sparse
    if hasattr(y, "columns"):
        places = {name: i for i, name in enumerate(dict.fromkeys([*known, *names]))}
        columns = np.array([places[name] for name in names])
    else:
        if len(names) < len(known):
            raise InvalidInput(
                f"learned {len(known)} categories, got a matrix of {len(names)} columns; give all of them"
            )
        places = {name: i for i, name in enumerate((*known, *names[len(known) :]))}
        columns = np.arange(len(names))
    scorer.categories_, scorer.classes_ = tuple(places), np.arange(len(places))
    return _placed(labels, columns, len(places))


def _placed(labels: Sparse, columns: Any, width: int) -> Sparse:
    moved = sparse.csr_array((labels.data, columns[labels.indices], labels.indptr), shape=(labels.shape[0], width))
    moved.sort_indices()
    return moved


def _take_column(scorer: Scorer, y: Any, rows: int, *, classes: Any, first: bool) -> Sparse:
    check_classification_targets(np.tile(y, 2))  # twice: scikit-learn warns of many classes among few documents
    if len(y) != rows:
        raise InvalidInput(f"X has {rows} documents and y has {len(y)}; inconsistent numbers of samples")
    if not first and scorer.multilabel_:
        raise InvalidInput(
            f"learned from a label matrix of {len(scorer.classes_)} columns, got a column; give a matrix"
        )
    allowed = np.unique(y if classes is None else classes)
    known = allowed if first else scorer.classes_
    for kind in (y, allowed):
        if (known.dtype.kind in "UO") != (kind.dtype.kind in "UO"):
            raise InvalidInput(f"the classes so far are {known.dtype}, these are {kind.dtype}; give one kind")
    strange = np.setdiff1d(y, allowed)
    if len(strange):
        raise InvalidInput(f"y has classes that are not among `classes`: {strange[:5].tolist()}; name all of them")
    scorer.multilabel_, scorer.sparse_labels_ = False, False
    scorer.classes_ = np.concatenate([known, np.setdiff1d(allowed, known)])
    scorer.categories_ = tuple(str(name) for name in scorer.classes_)
    order = np.argsort(scorer.classes_)
    column = order[np.searchsorted(scorer.classes_, y, sorter=order)]
    starts = np.arange(rows + 1)
    return sparse.csr_array((np.ones(rows, bool), column, starts), shape=(rows, len(scorer.classes_)))
