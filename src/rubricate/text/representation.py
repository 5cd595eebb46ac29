"""Documents → vectors, with what learns from labels or frequencies kept apart, so that each fold can learn it anew.

Text is read once (`RawRows`). What follows, the selection of terms and their weights, costs little and is learned from
each training part alone: no held-out document touches a χ², an idf or a norm that is used to score it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags
from sklearn.utils.validation import check_array, check_is_fitted

from rubricate.errors import InvalidInput
from rubricate.matrices import check_sparse_indices, stacked
from rubricate.text.analyzer import Analyzer
from rubricate.text.selection import Select
from rubricate.text.smart import parse_scheme
from rubricate.text.vectors import Vectors
from rubricate.text.weights import NAMED_WEIGHTS, Weights, arrays, named_weights
from rubricate.types import Documents

__all__ = ["RawRows", "Representation", "Shape", "Source", "source_of"]

Source: TypeAlias = Literal["counts", "texts", "encoded", "vectors", "documents"]
PRECOMPUTED = "precomputed"
AS_GIVEN = "documents"
FIELD = "vectors"
"""The field of `Documents` that holds vectors of the user's own."""


def source_of(weights: Any) -> Source:
    """Return what `weights` starts from: counts of terms, texts (scikit-learn's vectorizers), or rows as they are.

    "encoded" are texts whose vectors depend on nothing else (`Embeddings`): they are made once, not in each fold.
    """
    if weights is None or (isinstance(weights, str) and weights == PRECOMPUTED):
        return "vectors"
    if isinstance(weights, str):
        if weights == AS_GIVEN:
            return "documents"
        if weights not in NAMED_WEIGHTS:
            parse_scheme(weights)
        return "counts"
    if isinstance(weights, type) or not hasattr(weights, "transform"):
        raise InvalidInput(
            f'weights must be a SMART triple such as "ltc", a transformer, or "precomputed"; got {weights!r}'
        )
    inner = _members(weights)
    if inner:
        return "texts" if source_of(inner[0]) == "encoded" else source_of(inner[0])
    if getattr(weights, "reads_rows_alone", False):
        return "encoded"
    tags = get_tags(weights).input_tags
    return "texts" if tags.string and not tags.two_d_array else "counts"


def _members(weights: Any) -> list[Any]:
    """Return the transformers that read what a pipeline or a union is given; they must read the same.

    A `FunctionTransformer` reads anything, so that the others decide.
    """
    if isinstance(weights, Pipeline):
        steps = [step for _, step in weights.steps if hasattr(step, "transform")]
        return ([step for step in steps if not isinstance(step, FunctionTransformer)] or steps)[:1]
    if not isinstance(weights, FeatureUnion):
        return []
    members = [member for _, member in weights.transformer_list if hasattr(member, "transform")]
    members = [member for member in members if not isinstance(member, FunctionTransformer)] or members
    sources = {source_of(member).replace("encoded", "texts") for member in members}
    if len(sources) > 1:
        raise InvalidInput(
            f"the members of a FeatureUnion read {' and '.join(sorted(sources))}; Fix: give members that all take texts"
        )
    return members


