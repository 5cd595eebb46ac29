"""Linear scores: what a linear classifier computes, and what a model file needs of it; nothing of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from rubricate.types import Floats

__all__ = ["BLOCK", "LinearScores", "linear_scores"]

BLOCK = 1 << 22
"""Scores that are held in memory at once when documents are scored in blocks."""


def linear_scores(X: Any, weights: Any, intercept: Floats) -> Floats:
    """Return w_c · x + b_c, documents × categories; `weights` are categories × terms, dense or sparse."""
    products = X @ weights.T
    return (products.toarray() if sparse.issparse(products) else np.asarray(products)) + intercept


class LinearScores:
    """The scores of a fitted linear SVM; `SVM` learns them."""

    kernel: str
    coef_: Any
    intercept_: Floats
    n_features_in_: int

    def decision_function(self, X: Any) -> Floats:
        """Return one column of scores for each row of weights; one row stands for two classes."""
        return linear_scores(X, self.coef_, self.intercept_)

    def check_state(self) -> None:
        """Check that the kernel is linear."""
        if self.kernel != "linear":
            raise ValueError(f"the scores of a kernel {self.kernel!r} are not linear")
