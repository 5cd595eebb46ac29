"""What transformers with sparse output do where scikit-learn would make a frame of it.

scikit-learn refuses to put sparse output into frames, also where frames are only asked for in general
(`set_config(transform_output="pandas")`). Ours give sparse arrays then, and frames of sparse columns where one of them
is asked for it by `set_output`.
"""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rubricate.errors import InvalidInput
from rubricate.matrices import check_sparse_indices
from rubricate.native.sparse import make_unit
from rubricate.scratch import is_out_of_core
from rubricate.text.smart import idf, parse_scheme, weigh
from rubricate.types import Floats, Sparse

__all__ = [
    "BM25",
    "NAMED_WEIGHTS",
    "PivotedLength",
    "SparseTransformer",
    "Weights",
    "arrays",
    "named_weights",
    "take_counts",
]


def arrays() -> Any:
    """Return a context in which transformers from elsewhere give arrays, whatever the user's setting is."""
    return config_context(transform_output="default")


class SparseTransformer(TransformerMixin):
    """A transformer whose output is sparse; `set_output(transform="pandas")` makes it a frame of sparse columns."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(auto_wrap_output_keys=None, **options)

    def set_output(self, *, transform: Literal["default", "pandas"] | None = None) -> Self:
        """Choose what `transform` gives: "default", a sparse array; "pandas", a frame of sparse columns."""
        if transform not in (None, "default", "pandas"):
            raise InvalidInput(f"no sparse frames of kind {transform!r}. Fix: transform='pandas' or 'default'")
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}  # under this name scikit-learn's clone keeps it
        return self

    def _given_out(self, vectors: Sparse) -> Any:
        """Return the vectors in the chosen form."""
        if getattr(self, "_sklearn_output_config", {}).get("transform") != "pandas":
            return vectors
        import pandas as pd

        names = self.get_feature_names_out()
        frame = pd.DataFrame.sparse.from_spmatrix(vectors, columns=names)
        return frame.fillna(0.0)  # before pandas 3.1 what is not stored was NaN


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
    X = validate_data(transformer, check_sparse_indices(X), reset=reset, accept_sparse="csr", dtype=kinds)
    if (X.data if sparse.issparse(X) else X).min(initial=0) < 0:
        raise ValueError(f"Negative values in data passed to {type(transformer).__name__}: counts cannot be below zero")
    # Out of core there is no room for a copy; nothing here changes counts that are in order already.
    ready = is_out_of_core() and sparse.issparse(X) and X.has_canonical_format and bool(X.data.all())
    counts = sparse.csr_array(X, copy=not ready)
    if not ready:
        counts.sum_duplicates()
        counts.eliminate_zeros()
    return counts


class BM25(OneToOneFeatureMixin, SparseTransformer, BaseEstimator):
    """Counts → BM25 weights (robertson1994).

    With f the count of a term in a document of l occurrences, the average being m, and n of N training documents
    having the term:

        w = f (k1 + 1) / (f + k1 (1 − b + b l/m)) · ln(1 + (N − n + ½) / (n + ½))

    The idf is the one of Lucene, which is never negative. l counts the terms that are in the vocabulary.

    Parameters
    ----------
    k1 : how soon a further occurrence adds little.
    b : how much the length counts, 0 to 1.
    unit : divide each document by √Σ w², as linear classifiers want it; False for scores of a search engine.

    Learned: `idf_`, `average_`. A document without a known term is a zero row.

    >>> BM25(unit=False).fit_transform([[1, 2], [0, 1]]).toarray().round(3).tolist()
    [[0.575, 0.22], [0.0, 0.229]]
    """

    def __init__(self, *, k1: float = 1.2, b: float = 0.75, unit: bool = True) -> None:
        self.k1 = k1
        self.b = b
        self.unit = unit

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn document frequencies and the average length from training counts, documents × terms."""
        if not (self.k1 >= 0 and 0 <= self.b <= 1):
            raise InvalidInput(f"BM25 takes k1 from 0 on and b from 0 to 1, got k1={self.k1!r}, b={self.b!r}")
        counts = take_counts(self, X, reset=True)
        n, documents = np.bincount(counts.indices, minlength=counts.shape[1]), counts.shape[0]
        self.idf_ = np.where(n > 0, np.log1p((documents - n + 0.5) / (n + 0.5)), 0.0)
        self.average_ = max(float(counts.sum()) / documents, np.finfo(float).tiny)
        return self

    def transform(self, X: Any) -> Sparse:
        """Return the weights of these counts."""
        check_is_fitted(self)
        counts = take_counts(self, X, reset=False)
        lengths = np.asarray(counts.sum(axis=1), np.float64).ravel()
        f, rows = counts.data.astype(np.float64), np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        longer = self.k1 * (1 - self.b + self.b * lengths / self.average_)
        weights = f * (self.k1 + 1) / (f + longer[rows]) * self.idf_[counts.indices]
        return self._given_out(_finished(counts, weights, unit=self.unit))

    def __sklearn_tags__(self) -> Any:
        return _tags(super().__sklearn_tags__())


