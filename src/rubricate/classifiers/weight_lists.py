"""The best categories by linear weights, found by lists of weights instead of the product of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from rubricate.classifiers.neighbours import in_blocks
from rubricate.native.neighbours import ItemIndex, best_items, index_items
from rubricate.native.sparse import Rows
from rubricate.types import Floats, Ints, Sparse

__all__ = ["WeighsTerms", "WeightLists", "is_worthwhile", "lists_of"]

MANY = 256
"""Categories from which on lists are used; with fewer the product of all weights is as fast."""
DOCUMENTS = 512
"""Documents of one task."""


@dataclass(frozen=True, eq=False)
class WeightLists:
    """Weights (categories × terms, sparse) and offsets, indexed by term.

    Memory: 12 bytes per weight in a list, 8 per place in a row: at most 2.7 times the weights themselves.
    """

    index: ItemIndex

    @staticmethod
    def of(coef: Sparse, offsets: Floats) -> WeightLists:
        """Index the weights."""
        by_term = sparse.csr_array(coef.T)
        by_term.sum_duplicates()
        offsets = np.ascontiguousarray(offsets, np.float64)
        return WeightLists(index_items(_rows(by_term), by_term.shape[1], offsets=offsets))

    def best(self, X: Sparse, k: int, *, factors: Floats | None = None, threads: int | None = None) -> Sparse:
        """Return the k best scores of each document, documents × categories; of equal ones the earlier category."""
        categories = self.index.length
        k = min(k, categories)
        factors = np.ones(X.shape[0]) if factors is None else factors
        documents = _rows(X)

        def block(begin: int, end: int) -> tuple[Ints, Floats]:
            starts = documents.starts[begin : end + 1]
            part = slice(starts[0], starts[-1])
            rows = Rows(starts - starts[0], documents.terms[part], documents.values[part])
            return best_items(rows, self.index, k, factors[begin:end])

        found, scores = in_blocks(block, X.shape[0], rows=DOCUMENTS, threads=threads)
        order = np.argsort(found, axis=1)
        columns, data = np.take_along_axis(found, order, axis=1), np.take_along_axis(scores, order, axis=1)
        ends = np.arange(X.shape[0] + 1) * k
        return sparse.csr_array((data.ravel(), columns.ravel(), ends), shape=(X.shape[0], categories))


def _rows(matrix: Sparse) -> Rows:
    return Rows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data)


class _KeptLists:
    """The lists of the weights that a classifier has at present; pickles without them."""

    def __init__(self, coef: Sparse | None = None, lists: WeightLists | None = None) -> None:
        self.coef, self.lists = coef, lists

    def __reduce__(self) -> tuple[type[_KeptLists], tuple[()]]:
        return _KeptLists, ()


class WeighsTerms(Protocol):
    """A classifier with sparse weights, categories × terms, which keeps their lists."""

    coef_: Sparse
    _kept_lists: Any


def is_worthwhile(coef: Any, X: Any) -> bool:
    """Tell whether lists of these weights (categories × terms) find the best categories of such documents faster."""
    return sparse.issparse(coef) and sparse.issparse(X) and coef.shape[0] >= MANY


def lists_of(classifier: WeighsTerms, offsets: Floats) -> WeightLists:
    """Return the lists of `coef_`, made when they are first needed after it was learned."""
    kept: _KeptLists = getattr(classifier, "_kept_lists", None) or _KeptLists()
    if kept.lists is None or kept.coef is not classifier.coef_:
        kept = _KeptLists(classifier.coef_, WeightLists.of(classifier.coef_, offsets))
        classifier._kept_lists = kept
    assert kept.lists is not None
    return kept.lists
