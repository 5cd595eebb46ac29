"""Scores of all categories from those of the categories that a classifier knows; nothing of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.folds import score_matrix
from rubricate.types import Floats, Ints, Scores

__all__ = ["LabelColumns"]


class LabelColumns:
    """A fitted classifier that scores some of the categories, among constants for the others; `Aligned` fits it.

    `columns_` are the categories that the classifier was shown, `constants_` the scores of the others.
    """

    form: str
    classifier_: Any
    columns_: Ints
    constants_: Floats

    def decision_function(self, X: Any) -> Floats:
        """Score documents, documents × categories."""
        if self.classifier_ is None:
            return np.tile(self.constants_, (_length(X), 1))
        known = score_matrix(self.classifier_, X)
        known = known[:, self.columns_] if self.shows_all() else self._columns(known)
        scores = np.tile(self.constants_, (len(known), 1))
        scores[:, self.columns_] = known
        return scores

    def finds_best(self, X: Any) -> bool:
        """Return whether the best scores of such documents are found without those of all categories."""
        return False

    def limited(self, X: Any, k: int) -> Scores:
        """Return the k best scores of each document, where `finds_best`."""
        raise NotImplementedError

    def shows_all(self) -> bool:
        """Return whether the columns of the classifier are those of the labels."""
        return False

    def _columns(self, scores: Floats) -> Floats:
        """Return one column for each category shown; two classes have one score, or a probability each."""
        wanted = len(self.columns_)
        if scores.shape[1] == 2 and wanted == 1:
            return scores[:, 1:]
        if scores.shape[1] == 1 and wanted == 2 and self.form == "classes":
            return np.hstack([-scores, scores])
        if scores.shape[1] != wanted:
            raise InvalidInput(
                f"{type(self.classifier_).__name__} gave {scores.shape[1]} scores per document for {wanted} "
                "categories; cuts need one score per category (for SVC: decision_function_shape='ovr')"
            )
        return scores


def _length(X: Any) -> int:
    return int(X.shape[0] if hasattr(X, "shape") else len(X))
