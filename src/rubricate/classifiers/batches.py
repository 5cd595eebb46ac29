"""Further documents for a classifier that learns in batches: vectors, labels in its columns, weights.

Categories grow. One that was not met before gets a column behind the known ones, which stay where they are: new classes
of a one-dimensional y (sorted among themselves), further columns of a label matrix, new names of a data frame (whose
columns are matched by name).
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight, validate_data

from rubricate.classifiers.base import Scorer
from rubricate.classifiers.rows import canonical_rows
from rubricate.errors import InvalidInput
from rubricate.labels import Target, class_target, in_columns, moved_columns
from rubricate.matrices import check_sparse_indices
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
    X, weights = _take_rows(scorer, X, first=first, sample_weight=sample_weight)
    target = class_target(y, owner=type(scorer).__name__)
    if target.labels.shape[0] != X.shape[0]:
        raise InvalidInput(
            f"X has {X.shape[0]} documents and y has {target.labels.shape[0]}; inconsistent numbers of samples"
        )
    grown = copy(scorer)
    if target.form == "column":
        labels = _take_column(grown, target, classes=classes, first=first)
    else:
        labels = grown._take_labels(y, X.shape[0]) if first else _take_matrix(grown, target)
    scorer._check_width(labels.shape[1])
    for name in NAMES:
        setattr(scorer, name, getattr(grown, name))
    return X, labels, weights


def _take_rows(scorer: Scorer, X: Any, *, first: bool, sample_weight: Any) -> tuple[Any, Floats | None]:
    X = validate_data(
        scorer,
        check_sparse_indices(X),
        accept_sparse="csr",
        dtype=np.float64,
        reset=first,
        ensure_non_negative=scorer._nonnegative,
    )
    if sample_weight is None:
        return canonical_rows(X), None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    return canonical_rows(X), weights


def _take_matrix(scorer: Scorer, target: Target) -> Sparse:
    """Return further labels over the known and the new categories: by name, or by position where they have no names."""
    if not scorer.multilabel_:
        raise InvalidInput(
            f"learned from a column of classes, got a matrix of {len(target.categories)} columns; give a column"
        )
    known, names = scorer.categories_, target.categories
    if not target.named:
        if len(names) < len(known):
            raise InvalidInput(
                f"learned {len(known)} categories, got a matrix of {len(names)} columns; give all of them"
            )
        names = (*known, *names[len(known) :])
    scorer.categories_ = tuple(dict.fromkeys([*known, *names]))
    scorer.classes_ = np.arange(len(scorer.categories_))
    return in_columns(target.labels, names, scorer.categories_)


def _take_column(scorer: Scorer, target: Target, *, classes: Any, first: bool) -> Sparse:
    """Return further labels of single classes over the known and the new ones, the new behind the known."""
    if not first and scorer.multilabel_:
        raise InvalidInput(
            f"learned from a label matrix of {len(scorer.classes_)} columns, got a column; give a matrix"
        )
    given = target.classes
    allowed = given if classes is None else np.unique(classes)
    known = allowed if first else scorer.classes_
    for kind in (given, allowed):
        if (known.dtype.kind in "UO") != (kind.dtype.kind in "UO"):
            raise InvalidInput(f"the classes so far are {known.dtype}, these are {kind.dtype}; give one kind")
    strange = np.setdiff1d(given, allowed)
    if len(strange):
        raise InvalidInput(f"y has classes that are not among `classes`: {strange[:5].tolist()}; name all of them")
    scorer.multilabel_, scorer.sparse_labels_ = False, False
    scorer.classes_ = np.concatenate([known, np.setdiff1d(allowed, known)])
    scorer.categories_ = tuple(str(name) for name in scorer.classes_)
    order = np.argsort(scorer.classes_)
    columns = order[np.searchsorted(scorer.classes_, given, sorter=order)]
    return moved_columns(target.labels, columns, len(scorer.classes_))
