"""The best categories by linear weights, found by lists of weights instead of the product of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from rubricate.classifiers.numerics.neighbours import in_blocks
from rubricate.kernels.best_categories import WIDTH, LinearWeights, best_categories
from rubricate.kernels.rows import Rows
from rubricate.types import Floats, Ints, Sparse

__all__ = ["WeighsTerms", "WeightLists", "lists_of", "pays"]

FILL = 0.25
"""A term with weights for this share of the categories has a row, where a place costs a quarter of one in a list."""
HEAD = 128
"""Heads hold one in so many categories. One in 16 to one in 128 take the same time, of newswire with 5,000."""
MANY = 256
"""Categories from which on lists are used; with fewer the product of all weights is as fast."""
DOCUMENTS = 512
"""Documents of one task."""


@dataclass(frozen=True, eq=False)
class WeightLists:
    """Weights (categories × terms, sparse) and offsets, laid out for `kernels.best_categories`.

    Memory: 12 bytes per weight in a list, 8 per place in a row: at most 2.7 times the weights themselves.
    """

    weights: LinearWeights

    @staticmethod
    def of(coef: Sparse, offsets: Floats) -> WeightLists:
        """Lay out the weights."""
        by_term = sparse.csr_array(coef.T)
        by_term.sum_duplicates()
        lengths, categories = np.diff(by_term.indptr), by_term.shape[1]
        common = np.flatnonzero((lengths >= FILL * categories) & (lengths > 0))
        rows = np.full(by_term.shape[0], -1, np.int64)
        rows[common] = np.arange(len(common))
        listed = np.repeat(rows < 0, lengths)
        starts = np.concatenate([[0], np.cumsum(np.where(rows < 0, lengths, 0), dtype=np.int64)])
        heads = [_head(by_term, term) for term in common]
        sizes = [len(head) for head, _, _ in heads]
        magnitudes = np.abs(by_term.data).max(initial=0.0), np.abs(offsets).max(initial=0.0)
        return WeightLists(
            LinearWeights(
                rows=rows,
                dense=_in_category_blocks(by_term, common),
                starts=starts,
                categories=by_term.indices[listed].astype(np.uint32),
                weights=by_term.data[listed],
                head_starts=np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64),
                head_categories=np.concatenate([np.empty(0), *(head for head, _, _ in heads)]).astype(np.uint32),
                head_weights=np.concatenate([np.empty(0), *(above for _, above, _ in heads)]),
                rests=np.array([rest for _, _, rest in heads], np.float64).reshape(-1, 2),
                largest=np.array(magnitudes, np.float64),
                offsets=np.ascontiguousarray(offsets, np.float64),
            )
        )

    def best(self, X: Sparse, k: int, *, factors: Floats | None = None, threads: int | None = None) -> Sparse:
        """Return the k best scores of each document, documents × categories; of equal ones the earlier category."""
        k, categories = min(k, len(self.weights.offsets)), len(self.weights.offsets)
        factors = np.ones(X.shape[0]) if factors is None else factors
        starts, terms, values = X.indptr.astype(np.int64), X.indices.astype(np.uint32), X.data

        def block(begin: int, end: int) -> tuple[Ints, Floats]:
            part = slice(starts[begin], starts[end])
            rows = Rows(starts[begin : end + 1] - starts[begin], terms[part], values[part])
            return best_categories(rows, factors[begin:end], self.weights, k)

        found, scores = in_blocks(block, X.shape[0], rows=DOCUMENTS, threads=threads)
        order = np.argsort(found, axis=1)
        columns, data = np.take_along_axis(found, order, axis=1), np.take_along_axis(scores, order, axis=1)
        ends = np.arange(X.shape[0] + 1) * k
        return sparse.csr_array((data.ravel(), columns.ravel(), ends), shape=(X.shape[0], categories))


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


def pays(coef: Any, X: Any) -> bool:
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


def _head(by_term: Sparse, term: Any) -> tuple[Any, Floats, tuple[float, float]]:
    """Return the categories with the largest weights, by how much they are above the rest, and the rests."""
    part, categories = slice(by_term.indptr[term], by_term.indptr[term + 1]), by_term.shape[1]
    own, weights = by_term.indices[part], by_term.data[part]
    size = min(max(1, categories // HEAD), len(weights) - 1)
    order = np.argpartition(-weights, size)
    rest = max(0.0, float(weights[order[size]]))
    head = order[: size + 1]
    head = head[weights[head] > rest]
    return own[head], weights[head] - rest, (rest, max(0.0, -float(weights.min())))


def _in_category_blocks(by_term: Sparse, terms: Ints) -> Floats:
    """Return some rows, zeros written out, as blocks of categories × rows × categories of a block."""
    categories = by_term.shape[1]
    blocks = max(1, -(-categories // WIDTH))
    dense = np.zeros((blocks, len(terms), WIDTH))
    for row, (start, end) in enumerate(zip(by_term.indptr[terms], by_term.indptr[terms + 1], strict=True)):
        own = by_term.indices[start:end]
        dense[own // WIDTH, row, own % WIDTH] = by_term.data[start:end]
    return dense
