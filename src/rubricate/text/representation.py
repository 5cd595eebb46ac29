"""Documents → vectors, with what learns from labels or frequencies kept apart, so that folds can learn it anew.

Text is read once. What follows, the selection of terms and their weights, costs little and is learned from each
training part alone: no held-out document touches a χ², an idf or a norm that is used to score it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_array, check_is_fitted

from rubricate.errors import InvalidInput
from rubricate.text.analyzer import Analyzer
from rubricate.text.select import Select
from rubricate.text.smart import parse_scheme
from rubricate.text.vectors import Vectors
from rubricate.text.weights import Weights
from rubricate.types import Documents, Sparse

__all__ = ["Representation", "Shape", "Source", "source_of"]

Source: TypeAlias = Literal["counts", "texts", "vectors"]
PRECOMPUTED = "precomputed"
FIELD = "vectors"
"""The field of `Documents` that holds vectors of the user's own."""


def source_of(weights: Any) -> Source:
    """What `weights` starts from: counts of terms, raw texts (scikit-learn's vectorizers), or vectors as they are."""
    if weights is None or (isinstance(weights, str) and weights == PRECOMPUTED):
        return "vectors"
    if isinstance(weights, str):
        parse_scheme(weights)
        return "counts"
    if isinstance(weights, type) or not hasattr(weights, "transform"):
        raise InvalidInput(
            f'weights must be a SMART triple such as "ltc", a transformer, or "precomputed"; got {weights!r}'
        )
    tags = get_tags(weights).input_tags
    return "texts" if tags.string and not tags.two_d_array else "counts"


class Shape(TransformerMixin, BaseEstimator):
    """Rows → vectors: `select` (shorthand, a selector or None), then `weights` (a triple, a transformer or None)."""

    def __init__(self, select: Any = None, weights: Any = None) -> None:
        self.select = select
        self.weights = weights

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from rows and labels."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn from rows and labels, and give the vectors."""
        self.select_ = _step(self.select, Select)
        self.weights_ = _step(self.weights, Weights)
        for step in (self.select_, self.weights_):
            X = X if step is None else step.fit_transform(X, y)
        return X

    def transform(self, X: Any) -> Any:
        """The vectors of rows."""
        check_is_fitted(self)
        for step in (self.select_, self.weights_):
            X = X if step is None else step.transform(X)
        return X


def _step(given: Any, made: Any) -> Any:
    if given is None:
        return None
    return made(given) if isinstance(given, str) else clone(given)


