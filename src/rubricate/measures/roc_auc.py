"""Area under the ROC curve of each category's ranking of the documents."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rubricate.measures.counting.tables import canonical
from rubricate.measures.definition.measure import measure
from rubricate.measures.rankings.scores import score_values
from rubricate.types import Floats, Sparse

__all__ = ["roc_auc"]


@measure("scores", "AUC")
def roc_auc(scores: Any, truth: Sparse) -> Floats:
    """Return the chance that a true document scores above another one, ties counting half. hanley1982.

    Agrees with scikit-learn's `roc_auc_score` of each category. NaN for a category that is true of all documents or of
    none. Cost: documents · log documents per category.
    """
    from scipy.stats import rankdata  # half a second, which most evaluations need not pay

    values, floor = score_values(scores)
    labels = sparse.csc_array(canonical(truth))
    documents, categories = labels.shape
    areas = np.full(categories, np.nan)
    stored = sparse.csc_array(values) if sparse.issparse(values) else None
    for c in range(categories):
        rows = labels.indices[labels.indptr[c] : labels.indptr[c + 1]]
        if not 0 < len(rows) < documents:
            continue
        if stored is None:
            column = values[:, c]
        else:
            column = np.full(documents, floor)
            part = slice(stored.indptr[c], stored.indptr[c + 1])
            column[stored.indices[part]] = stored.data[part]
        ranks, n = rankdata(column), len(rows)
        areas[c] = (ranks[rows].sum() - n * (n + 1) / 2) / (n * (documents - n))
    return areas
