"""Precision of rankings where rare categories count for more: propensity-scored precision at k. jain2016.

A label of a rare category is missing from the truth more often than one of a frequent category. The propensity of a
category is the chance that a label that holds is also given:

    p_c = 1 / (1 + C e^(−A ln(n_c + B)))      C = (ln N − 1)(B + 1)^A

n_c are the training documents of the category, N all of them; A = .55 and B = 1.5 unless the corpus is known better.
A hit on category c counts 1/p_c instead of 1. The sum over all documents is divided by that of the best rankings:

    PSP@k = Σ_d Σ_{c among the k best of d, true} 1/p_c  /  Σ_d max over k true categories of d of Σ 1/p_c

so that 1 is perfect, as in the tables of the Extreme Classification Repository.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.measures.tables import canonical
from rubricate.types import Floats, Ints, Sparse

__all__ = ["propensities", "propensity_precision"]


def propensities(train_counts: Any, documents: int, *, A: float = 0.55, B: float = 1.5) -> Floats:
    """Return the propensity of each category from its number of training documents.

    With N = e documents or fewer C would not be above 0: then every propensity is 1.

    >>> propensities([1, 10, 1000], 10_000).round(3).tolist()
    [0.109, 0.22, 0.767]
    """
    counts = np.asarray(train_counts, np.float64)
    if counts.ndim != 1 or np.any(counts < 0) or not np.isfinite(counts).all() or np.any(counts > documents):
        raise InvalidInput(
            f"training counts must be numbers from 0 to the {documents} documents, one per category; got {counts!r:.80}"
        )
    if not (A > 0 and B > 0):
        raise InvalidInput(f"propensities need A and B above 0, got A={A}, B={B}")
    scale = max(0.0, (np.log(max(documents, 1)) - 1) * (B + 1) ** A)
    return 1 / (1 + scale * (counts + B) ** -A)


def propensity_precision(best: Any, truth: Sparse, propensity: Any, k: int) -> float:
    """Return PSP@k of rankings: the columns of the best categories of each document, best first, −1 for none.

    `best` is what `Scores.ranking(k)` gives, documents × k or more. Documents without a label count nothing; 0 where
    no document has one.

    >>> from scipy import sparse
    >>> truth = sparse.csr_array(np.array([[1, 1, 0], [0, 0, 1]], bool))
    >>> propensity_precision([[0, 2], [2, 0]], truth, [0.5, 0.25, 1.0], 1)
    0.6
    """
    ranked: Ints = np.asarray(best, np.int64)
    with np.errstate(divide="ignore"):
        labels, worth = canonical(truth), 1 / np.asarray(propensity, np.float64)
    if ranked.ndim != 2 or ranked.shape[0] != labels.shape[0] or not 1 <= k <= ranked.shape[1]:
        raise InvalidInput(
            f"PSP@{k} needs the {k} best categories of {labels.shape[0]} documents, got an array of {ranked.shape}"
        )
    if worth.shape != (labels.shape[1],) or not (np.isfinite(worth) & (worth >= 1)).all():
        raise InvalidInput(f"propensities must be {labels.shape[1]} numbers above 0 and at most 1, one per category")
    if ranked.max(initial=-1) >= labels.shape[1] or ranked.min(initial=0) < -1:
        raise InvalidInput(f"a ranking names a category outside of the {labels.shape[1]} of the truth")
    ideal = _best_sums(labels, worth, k)
    return float(_hits(ranked[:, :k], labels, worth) / ideal) if ideal > 0 else 0.0


def _hits(ranked: Ints, labels: Sparse, worth: Floats) -> float:
    rows, columns = np.repeat(np.arange(len(ranked)), ranked.shape[1]), ranked.ravel()
    named = np.unique((rows * labels.shape[1] + columns)[columns >= 0])  # a category named twice counts once
    own = np.repeat(np.arange(labels.shape[0]), np.diff(labels.indptr)) * labels.shape[1] + labels.indices
    return float(worth[named[np.isin(named, own)] % labels.shape[1]].sum()) if len(named) else 0.0


def _best_sums(labels: Sparse, worth: Floats, k: int) -> float:
    """Return Σ over documents of the k highest worths among their labels."""
    rows = np.repeat(np.arange(labels.shape[0]), np.diff(labels.indptr))
    values = worth[labels.indices]
    order = np.lexsort((-values, rows))
    place = np.arange(len(order)) - labels.indptr[rows]
    return float(values[order][place < k].sum())
