"""Which category stays the best one of a document when the document is left out: bounds for one label per document.

Leaving document i out lowers the score of its own category by at most ρ α_i R² and raises that of any other by at most
ρ α_i R², α_i being the document's in the SVM of that category: with ρ = 2 where the bias is free and solutions are
stable (joachims2000, lemma 1), with ρ = 1 otherwise (Jaakkola and Haussler 1999).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rubricate.classifiers.svm.solvers.leave_one_out import FEW_FREE, SAFETY, SolvedSVMs
from rubricate.types import Bools, Floats, Sparse

__all__ = ["best_categories", "lowered_best", "may_be_best", "score_bounds"]


def _lowered_scores(scores: Any, svms: SolvedSVMs, factor: float) -> Floats:
    """Return the scores of the training documents, each moved by factor · α to the wrong side."""
    lowered = _both_columns(scores, svms.labels.shape[1])
    alpha = sparse.coo_array(svms.alpha)
    own = np.asarray(svms.labels.toarray(), bool)[alpha.row, alpha.col]
    lowered[alpha.row, alpha.col] += np.where(own, -1.0, 1.0) * factor * alpha.data
    return lowered


def lowered_best(scores: Any, svms: SolvedSVMs, factor: float) -> Sparse:
    """Return the best category of each document by its lowered scores."""
    return best_categories(_lowered_scores(scores, svms, factor), svms.labels)


def best_categories(scores: Floats, labels: Sparse) -> Sparse:
    """Return the best category of each document; one that is level with a document's own is taken instead of it.

    >>> labels = sparse.csr_array([[1, 0], [1, 0]], dtype=bool)
    >>> best_categories(np.array([[0.5, 0.5], [0.5, 0.1]]), labels).toarray().astype(int).tolist()
    [[0, 1], [1, 0]]
    """
    own = np.asarray(labels.toarray(), bool)
    others = np.where(own, -np.inf, scores)
    rival = np.argmax(others, axis=1)
    rows = np.arange(len(scores))
    mine = np.max(np.where(own, scores, -np.inf), axis=1)
    chosen = np.where(mine > others[rows, rival], np.argmax(own, axis=1), rival)
    return sparse.csr_array((np.ones(len(rows), bool), chosen, np.arange(len(rows) + 1)), shape=own.shape)


def _both_columns(scores: Any, columns: int) -> Floats:
    """Return a copy of scores with a column for each category, of two where an SVM has one vector for both."""
    values = np.array(scores, np.float64)
    return np.column_stack([-values, values]) if values.ndim == 1 and columns == 2 else values.reshape(-1, columns)


def score_bounds(scores: Any, svms: SolvedSVMs) -> tuple[Floats, Floats]:
    """Return the least and the largest score (documents × categories) of each document when it is left out.

    Wider by `SAFETY`, for what the solution lacks of the optimum. With a free bias the bounds hold if retrained SVMs
    have some 0 < α < C: if a category has few such documents, nothing is known about its support vectors; if it has
    none, about any document. A document alone on its side is scored as the other side, ∓1; a category with nothing to
    separate has one score.
    """
    full = _both_columns(scores, svms.labels.shape[1])
    moved = _lowered_scores(scores, svms, 2 * svms.bound if svms.free else svms.bound)
    low, high = np.minimum(moved, full) - SAFETY, np.maximum(moved, full) + SAFETY
    if svms.free:
        few = np.flatnonzero(svms.free_counts <= FEW_FREE)
        unknown = (svms.alpha[:, few].toarray() > 0) | (svms.free_counts[few] == 0)
        low[:, few], high[:, few] = np.where(unknown, -np.inf, low[:, few]), np.where(unknown, np.inf, high[:, few])
    own, counted = svms.own.T, svms.weights > 0
    inside, outside = np.count_nonzero(own[counted], axis=0), np.count_nonzero(~own[counted], axis=0)
    alone = counted[:, None] & np.where(own, inside == 1, outside == 1)
    low[alone] = high[alone] = np.where(own, -1.0, 1.0)[alone]
    constant = (inside == 0) | (outside == 0)
    low[:, constant] = high[:, constant] = svms.intercept[constant]
    return low, high


def may_be_best(low: Floats, high: Floats) -> tuple[Bools, Floats]:
    """Return which categories of which documents are still to be compared, and the bar that each must reach.

    The bar is the largest of the least scores of the other categories. A document with only one category that reaches
    its bar is decided.

    >>> low, high = np.array([[0.1, -1.0, -2.0], [0.0, -3.0, -2.0]]), np.array([[0.2, 0.3, -1.0], [1.0, -1.0, -1.0]])
    >>> may_be_best(low, high)[0]
    array([[ True,  True, False],
           [False, False, False]])
    """
    order = np.argsort(-low, axis=1, kind="stable")
    bars = np.repeat(np.take_along_axis(low, order[:, :1], axis=1), low.shape[1], axis=1)
    second = np.take_along_axis(low, order[:, 1:2], axis=1) if low.shape[1] > 1 else np.full((len(low), 1), -np.inf)
    np.put_along_axis(bars, order[:, :1], second, axis=1)
    reaching = high >= bars
    return reaching & (np.count_nonzero(reaching, axis=1) > 1)[:, None], bars
