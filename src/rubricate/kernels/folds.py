"""Deal documents to folds so that every category, the rarest first, is spread evenly.

Given  the labels by category (its documents, in the order in which they are dealt) and by document (its categories),
       and an `Order`: the order in which to take categories, then documents without labels, and for each category the
       order of folds that breaks ties. Sorting is left to NumPy, whose sorts need not be compiled.
Return the fold of each document.
Cost   labels × folds. A document without labels is dealt last, to the smallest fold.
Ties   the fold with fewest documents of the category, then the smallest fold, then the category's fold order.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Lists
from rubricate.kernels.wrappers import FROM_PYTHON

__all__ = ["Order", "deal"]


class Order(NamedTuple):
    """In which order categories and documents are dealt; `folds` is categories × folds."""

    categories: np.ndarray
    documents: np.ndarray
    folds: np.ndarray


class _Folds(NamedTuple):
    """The fold of each document (−1 before it is dealt), documents of each category in each fold, and of each fold."""

    fold_of: np.ndarray
    held: np.ndarray
    size: np.ndarray


def deal(by_category: Lists, by_document: Lists, order: Order) -> np.ndarray:
    """Return the fold of each document."""
    categories, folds = order.folds.shape
    fold_of = np.full(len(by_document.starts) - 1, -1, np.int64)
    held, size = np.zeros((folds, max(categories, 1)), np.int64), np.zeros(folds, np.int64)
    _deal(by_category, by_document, order, _Folds(fold_of, held, size))
    return fold_of


@numba.njit(cache=True, nogil=True, **FROM_PYTHON)
def _deal(by_category: Lists, by_document: Lists, order: Order, dealt: _Folds) -> None:
    fold_of, held, size = dealt
    folds = len(size)
    # The rarest category first: its few documents have the least freedom once others have been dealt.
    for place in range(len(order.categories)):
        c = order.categories[place]
        for i in range(by_category.starts[c], by_category.starts[c + 1]):
            d = by_category.items[i]
            if fold_of[d] >= 0:
                continue
            best = order.folds[c, 0]
            for j in range(1, folds):
                k = order.folds[c, j]
                if held[k, c] < held[best, c] or (held[k, c] == held[best, c] and size[k] < size[best]):
                    best = k
            fold_of[d] = best
            size[best] += 1
            for j in range(by_document.starts[d], by_document.starts[d + 1]):
                held[best, by_document.items[j]] += 1
    for place in range(len(order.documents)):
        d = order.documents[place]
        if fold_of[d] < 0:
            best = 0
            for k in range(1, folds):
                best = k if size[k] < size[best] else best
            fold_of[d] = best
            size[best] += 1
