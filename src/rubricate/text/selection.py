"""The transformer that keeps the best terms, and the criteria by which they are the best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from rubricate import registry
from rubricate.errors import InvalidInput, UnknownName
from rubricate.labels import indicator, label_matrix
from rubricate.matrices import check_sparse_indices
from rubricate.native.neighbours import count_related
from rubricate.native.sparse import Rows
from rubricate.registry import selection
from rubricate.text.occurrences import WAYS, ContingencyTables, Occurrences, by_category
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = [
    "Select",
    "chi2",
    "document_frequency",
    "information_gain",
    "mutual_information",
    "term_scores",
    "term_strength",
]


@selection("chi2")
@by_category("max")
def chi2(table: ContingencyTables) -> Floats:
    """Compute χ²(t, c) = N (AD - CB)² / ((A + C)(B + D)(A + B)(C + D)), Pearson's statistic of the 2 × 2 table.

    yangliu1999, section 5.1, after yang1997, equation 4. A term or category of no document or of every document
    makes the denominator 0: the score is 0, for it tells nothing. Cost: terms × categories, in blocks.
    scikit-learn's chi2 sums over the documents with the term alone: it is this value times (C + D) / N.
    """
    # AD - CB = N A - (A + B)(A + C), and the margins are known: no table of B, C or D is needed.
    numerator = table.N * table.A - table.term * table.category
    rows = table.term * (table.N - table.term) / table.N
    denominator = rows * (table.category * (table.N - table.category))
    with np.errstate(invalid="ignore", divide="ignore"):
        scores = np.square(numerator, out=numerator)
        scores /= denominator
    scores[denominator == 0] = 0.0
    return scores


@selection("document_frequency")
def document_frequency(occurrences: Occurrences, by: str | None = None) -> Floats:
    """Count DF(t) = A + B, the same for every category: `by` does not matter. yang1997, section 2.1. Cost: one pass."""
    return np.bincount(occurrences.present.indices, minlength=occurrences.present.shape[1]).astype(np.float64)


@selection("information_gain")
@by_category("sum")
def information_gain(table: ContingencyTables) -> Floats:
    """G(t) = - Σ P(c) ln P(c) + P(t) Σ P(c|t) ln P(c|t) + P(¬t) Σ P(c|¬t) ln P(c|¬t), in nats. yang1997, equation 1.

    The categories are summed; a cell is what one category adds, which is never below 0. Where each document has one
    category, G is the entropy of the category less what is left of it when the term is known. Where documents have
    several, the sum is taken as the paper prints it. 0 ln 0 is 0, and so is the part of documents with (without) a
    term that all (no) documents have. Cost: terms × categories, in blocks.
    """
    absent = table.N - table.term
    gain = _entropy(table.category / table.N) - _share(table.A, table.term, table.N)
    gain = gain - _share(table.category - table.A, absent, table.N)
    # The parts cancel exactly for a term that tells nothing; what rounding leaves must not order such terms.
    gain[np.abs(gain) < 1e-15] = 0.0
    return gain


def _entropy(p: Floats) -> Floats:
    return -p * np.log(np.where(p > 0, p, 1.0))


def _share(joint: Floats, given: Floats, documents: float) -> Floats:
    """Return P(part) times the entropy of the category among the documents of that part."""
    return given / documents * _entropy(joint / np.where(given > 0, given, 1.0))


@selection("mutual_information")
@by_category("max")
def mutual_information(table: ContingencyTables) -> Floats:
    """Compute I(t, c) = ln(A N / ((A + C)(A + B))), in nats. yang1997, equation 2.

    Where term and category never meet (A = 0) the score is 0 in place of -∞, so that means and sums stay finite; this
    holds also for a term or category of no document. Cost: terms × categories, in blocks.
    """
    expected = table.term * table.category / table.N
    met = table.A > 0
    ratio = np.divide(table.A, expected, out=np.ones_like(table.A), where=met)
    return np.log(ratio)


RELATED = 10
"""Related documents that a document should have on average; yang1995 found 10 to 20 best."""
BINS = 1000


@selection("term_strength")
def term_strength(occurrences: Occurrences, by: str | None = None) -> Floats:
    """s(t) = P(t in y | t in x) over ordered pairs (x, y) of related documents. wilbur1992; yang1995; yang1997, eq. 5.

    Two documents are related where the cosine of their vectors (idf ln(N/n) of the terms present) reaches a threshold:
    the least multiple of .001 at which a document has at most ten related ones on average (if none does, 1). Labels do
    not matter, nor does `by`. A term that is in no related document has strength 0. Deviation: no test against chance,
    which yang1995 adds. Cost: the sum over terms of their squared document frequency; documents are compared in turn.
    """
    present = occurrences.present
    vectors = _unit_vectors(present)
    rows, by_term = _rows(vectors), _rows(sparse.csr_array(vectors.T))
    histogram, _ = count_related(rows, by_term, BINS)
    above = np.cumsum(histogram[::-1])[::-1]
    few = np.flatnonzero(above <= RELATED * present.shape[0])
    least = max(1, int(few[0])) if len(few) else BINS
    return _strength(present, count_related(rows, by_term, BINS, least=least, with_pairs=True)[1])


def _rows(matrix: Sparse) -> Rows:
    return Rows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data)


def _unit_vectors(present: Sparse) -> Sparse:
    documents, terms = present.shape
    frequency = np.bincount(present.indices, minlength=terms)
    data = np.log(documents / np.maximum(frequency, 1))[present.indices]
    rows = np.repeat(np.arange(documents), np.diff(present.indptr))
    length = np.sqrt(np.bincount(rows, weights=data * data, minlength=documents))
    data = data / np.where(length > 0, length, 1.0)[rows]
    vectors = sparse.csr_array((data, present.indices.astype(np.int64), present.indptr.astype(np.int64)), present.shape)
    vectors.eliminate_zeros()
    return vectors


def _strength(present: Sparse, related: Ints) -> Floats:
    """Return, over the ordered pairs, how many have t in both divided by how many have t in the first."""
    documents = present.shape[0]
    pairs = sparse.csr_array((np.ones(len(related)), (related[:, 0], related[:, 1])), shape=(documents, documents))
    counts = present.astype(np.float64)
    first = np.asarray(counts.T @ np.asarray(pairs.sum(axis=1)).ravel()).ravel()
    both = np.asarray(counts.multiply(pairs @ counts).sum(axis=0)).ravel()
    return np.divide(both, first, out=np.zeros_like(both), where=first > 0)


def term_scores(criterion: str, X: Any, labels: Any, *, by: str | None = None) -> Floats:
    """Score each term; with `by="each"` return terms × categories, for criteria that differ by category.

    X is documents × terms, sparse or dense, and whatever is not 0 is present; labels come in any form.

    >>> term_scores("chi2", [[1, 0], [1, 1], [0, 1], [0, 1]], ["grain", "grain", "gold", "gold"]).round(3).tolist()
    [4.0, 1.333]
    """
    function = registry.load("selection", criterion)
    if by is not None and by not in WAYS:
        raise UnknownName("way to join categories", by, WAYS)
    present = indicator(X)
    categories = _labels(labels, present.shape[0])
    if present.shape[0] == 0 or categories.shape[0] != present.shape[0]:
        raise InvalidInput(
            f"X has {present.shape[0]} documents and y has {categories.shape[0]}; they must be the same, and at least 1"
        )
    return function(Occurrences(present, categories), by)


def _labels(labels: Any, documents: int) -> Sparse:
    if labels is None:
        return sparse.csr_array((documents, 0), dtype=bool)
    if hasattr(labels, "__array__") and not hasattr(labels, "__iter__"):
        labels = np.asarray(labels)
    if isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype.kind in "fiub":
        labels = np.unique(labels, return_inverse=True)[1]
    return label_matrix(labels)[0]


class Select(SelectorMixin, BaseEstimator):
    """Keep the k terms with the highest scores.

    Equal scores go to the term that sorts first: by name where names are known (`terms` of `fit`, or the columns of
    a data frame), else by column. Learned: `scores_`, `support_`. A criterion without need of labels takes y = None.

    Parameters
    ----------
    criterion : a name with the number to keep, "chi2:2415", or a name alone, with `k`.
    by : how categories are joined: "max", "avg", "sum", or None for the criterion's own way.
    k : the number of terms to keep, where the name does not say it; k beyond the number of terms keeps all.

    Examples
    --------
    >>> X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 1, 0]])
    >>> Select("chi2:1").fit(X, ["grain", "grain", "gold", "gold"]).get_support().tolist()
    [True, False, False]
    """

    def __init__(self, criterion: str = "chi2:1000", *, by: str | None = None, k: int | None = None) -> None:
        self.criterion = criterion
        self.by = by
        self.k = k

    def fit(self, X: Any, y: Any = None, *, terms: Sequence[str] | None = None) -> Self:
        """Score the terms on a training set and choose."""
        name, k = self._parse()
        if self.by == "each":
            raise InvalidInput(
                "by='each' gives one score per category, not per term; join them by 'max', 'avg' or 'sum'"
            )
        X = validate_data(self, check_sparse_indices(X), accept_sparse="csr", dtype="numeric")
        if y is None and _needs_labels(name):
            raise InvalidInput(f"{name} requires y to be passed, but the target y is None")
        self.scores_ = term_scores(name, X, y, by=self.by)
        names = terms if terms is not None else getattr(self, "feature_names_in_", None)
        self.support_ = _best(self.scores_, k, names)
        return self

    def _parse(self) -> tuple[str, int]:
        name, argument = registry.parse(self.criterion)
        registry.load("selection", name)
        k = self.k if argument is None else argument
        if k is None or not str(k).isdecimal() or int(k) < 1:
            raise InvalidInput(
                f"{self.criterion!r}: say how many terms to keep, 1 or more, as in '{name}:2000' or k=2000"
            )
        return name, int(k)

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = _needs_labels(registry.parse(self.criterion)[0])
        return tags


def _needs_labels(criterion: str) -> bool:
    return getattr(registry.load("selection", criterion), "needs_labels", False)


def _best(scores: Floats, k: int, names: Sequence[str] | None) -> Bools:
    """Return the k terms with the highest scores; of equal scores those that sort first."""
    rank = np.arange(len(scores))
    if names is not None:
        if len(names) != len(scores):
            raise InvalidInput(f"{len(names)} names for {len(scores)} terms; give one name a column")
        rank[np.argsort(np.array(list(names), dtype=object), kind="stable")] = np.arange(len(scores))
    chosen = np.zeros(len(scores), bool)
    chosen[np.lexsort((rank, -scores))[:k]] = True
    return chosen
