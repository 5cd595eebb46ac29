"""Deal documents to folds so that every category, the rarest first, is spread evenly.

Given  category-major labels (document lists), document-major labels (category lists), the order in which
       to take categories and documents, and the order of folds in which ties are broken for each category.
Return the fold of each document.
Cost   labels × folds. A document without labels is dealt last, to the smallest fold.
Ties   the fold with fewest documents of the category, then the smallest fold, then the category's fold order.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["deal"]


@numba.njit(cache=True, nogil=True)
def deal(
    category_starts: np.ndarray,
    category_documents: np.ndarray,
    document_starts: np.ndarray,
    document_categories: np.ndarray,
    category_order: np.ndarray,
    document_order: np.ndarray,
    fold_order: np.ndarray,
) -> np.ndarray:
    """The fold of each document; `document_order` ranks the documents at random, `fold_order` is categories × folds."""
    documents, (categories, folds) = len(document_starts) - 1, fold_order.shape
    fold_of = np.full(documents, -1, np.int64)
    held = np.zeros((folds, max(categories, 1)), np.int64)
    size = np.zeros(folds, np.int64)
    for c in category_order:
        members = category_documents[category_starts[c] : category_starts[c + 1]]
        for d in members[np.argsort(document_order[members])]:
            if fold_of[d] >= 0:
                continue
            best = fold_order[c, 0]
            for k in fold_order[c, 1:]:
                if held[k, c] < held[best, c] or (held[k, c] == held[best, c] and size[k] < size[best]):
                    best = k
            fold_of[d] = best
            size[best] += 1
            for j in range(document_starts[d], document_starts[d + 1]):
                held[best, document_categories[j]] += 1
    for d in np.argsort(document_order):
        if fold_of[d] < 0:
            best = np.argmin(size)
            fold_of[d] = best
            size[best] += 1
    return fold_of
