"""The transformer that keeps the best terms by a criterion."""

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
from rubricate.matrices import sound
from rubricate.text.occurrences import WAYS, Occurrences
from rubricate.types import Bools, Floats, Sparse

__all__ = ["Select", "term_scores"]


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
        X = validate_data(self, sound(X), accept_sparse="csr", dtype="numeric")
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
