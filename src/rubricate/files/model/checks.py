"""Check that the parts of an opened model fit together.

Digests show that nobody changed a file, not that its author meant well: arrays of the wrong length would send
compiled loops past their ends. So shapes are checked by name, and then the model scores two tiny documents.
A class whose loops follow learned positions (a tree, a table of rules) also has `check_state()`, which raises
ValueError when a position is out of range.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from rubricate.matrices import check_compressed

__all__ = ["check_params", "check_parts", "check_sparse", "try_out"]

DIMENSIONS: dict[str, tuple[str | int, ...]] = {
    "alpha_": ("documents", "columns"),
    "category_counts_": ("columns",),
    "coef_": ("columns", "terms"),
    "cuts_": ("columns",),
    "dual_": ("columns",),
    "dual_coef_": ("columns", "support"),
    "idf_": ("terms",),
    "intercept_": ("columns",),
    "labels_": ("documents", "columns"),
    "primal_": ("columns",),
    "sigmoid_": (2, "columns"),
    "slack_": ("documents", "columns"),
    "stable_": ("columns",),
    "support_": ("support",),
    "support_vectors_": ("support", "terms"),
    "sweeps_": ("columns",),
    "term_counts_": ("terms", "columns"),
    "term_totals_": ("terms",),
    "vectors_": ("documents", "terms"),
}
"""The meaning of the axes of learned arrays, wherever they have these names."""


FIXED: dict[str, tuple[Any, ...]] = {
    "input": ("content",),
    "memory": (None,),
    "preprocessor": (None,),
    "tokenizer": (None,),
}
"""Parameters of scikit-learn's estimators that would open files or call functions, and the values they may have."""


def check_params(kind: str, params: Mapping[str, Any]) -> None:
    """Check that the parameters of a scikit-learn estimator from a file neither open files nor call functions."""
    if kind != "sklearn":
        return
    from sklearn.base import BaseEstimator

    for name, value in params.items():
        if name in FIXED and value not in FIXED[name]:
            raise ValueError(f"the parameter {name} may only be {FIXED[name][0]!r}")
        if callable(value) and not isinstance(value, (type, BaseEstimator)):
            raise ValueError(f"the parameter {name} may not be a function")


def check_sparse(data: Any, indices: Any, starts: Any, *, shape: tuple[int, int]) -> None:
    """Check the arrays of a csr (rows, columns) or csc (columns, rows) matrix, and that its values are finite."""
    check_compressed(data, indices, starts, shape=shape)
    if data.dtype.kind == "f" and not np.isfinite(data).all():
        raise ValueError("a sparse matrix holds values that are not finite")


def check_parts(estimator: Any) -> None:
    """Check that the learned arrays of an estimator agree on documents, terms and categories; run its `check_state`."""
    sizes: dict[str | int, int] = {2: 2}
    if hasattr(estimator, "n_features_in_"):
        sizes["terms"] = int(estimator.n_features_in_)
    if isinstance(getattr(estimator, "vocabulary_", None), tuple):
        sizes["terms"] = len(estimator.vocabulary_)
    for name, axes in DIMENSIONS.items():
        value = vars(estimator).get(name)
        if isinstance(value, np.ndarray) or sparse.issparse(value):
            if len(value.shape) != len(axes):
                raise ValueError(f"{name} has {len(value.shape)} axes, not {len(axes)}")
            _check_sizes(name, dict(zip(axes, value.shape, strict=True)), sizes)
    classes = getattr(estimator, "classes_", None)
    if "columns" in sizes and classes is not None and sizes["columns"] not in (1, len(classes)):
        raise ValueError(f"{sizes['columns']} columns for {len(classes)} categories")
    if hasattr(estimator, "check_state"):
        estimator.check_state()


def _check_sizes(name: str, shape: dict[str | int, int], sizes: dict[str | int, int]) -> None:
    for axis, length in shape.items():
        if sizes.setdefault(axis, length) != length:
            raise ValueError(f"{name} has {length} {axis}, other parts have {sizes[axis]}")


def try_out(estimator: Any) -> None:
    """Use a fitted estimator on two documents, one of them empty; a broken one raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if hasattr(estimator, "try_out"):
            estimator.try_out()
        elif hasattr(estimator, "decide") and hasattr(estimator, "cuts_"):
            estimator.decide(np.zeros((2, len(estimator.cuts_))))
        elif hasattr(estimator, "vocabulary_") and hasattr(estimator, "analyzer"):
            estimator.transform(["", " ".join(list(estimator.vocabulary_)[:3])])
        elif hasattr(estimator, "n_features_in_"):
            _try_vectors(estimator)


def _try_vectors(estimator: Any) -> None:
    terms = int(estimator.n_features_in_)
    few = sorted({0, terms // 2, terms - 1})
    X = sparse.csr_array((np.ones(len(few)), few, [0, 0, len(few)]), shape=(2, terms))
    if hasattr(estimator, "decision_function"):
        scores = estimator.decision_function(X)
        categories = len(estimator.classes_)
        if np.shape(scores) not in ((2,), (2, 1), (2, categories)) or (np.ndim(scores) == 1 and categories > 2):
            raise ValueError(f"scores of shape {np.shape(scores)} for {categories} categories")
    elif hasattr(estimator, "transform"):
        estimator.transform(X)