class Shape(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Rows → vectors: `select` (shorthand, a selector or None), then `weights` (a triple, a transformer or None)."""

    def __init__(self, select: Any = None, weights: Any = None) -> None:
        self.select = select
        self.weights = weights

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from rows and labels."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn from rows and labels, and return the vectors."""
        self.select_ = _step(self.select, Select)
        self.weights_ = _step(named_weights(self.weights), Weights)
        with arrays():
            for step in (self.select_, self.weights_):
                X = X if step is None else step.fit_transform(X, y)
        return X

    def transform(self, X: Any) -> Any:
        """Return the vectors of rows."""
        check_is_fitted(self)
        with arrays():
            for step in (self.select_, self.weights_):
                X = X if step is None else step.transform(X)
        return X


def _step(parameter: Any, kind: Any) -> Any:
    """Return an unfitted transformer from its shorthand, or a copy of it; None for None."""
    if parameter is None:
        return None
    if not isinstance(parameter, str) and not hasattr(parameter, "get_params"):
        shorthand = {"Select": "chi2:2415", "Weights": "ltc"}.get(kind.__name__, "a name")
        raise InvalidInput(f"expected {shorthand!r}, another name of this kind, or a transformer; got {parameter!r}")
    return kind(parameter) if isinstance(parameter, str) else clone(parameter)


@dataclass(frozen=True, eq=False)
class RawRows:
    """Documents before anything is learned from labels: counts over all terms, texts, vectors, or documents.

    `reader` holds the terms of counts, or the encoder of texts; it is None for everything else.
    """

    source: Source
    values: Any
    reader: Any = None

    def __len__(self) -> int:
        return int(self.values.shape[0]) if hasattr(self.values, "shape") else len(self.values)

    def of(self, X: Any) -> Any:
        """Return the rows of further documents; counts are over the terms of the first ones."""
        if self.source == "encoded":
            with arrays():
                return self.reader.transform(X).astype(np.float64)
        return _read(self.source, X) if self.reader is None else self.reader.transform(X)

    @property
    def terms(self) -> tuple[str, ...]:
        """Terms, in the order of the counts' columns; empty where rows are not counts."""
        return self.reader.vocabulary_ if self.source == "counts" else ()


class Representation(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """How documents become vectors: by an analyzer, selection and weights; by a transformer; or as they are.

    Parameters
    ----------
    analyzer
        An `Analyzer`; None for the default one, which counts the terms of titles twice.
    weights
        A SMART triple, "bm25", "pivoted", `Weights` or any transformer of counts; a transformer of texts
        (TfidfVectorizer); None or "precomputed" for vectors of the user's own, dense or sparse (or the field "vectors"
        of `Documents`); `Embeddings`, whose vectors are made once and not in every fold; "documents" for classifiers
        that read documents themselves.
    select
        None, a shorthand such as "chi2:2415", or a selector.
    min_df
        Terms of fewer training documents are left out (counts only).

    Learned: one of `vectors_` (counts), `transformer_` (texts), `shape_` (the rest); both of these for an encoder.
    """

    def __init__(self, analyzer: Any = None, *, weights: Any = "ltc", select: Any = None, min_df: int = 1) -> None:
        self.analyzer = analyzer
        self.weights = weights
        self.select = select
        self.min_df = min_df

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from documents and their label matrix."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn from documents and their label matrix, and return the vectors; the text is read once."""
        raw, part = self.read(X), self.part()
        with arrays():
            vectors = part.fit_transform(raw.values, y)
        self._keep(raw, part)
        return vectors

    def read(self, X: Any) -> RawRows:
        """Return the rows to learn from. Nothing in them depends on labels."""
        source = source_of(self.weights)
        if source == "encoded":
            encoder = clone(self.weights)
            with arrays():
                return RawRows(source, encoder.fit_transform(X).astype(np.float64), encoder)
        if source != "counts":
            return RawRows(source, _read(source, X))
        reader = Vectors(self.reading_analyzer(), weights="nnn", min_df=self.min_df)
        return RawRows(source, reader.fit_transform(X), reader)

    def part(self) -> Any:
        """Return an unfitted transformer from raw rows to vectors, to be learned from the training part of a fold."""
        source = source_of(self.weights)
        if source == "texts":
            return self._steps_from_texts()
        return Shape(self.select, self.weights if source == "counts" else None)

    def assembled(self, raw: RawRows, part: Any) -> Self:
        """Return a fitted copy from raw rows and a part that was fitted on all of them."""
        return clone(self)._keep(raw, part)

    def transform(self, X: Any) -> Any:
        """Return the vectors of documents."""
        check_is_fitted(self)
        source = source_of(self.weights)
        if source == "counts":
            return self.vectors_.transform(X)
        if source == "texts":
            with arrays():
                return self.transformer_.transform(_texts(X))
        if source == "encoded":
            with arrays():
                rows = self.transformer_.transform(X).astype(np.float64)
            return self.shape_.transform(rows)
        rows = _read(source, X, getattr(self, "width_", None))
        if source == "vectors" and rows.shape[1] != self.width_:
            raise InvalidInput(
                f"X has {rows.shape[1]} features, but Categorizer is expecting {self.width_} features as input; "
                "give vectors made as those for training were"
            )
        return self.shape_.transform(rows)

    @property
    def encoder(self) -> Any:
        """The encoder of sentences or words whose vectors these are; None for everything else."""
        encoder = getattr(self, "transformer_", self.weights)
        return encoder if hasattr(encoder, "reads_rows_alone") else None

    def names(self) -> Sequence[str] | None:
        """Return the terms, in the order of the columns; None where columns have no names."""
        check_is_fitted(self)
        source = source_of(self.weights)
        if source == "counts":
            whole = hasattr(self.vectors_, "weights_")  # a transformer of counts may change the columns
            if whole and not _one_to_one(self.vectors_.weights_):
                return None
            return self.vectors_.names()
        if source == "vectors":
            return [f"vectors[{column}]" for column in range(self.width_)]
        last = self.transformer_ if source == "texts" else None
        if last is None or not hasattr(last, "get_feature_names_out"):
            return None
        return [str(name) for name in last.get_feature_names_out()]

    def describe(self) -> dict[str, Any]:
        """Describe terms, weights and selection in a few words each, for a signature."""
        source = source_of(self.weights)
        weights = self.weights if isinstance(self.weights, str) else repr(self.weights)
        chosen = "" if self.select is None else self.select if isinstance(self.select, str) else repr(self.select)
        return {
            "terms": self.reading_analyzer().signature() if source == "counts" else "",
            "weights": self._encoder_signature() or (PRECOMPUTED if source == "vectors" else " ".join(weights.split())),
            "selection": chosen,
        }

    def key(self) -> Hashable:
        """Return a key that is equal for representations that give the same vectors."""
        return _frozen(self)

    def reading_key(self) -> Hashable:
        """Return a key that is equal for representations that read documents the same way."""
        source = source_of(self.weights)
        if source == "encoded":
            return (source, _frozen(self.weights))
        return (source, _frozen(self.analyzer), self.min_df) if source == "counts" else (source,)

    def reading_analyzer(self) -> Analyzer:
        """Return the analyzer that documents are read with."""
        return Analyzer(title=2) if self.analyzer is None else self.analyzer

    def _keep(self, raw: RawRows, part: Any) -> Self:
        """Keep what `transform` needs."""
        if raw.source == "counts":
            self.vectors_ = self._vectors(raw, part)
        elif raw.source == "texts":
            self.transformer_ = part
        else:
            self.shape_ = part
            if raw.source == "encoded":
                self.transformer_ = raw.reader
            if raw.source == "vectors":
                self.width_ = int(raw.values.shape[1])
        return self

    def _encoder_signature(self) -> str:
        """Return the signature of the encoder, fitted or not; empty where there is none."""
        return "" if self.encoder is None else self.encoder.signature()

    def _steps_from_texts(self) -> Any:
        if self.select is not None:
            from sklearn.pipeline import make_pipeline

            return make_pipeline(clone(self.weights), Shape(self.select))
        return clone(self.weights)

    def _vectors(self, raw: RawRows, part: Shape) -> Vectors:
        """Return what `Vectors.fit` would have learned from the same documents, without reading the text again."""
        reader: Any = raw.reader
        weights = named_weights(self.weights)
        vectors = Vectors(clone(self.reading_analyzer()), weights=weights, min_df=self.min_df, select=self.select)
        vectors.stop_words_, vectors.vocabulary_, vectors.idf_ = reader.stop_words_, reader.vocabulary_, None
        if part.select_ is not None:
            chosen = np.flatnonzero(part.select_.get_support())
            vectors.vocabulary_ = tuple(reader.vocabulary_[i] for i in chosen)
        if isinstance(part.weights_, Weights):
            vectors.idf_ = part.weights_.idf_
        else:
            vectors.weights_ = part.weights_
        return vectors


def _frozen(value: Any) -> Hashable:
    """Return a hashable form of a parameter: estimators by class and parameters, what cannot be hashed by identity."""
    if hasattr(value, "get_params") and not isinstance(value, type):
        params = value.get_params(deep=False)
        return (type(value), *((name, _frozen(each)) for name, each in sorted(params.items())))
    if isinstance(value, (list, tuple)):
        return tuple(map(_frozen, value))
    if isinstance(value, (set, frozenset)):
        return frozenset(value)
    if isinstance(value, Mapping):
        return frozenset((name, _frozen(each)) for name, each in value.items())
    return value if isinstance(value, Hashable) else _Same(value)


class _Same:
    """A key for an object that cannot be hashed: equal to itself alone."""

    def __init__(self, value: Any) -> None:
        self.value = value  # kept, so that its id is not given to another object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def _one_to_one(transformer: Any) -> bool:
    from sklearn.base import OneToOneFeatureMixin

    return isinstance(transformer, OneToOneFeatureMixin)


def _read(source: Source, X: Any, width: int | None = None) -> Any:
    """Return the rows of documents that need no terms; sparse vectors of documents with this many columns."""
    if source == "texts":
        return _texts(X)
    return _matrix(X, width) if source == "vectors" else X


def _texts(X: Any) -> list[str]:
    from rubricate.text.texts import blocks

    return [text for block in blocks(X, 1 << 20) for text in block.joined()]


def _matrix(X: Any, width: int | None) -> Any:
    if isinstance(X, Documents):
        if FIELD not in X.fields:
            raise InvalidInput(
                'weights="precomputed" takes a matrix, or Documents with the field "vectors"; these have no such field'
            )
        X = stacked(X.fields[FIELD], width)
    try:
        matrix = check_array(check_sparse_indices(X), accept_sparse="csr", dtype=np.float64, ensure_min_samples=0)
    except ValueError as error:
        raise InvalidInput(
            f'weights="precomputed" takes a matrix of finite numbers, documents × features: {error}'
        ) from None
    return sparse.csr_array(matrix) if sparse.issparse(matrix) else matrix