class Representation(TransformerMixin, BaseEstimator):
    """How documents become vectors: by an analyzer, selection and weights; by a transformer; or as they are.

    analyzer   an `Analyzer`; None for the default one, which counts the terms of titles twice
    weights    a SMART triple, `Weights` or any transformer of counts; a transformer of texts (TfidfVectorizer); None or
               "precomputed" for vectors of the user's own, dense or sparse (or the field "vectors" of `Documents`)
    select     None, a shorthand such as "chi2:2415", or a selector
    min_df     terms of fewer training documents are left out (counts only)

    Learned: one of `vectors_` (counts), `transformer_` (texts), `shape_` (vectors).
    """

    def __init__(self, analyzer: Any = None, *, weights: Any = "ltc", select: Any = None, min_df: int = 1) -> None:
        self.analyzer = analyzer
        self.weights = weights
        self.select = select
        self.min_df = min_df

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from documents and their label matrix."""
        self.settle(self.read(X), y)
        return self

    def read(self, X: Any) -> Any:
        """The rows to learn from: counts over all terms, texts, or vectors. Nothing in them depends on labels."""
        source = source_of(self.weights)
        if source == "vectors":
            return _matrix(X)
        if source == "texts":
            return _texts(X)
        self._reader = Vectors(self._analyzer(), weights="nnn", min_df=self.min_df)
        return self._reader.fit_transform(X)

    def read_more(self, texts: Sequence[str]) -> Sparse:
        """Counts of further texts over the terms that `read` found; between `read` and `settle`."""
        return self._reader.transform(texts)

    def terms_read(self) -> tuple[str, ...]:
        """The terms that `read` found, in the order of the counts' columns; between `read` and `settle`."""
        return self._reader.vocabulary_

    def part(self) -> Any:
        """An unfitted transformer from such rows to vectors, to be learned from the training part of a fold."""
        source = source_of(self.weights)
        if source == "texts":
            return self._steps_from_texts()
        return Shape(self.select, self.weights if source == "counts" else None)

    def settle(self, rows: Any, labels: Sparse | None) -> Any:
        """Learn from all rows, keep what `transform` needs, and give the vectors."""
        part = self.part()
        found = part.fit_transform(rows, labels)
        source = source_of(self.weights)
        if source == "counts":
            self.vectors_ = self._assembled(part)
        elif source == "texts":
            self.transformer_ = part
        else:
            self.shape_, self.width_ = part, int(rows.shape[1])
        return found

    def transform(self, X: Any) -> Any:
        """The vectors of documents."""
        check_is_fitted(self)
        source = source_of(self.weights)
        if source == "counts":
            return self.vectors_.transform(X)
        if source == "texts":
            return self.transformer_.transform(_texts(X))
        rows = _matrix(X)
        if rows.shape[1] != self.width_:
            raise InvalidInput(
                f"X has {rows.shape[1]} features, but Categorizer is expecting {self.width_} features as input; "
                "give vectors made as those for training were"
            )
        return self.shape_.transform(rows)

    def names(self) -> Sequence[str] | None:
        """The terms, in the order of the columns; None where columns have no names."""
        check_is_fitted(self)
        source = source_of(self.weights)
        if source == "counts":
            whole = hasattr(self.vectors_, "weights_")  # a transformer of counts may change the columns
            return None if whole and not _one_to_one(self.vectors_.weights_) else self.vectors_.vocabulary_
        last = self.transformer_ if source == "texts" else None
        if last is None or not hasattr(last, "get_feature_names_out"):
            return None
        return [str(name) for name in last.get_feature_names_out()]

    def describe(self) -> dict[str, Any]:
        """Terms, weights and selection in a few words each, for a signature."""
        source = source_of(self.weights)
        weights = self.weights if isinstance(self.weights, str) else repr(self.weights)
        return {
            "terms": self._analyzer().signature() if source == "counts" else "",
            "weights": PRECOMPUTED if source == "vectors" else " ".join(weights.split()),
            "selection": self.select
            if isinstance(self.select, str)
            else ""
            if self.select is None
            else repr(self.select),
        }

    def _analyzer(self) -> Analyzer:
        return Analyzer(title=2) if self.analyzer is None else self.analyzer

    def _steps_from_texts(self) -> Any:
        if self.select is not None:
            from sklearn.pipeline import make_pipeline

            return make_pipeline(clone(self.weights), Shape(self.select))
        return clone(self.weights)

    def _assembled(self, part: Shape) -> Vectors:
        """What `Vectors.fit` would have learned from the same documents, without reading the text again."""
        reader = self._reader
        made = Vectors(clone(self._analyzer()), weights=self.weights, min_df=self.min_df, select=self.select)
        made.stop_words_, made.vocabulary_, made.idf_ = reader.stop_words_, reader.vocabulary_, None
        if part.select_ is not None:
            chosen = np.flatnonzero(part.select_.get_support())
            made.vocabulary_ = tuple(reader.vocabulary_[i] for i in chosen)
        if isinstance(part.weights_, Weights):
            made.idf_ = part.weights_.idf_
        else:
            made.weights_ = part.weights_
        del self._reader
        return made


def _one_to_one(transformer: Any) -> bool:
    from sklearn.base import OneToOneFeatureMixin

    return isinstance(transformer, OneToOneFeatureMixin)


def _texts(X: Any) -> list[str]:
    from rubricate.text.texts import blocks

    return [text for block in blocks(X, 1 << 20) for text in block.joined()]


def _matrix(X: Any) -> Any:
    if isinstance(X, Documents):
        if FIELD not in X.fields:
            raise InvalidInput(
                'weights="precomputed" takes a matrix, or Documents with the field "vectors"; these have no such field'
            )
        X = np.asarray(X.fields[FIELD])
    try:
        found = check_array(X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=0)
    except ValueError as error:
        raise InvalidInput(
            f'weights="precomputed" takes a matrix of finite numbers, documents × features: {error}'
        ) from None
    return sparse.csr_array(found) if sparse.issparse(found) else found
