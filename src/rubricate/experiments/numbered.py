"""Vectors of documents that are given by number: text is counted once, however often a stack deals its folds.

The members of a stack start from texts, each with a representation of its own, and are trained anew in every fold. With
numbers in place of texts, what they share, the counts of terms, is made once per way of reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from rubricate.text.analyzer import Analyzer
from rubricate.text.selection import Select
from rubricate.text.vectors import Vectors
from rubricate.training.cache import Once
from rubricate.types import Documents, Floats, Sparse

__all__ = ["CountedDocuments", "NumberedVectors", "numbers"]

MANY = 100
"""Ways of reading that are kept: all of them."""


def numbers(first: int, count: int) -> Floats:
    """Return documents by number, as one column."""
    return np.arange(first, first + count, dtype=np.float64)[:, None]


class CountedDocuments:
    """Training documents, then test documents, and their counts of terms by analyzer; copies are the same object."""

    def __init__(self, train: Documents, test: Documents) -> None:
        self.train, self.test = train, test
        self._counts = Once(MANY)

    def __deepcopy__(self, _: Mapping[int, Any]) -> CountedDocuments:
        return self

    def counts(self, analyzer: Analyzer) -> tuple[Sparse, tuple[str, ...]]:
        """Return documents × terms, and the terms; of test documents the terms that training documents have."""

        def make() -> tuple[Sparse, tuple[str, ...]]:
            vectors = Vectors(analyzer, weights="nnn")
            parts = [vectors.fit_transform(self.train), vectors.transform(self.test)]
            return sparse.csr_array(sparse.vstack(parts)), vectors.vocabulary_

        return self._counts.get(repr(analyzer), make)


class NumberedVectors(Vectors):
    """What `Vectors` gives for documents, given their numbers in `documents`.

    Parameters
    ----------
    documents : the counted documents that the numbers are of.
    analyzer, weights, min_df, select : as in `Vectors`.
    """

    def __init__(
        self, documents: CountedDocuments, *, analyzer: Any, weights: Any, min_df: int = 1, select: Any = None
    ) -> None:
        super().__init__(analyzer, weights=weights, min_df=min_df, select=select)
        self.documents = documents

    def transform(self, X: Any) -> Sparse:
        """Return the vectors of documents."""
        check_is_fitted(self)
        return self._weigh(self._rows(X)[:, self.columns_])

    def _rows(self, X: Any) -> Sparse:
        return self.documents.counts(self._analyzer())[0][np.asarray(X)[:, 0].astype(np.int64)]

    def _learn(self, X: Any, y: Any) -> Sparse:
        counts, terms = self._rows(X), self.documents.counts(self._analyzer())[1]
        self.columns_ = np.flatnonzero(np.bincount(counts.indices, minlength=counts.shape[1]) >= self.min_df)
        counts = counts[:, self.columns_]
        if self.select is not None:
            selector = Select(self.select) if isinstance(self.select, str) else self.select
            chosen = np.flatnonzero(selector.fit(counts, y).get_support())
            counts, self.columns_ = counts[:, chosen], self.columns_[chosen]
        self.vocabulary_ = tuple(terms[column] for column in self.columns_)
        self._fit_weights(counts, self._scheme())
        return counts