class PivotedLength(OneToOneFeatureMixin, SparseTransformer, BaseEstimator):
    """Counts → weights with pivoted length: Ltu of SMART (singhal1996, sections 3 to 5).

        w = (1 + ln f) / (1 + ln mean f) · ln(N / n) / ((1 − s) m + s u)

    u are the distinct terms of the document and m their average over the training documents: long documents are
    divided by less than their length, so that they are not set back.

    Parameters
    ----------
    slope : s; 0 leaves the length out, 1 divides by the number of distinct terms.
    scheme : the letters of term and document frequency (`rubricate.text.smart`); "Lt" by default.

    Learned: `idf_`, `average_`. Weights are multiplied by √m, which keeps an average document near length 1 and C of
    a linear classifier in its usual range.

    >>> PivotedLength(slope=0.5, scheme="nn").fit_transform([[1, 2], [0, 1]]).toarray().round(3).tolist()
    [[0.7, 1.4], [0.0, 0.98]]
    """

    def __init__(self, *, slope: float = 0.25, scheme: str = "Lt") -> None:
        self.slope = slope
        self.scheme = scheme

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn document frequencies and the average number of distinct terms from training counts."""
        if not 0 <= self.slope <= 1:
            raise InvalidInput(f"PivotedLength takes a slope from 0 to 1, got {self.slope!r}")
        counts = take_counts(self, X, reset=True)
        frequency = np.bincount(counts.indices, minlength=counts.shape[1])
        self.idf_: Floats = idf(frequency, counts.shape[0], f"{self.scheme}n")
        self.average_ = max(counts.nnz / counts.shape[0], np.finfo(float).tiny)
        return self

    def transform(self, X: Any) -> Sparse:
        """Return the weights of these counts."""
        check_is_fitted(self)
        counts = take_counts(self, X, reset=False)
        distinct = np.diff(counts.indptr)
        norm = (1 - self.slope) * self.average_ + self.slope * distinct
        weights = weigh(counts, f"{self.scheme}n", self.idf_)
        rows = np.repeat(np.arange(counts.shape[0]), np.diff(weights.indptr))
        return self._given_out(_finished(weights, weights.data * np.sqrt(self.average_) / norm[rows], unit=False))

    def __sklearn_tags__(self) -> Any:
        return _tags(super().__sklearn_tags__())


NAMED_WEIGHTS: dict[str, Any] = {"bm25": BM25, "pivoted": PivotedLength}
"""What may be said by name where a SMART triple may."""


def named_weights(weights: Any) -> Any:
    """Return the transformer that a name stands for; anything else as it is.

    >>> named_weights("bm25"), named_weights("ltc")
    (BM25(), 'ltc')
    """
    return NAMED_WEIGHTS[weights]() if isinstance(weights, str) and weights in NAMED_WEIGHTS else weights


def _finished(counts: Sparse, values: Floats, *, unit: bool) -> Sparse:
    if unit:
        make_unit(counts.indptr.astype(np.int64), values)
    weights = sparse.csr_array((values, counts.indices.copy(), counts.indptr.copy()), shape=counts.shape)
    weights.eliminate_zeros()
    return weights


def _tags(tags: Any) -> Any:
    tags.input_tags.sparse = True
    tags.input_tags.positive_only = True
    return tags
