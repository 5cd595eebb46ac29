"""SMART weights as a scikit-learn transformer: counts → weights."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rubricate.matrices import sound
from rubricate.scratch import is_out_of_core
from rubricate.text.smart import idf, parse_scheme, weigh
from rubricate.text.sparse_output import SparseTransformer
from rubricate.types import Sparse

__all__ = ["Weights", "take_counts"]


class Weights(OneToOneFeatureMixin, SparseTransformer, BaseEstimator):
    """Counts → SMART weights by a triple such as "ltc"; the formulas are in `rubricate.text.smart`.

    `fit` learns `idf_` from training counts, and `transform` uses it on any documents. The result is a float64
    `csr_array` without stored zeros; a document with no weighted term is a zero row, never NaN. Counts below zero
    are refused; they need not be whole numbers.

    >>> Weights("ltc").fit_transform([[1, 2], [0, 1], [0, 0]]).toarray().round(3).tolist()
    [[0.848, 0.53], [0.0, 1.0], [0.0, 0.0]]
    """

    def __init__(self, scheme: str = "ltc") -> None:
        self.scheme = scheme

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the idf of each term from training counts, documents × terms."""
        scheme = parse_scheme(self.scheme)
        counts = take_counts(self, X, reset=True)
        frequency = np.bincount(counts.indices, minlength=counts.shape[1])
        self.idf_ = idf(frequency, counts.shape[0], scheme)
        return self

    def transform(self, X: Any) -> Sparse:
        """Return the weights of these counts."""
        check_is_fitted(self)
        return self._given_out(weigh(take_counts(self, X, reset=False), self.scheme, self.idf_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


def take_counts(transformer: Any, X: Any, *, reset: bool) -> Sparse:
    """Return counts given to a transformer as a canonical `csr_array` of its own; raise where they are below zero."""
    kinds = [np.float64, np.float32, np.int32, np.int64]
    X = validate_data(transformer, sound(X), reset=reset, accept_sparse="csr", dtype=kinds)
    if (X.data if sparse.issparse(X) else X).min(initial=0) < 0:
        raise ValueError(f"Negative values in data passed to {type(transformer).__name__}: counts cannot be below zero")
    # Out of core there is no room for a copy; nothing here changes counts that are in order already.
    ready = is_out_of_core() and sparse.issparse(X) and X.has_canonical_format and bool(X.data.all())
    counts = sparse.csr_array(X, copy=not ready)
    if not ready:
        counts.sum_duplicates()
        counts.eliminate_zeros()
    return counts
