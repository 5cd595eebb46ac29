"""The SVM as SVMlight 3.50 trains it by default."""

from __future__ import annotations

from typing import Any

from rubricate.classifiers.svm.svm import SVM
from rubricate.types import Floats, Sparse

__all__ = ["SVMLightDefault", "default_cost"]


def default_cost(X: Sparse) -> float:
    """Return SVMlight's default C, 1 / mean of x·x over the training documents of a classifier.

    Later versions divide by the squared mean of |x| instead; by tables 4 to 6 of sunlim2001 that was not so in 3.50.

    >>> from scipy import sparse
    >>> default_cost(sparse.csr_array([[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]]))
    0.3333333333333333
    """
    return X.shape[0] / float((X.data**2).sum())


class SVMLightDefault(SVM):
    """An SVM whose C is the default of SVMlight for the documents that it is fitted on."""

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        given, self.C = self.C, default_cost(X)
        try:
            super()._learn(X, labels, weights)
        finally:
            self.C = given
