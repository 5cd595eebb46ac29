"""The correlation coefficient of terms and categories, and the terms it chooses for each category.

With A documents that have term and category, B the term only, C the category only, D neither, N all of them,

    C(t, c) = (A D − B C) √N / √((A+C)(B+D)(A+B)(C+D)),

the square root of χ² with the sign of the dependence (ng1997, section 3): a one-sided χ², which takes only terms that
speak for the category. A term is in a document where its value is not 0. 0/0, a term or category of all or no
documents, counts 0. Cost: one sparse product, and a sort a category of the terms that its documents have.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rubricate.types import Floats, Ints, Sparse

__all__ = ["chosen_terms", "correlation"]


def correlation(X: Any, labels: Sparse, weights: Floats | None = None) -> Sparse:
    """C(t, c) for each pair that meets in a document, categories × columns; others are at most 0.

    >>> found = correlation(sparse.csr_array([[1, 1], [1, 0], [0, 1]]), sparse.csr_array([[1], [1], [0]], dtype=bool))
    >>> found.toarray().round(3).tolist()
    [[1.732, -0.866]]
    """
    weights = np.ones(X.shape[0]) if weights is None else weights
    has = sparse.csr_array(X, dtype=np.float64, copy=True)
    has.eliminate_zeros()
    has.data[:] = 1.0
    marks = sparse.csr_array(labels, dtype=np.float64)
    marks.data = np.repeat(weights, np.diff(marks.indptr))
    together = sparse.csr_array(marks.T @ has)
    of_category, of_term, N = np.asarray(marks.sum(axis=0)).ravel(), weights @ has, float(weights.sum())
    c, t = np.repeat(of_category, np.diff(together.indptr)), of_term[together.indices]
    below = np.sqrt(c * (N - c)) * np.sqrt(t * (N - t))
    signed = (together.data * N - c * t) * np.sqrt(N)
    together.data = np.divide(signed, below, out=np.zeros(len(below)), where=below > 0)
    return together


def chosen_terms(found: Sparse, most: int) -> list[Ints]:
    """For each category the columns of the `most` highest C(t, c) from 0 on, ascending; equals by column."""
    chosen = []
    for start, stop in zip(found.indptr[:-1], found.indptr[1:], strict=True):
        columns, values = found.indices[start:stop], found.data[start:stop]
        order = np.lexsort((columns, -values))[:most]
        chosen.append(np.sort(columns[order[values[order] >= 0]]).astype(np.int64))
    return chosen
