"""Which category each column of labels is."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.types import Floats, Ints, Sparse

__all__ = ["WORTH", "Labelled", "chosen_terms", "column_names", "correlation", "presence", "present_terms", "relevancy"]


class Labelled(Protocol):
    """A classifier that has seen labels and may have been given the names of their columns."""

    categories: Sequence[str] | None
    categories_: tuple[str, ...]
    classes_: Any
    multilabel_: bool


def column_names(classifier: Labelled) -> tuple[str, ...]:
    """Return the names of the label columns: `categories` where given, else those that y came with.

    A class that is a whole number is a place in `categories`.
    """
    if classifier.categories is None:
        return tuple(classifier.categories_)
    names, classes = tuple(classifier.categories), classifier.classes_
    if classifier.multilabel_:
        if len(names) != len(classes):
            raise InvalidInput(f"{len(names)} names in `categories` for {len(classes)} columns of labels")
        return names
    if all(isinstance(place, Integral) and 0 <= int(place) < len(names) for place in classes):
        return tuple(names[int(place)] for place in classes)
    return tuple(classifier.categories_)


def presence(X: Any) -> Sparse:
    """Return where X is above 0.

    >>> presence(np.array([[2.0, -1.0, 0.0]])).toarray().tolist()
    [[True, False, False]]
    """
    X = sparse.csr_array(X)
    present = sparse.csr_array(X > 0) if X.nnz and X.data.min() <= 0 else X
    return sparse.csr_array((np.ones(present.nnz, bool), present.indices, present.indptr), shape=X.shape)


def present_terms(X: Any) -> tuple[Ints, Ints]:
    """Return where the terms of each row start, and the terms."""
    present = presence(X)
    return present.indptr.astype(np.int64), present.indices.astype(np.int64)


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
