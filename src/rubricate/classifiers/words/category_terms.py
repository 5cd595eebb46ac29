"""Terms for each category by itself: how much each speaks for it, and the best ones.

With A documents that have term and category, B the term only, C the category only, D neither, N all of them:

    correlation   (A D − B C) √N / √((A+C)(B+D)(A+B)(C+D)), the square root of χ² with the sign of the dependence
                  (ng1997): a one-sided χ². 0/0, a term or category of all or no documents, counts 0
    relevancy     ln((A/(A+C) + 1/6) / (B/(B+D) + 1/6)) (wiener1995); a share of nothing is 0

Above 0 the term speaks for the category. A term is in a document where its value is not 0, and a document counts by
its weight. Cost: one sparse product, and per category a sort of the terms that its documents have.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rubricate.types import Floats, Ints, Sparse

__all__ = ["WORTH", "chosen_terms", "correlation", "relevancy"]

PRIOR = 1 / 6


def correlation(X: Any, labels: Sparse, weights: Floats | None = None) -> Sparse:
    """Return the coefficient of each pair that meets in a document, categories × columns; others are at most 0.

    >>> scores = correlation(sparse.csr_array([[1, 1], [1, 0], [0, 1]]), sparse.csr_array([[1], [1], [0]], dtype=bool))
    >>> scores.toarray().round(3).tolist()
    [[1.732, -0.866]]
    """
    pairs, of_term, of_category, N = _meetings(X, labels, weights)
    below = np.sqrt(of_category * (N - of_category)) * np.sqrt(of_term * (N - of_term))
    signed = (pairs.data * N - of_category * of_term) * np.sqrt(N)
    pairs.data = np.divide(signed, below, out=np.zeros(len(below)), where=below > 0)
    return pairs


def relevancy(X: Any, labels: Sparse, weights: Floats | None = None) -> Sparse:
    """Return the score of each pair that meets in a document, categories × columns; others are at most 0.

    >>> scores = relevancy(sparse.csr_array([[1, 1], [1, 0], [0, 1]]), sparse.csr_array([[1], [1], [0]], dtype=bool))
    >>> scores.toarray().round(3).tolist()
    [[1.946, -0.56]]
    """
    pairs, of_term, of_category, N = _meetings(X, labels, weights)
    rest = N - of_category
    outside = np.divide(of_term - pairs.data, rest, out=np.zeros(len(rest)), where=rest > 0)
    inside = np.divide(pairs.data, of_category, out=np.zeros(len(rest)), where=of_category > 0)
    pairs.data = np.log((inside + PRIOR) / (outside + PRIOR))
    return pairs


WORTH = {"correlation": correlation, "relevancy": relevancy}


def _meetings(X: Any, labels: Sparse, weights: Floats | None) -> tuple[Sparse, Floats, Floats, float]:
    """Return A of each pair that meets; for each of these A + B and A + C; N."""
    weights = np.ones(X.shape[0]) if weights is None else weights
    has = sparse.csr_array(X, dtype=np.float64, copy=True)
    has.eliminate_zeros()
    has.data[:] = 1.0
    marks = sparse.csr_array(labels, dtype=np.float64)
    marks.data = np.repeat(weights, np.diff(marks.indptr))
    pairs = sparse.csr_array(marks.T @ has)
    of_category = np.repeat(np.asarray(marks.sum(axis=0)).ravel(), np.diff(pairs.indptr))
    return pairs, (weights @ has)[pairs.indices], of_category, float(weights.sum())


def chosen_terms(worth: Sparse, most: int) -> list[Ints]:
    """Return for each category the columns of the `most` highest values from 0 on, ascending; equals by column."""
    chosen = []
    for start, stop in zip(worth.indptr[:-1], worth.indptr[1:], strict=True):
        columns, values = worth.indices[start:stop], worth.data[start:stop]
        order = np.lexsort((columns, -values))[:most]
        chosen.append(np.sort(columns[order[values[order] >= 0]]).astype(np.int64))
    return chosen
