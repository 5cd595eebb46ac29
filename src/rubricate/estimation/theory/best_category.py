"""Which category stays the best one of a document when the document is left out: bounds for one label per document.

Leaving document i out lowers the score of its own category by at most ρ α_i R² and raises that of any other by at most
ρ α_i R², α_i being the document's in the SVM of that category: with ρ = 2 where the bias is free and solutions are
stable (joachims2000, lemma 1), with ρ = 1 otherwise (Jaakkola and Haussler 1999).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rubricate.classifiers.svm.leave_one_out import SolvedSVMs
from rubricate.types import Floats, Sparse

__all__ = ["best_categories", "both_columns", "lowered_best", "lowered_scores"]


def lowered_scores(scores: Any, svms: SolvedSVMs, factor: float) -> Floats:
    """Return the scores of the training documents, each moved by factor · α to the wrong side."""
    lowered = both_columns(scores, svms.labels.shape[1])
    alpha = sparse.coo_array(svms.alpha)
    own = np.asarray(svms.labels.toarray(), bool)[alpha.row, alpha.col]
    lowered[alpha.row, alpha.col] += np.where(own, -1.0, 1.0) * factor * alpha.data
    return lowered


def lowered_best(scores: Any, svms: SolvedSVMs, factor: float) -> Sparse:
    """Return the best category of each document by its lowered scores."""
    return best_categories(lowered_scores(scores, svms, factor), svms.labels)


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


def both_columns(scores: Any, columns: int) -> Floats:
    """Return a copy of scores with a column for each category, of two where an SVM has one vector for both."""
    values = np.array(scores, np.float64)
    return np.column_stack([-values, values]) if values.ndim == 1 and columns == 2 else values.reshape(-1, columns)
