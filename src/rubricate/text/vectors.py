"""Raw texts → weighted vectors, as one scikit-learn transformer."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from rubricate.errors import InvalidInput
from rubricate.text.analyzer import Analyzer
from rubricate.text.counts import frequent, gather
from rubricate.text.selection import Select
from rubricate.text.smart import idf, parse_scheme, weigh
from rubricate.text.stop_lists import stop_words
from rubricate.text.term_vectors import TermVectors
from rubricate.text.weights import SparseTransformer, Weights, named_weights
from rubricate.types import Documents, Floats, Sparse

__all__ = ["Vectors"]


class Vectors(TermVectors, SparseTransformer, BaseEstimator):
    """Texts → `csr_array` documents × terms: analyzer, counts, selection, weights, in one pass over the text.

    Learned: `vocabulary_` (the columns, sorted), `idf_` (None where `weights` is not ours), `stop_words_`; `weights_`
    is the fitted transformer where `weights` is not ours. Texts may be a list, an iterator, a pandas, polars or
    Arrow column, or `Documents`, whose labels stand in for a missing y. Memory beyond the result: a few MB a thread.

    Parameters
    ----------
    analyzer : an `Analyzer`, or None for the default one.
    weights : a SMART triple, "bm25", "pivoted", a `Weights`, or any scikit-learn transformer of counts.
    min_df : terms of fewer training documents are left out.
    select : None, a shorthand such as "chi2:2415", or a `Select`; chosen on counts, before weights and norms.
    threads : None for as many as there are cores; the result does not depend on it.

    Examples
    --------
    >>> vectors = Vectors(weights="nnn").fit(["Wheat exports rose", "wheat and corn"])
    >>> vectors.vocabulary_, vectors.transform(["Corn, corn!", "gold"]).toarray().tolist()
    (('corn', 'export', 'rose', 'wheat'), [[2.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    """

    def __init__(
        self,
        analyzer: Analyzer | None = None,
        *,
        weights: Any = "ltc",
        min_df: int = 1,
        select: Any = None,
        threads: int | None = None,
    ) -> None:
        self.analyzer = analyzer
        self.weights = weights
        self.min_df = min_df
        self.select = select
        self.threads = threads

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the vocabulary, the selection and the weights from training texts."""
        self._learn(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Sparse:
        """Learn from the texts and give their vectors; the text is read once."""
        return self._given_out(self._weigh(self._learn(X, y)))

    def transform(self, X: Any) -> Sparse:
        """Return the vectors of texts; unknown terms are left out, and a text without a known term is a zero row."""
        check_is_fitted(self)
        return self._given_out(self._weigh(self.term_counts(X)))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the terms, in the order of the columns."""
        check_is_fitted(self)
        return np.array(self.vocabulary_, dtype=object)

    def _learn(self, X: Any, y: Any) -> Sparse:
        scheme = self._scheme()
        selector = Select(self.select) if isinstance(self.select, str) else self.select
        self.stop_words_ = tuple(sorted(stop_words(self._analyzer().stop)))
        chunks, words = self._count(X)
        vocabulary, columns = frequent(chunks, words, self.min_df)
        counts = gather(chunks, columns, len(vocabulary))
        if counts.shape[0] == 0:
            raise InvalidInput("no documents to learn from; give at least one text")
        if counts.shape[1] == 0:
            raise InvalidInput(
                f"no term occurs in {self.min_df} or more of the {counts.shape[0]} documents; "
                "lower min_df, or look at the tokens, stop words and min_length of the analyzer"
            )
        self.vocabulary_ = vocabulary
        if selector is not None:
            counts = self._choose(clone(selector), counts, X.labels if y is None and isinstance(X, Documents) else y)
        self._fit_weights(counts, scheme)
        return counts

    def _choose(self, selector: Any, counts: Sparse, y: Any) -> Sparse:
        chosen = np.flatnonzero(selector.fit(counts, y).get_support())
        self.vocabulary_ = tuple(self.vocabulary_[i] for i in chosen)
        return counts[:, chosen]

    def _fit_weights(self, counts: Sparse, scheme: str | None) -> None:
        self.idf_: Floats | None = None
        if scheme is None:
            self.weights_ = clone(named_weights(self.weights)).fit(counts)
            return
        frequency = np.bincount(counts.indices, minlength=counts.shape[1])
        self.idf_ = idf(frequency, counts.shape[0], scheme)

    def _weigh(self, counts: Sparse) -> Sparse:
        scheme = self._scheme()
        if scheme is None or self.idf_ is None:
            return self.weights_.transform(counts)
        return weigh(counts, scheme, self.idf_)

    def _scheme(self) -> str | None:
        """Return the SMART triple; None where the weights are a transformer that is not ours."""
        weights = named_weights(self.weights)
        if isinstance(weights, (str, Weights)):
            return parse_scheme(weights if isinstance(weights, str) else weights.scheme)
        if not hasattr(weights, "transform"):
            raise InvalidInput(f'weights must be a SMART triple such as "ltc" or a transformer, got {self.weights!r}')
        return None

    def _analyzer(self) -> Analyzer:
        return Analyzer() if self.analyzer is None else self.analyzer

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = self.select is not None
        return tags
