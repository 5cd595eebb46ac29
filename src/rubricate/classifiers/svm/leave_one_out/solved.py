"""A fitted SVM as its estimators see it: α, ξ, R², bounds and kernel, for the documents it was trained on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone

from rubricate.classifiers.svm.leave_one_out.products import Products
from rubricate.classifiers.svm.solvers.kernel import Kernel, squared_lengths
from rubricate.classifiers.svm.solvers.options import PENALTIES, class_costs
from rubricate.classifiers.svm.solvers.team import ALONE, Team
from rubricate.errors import InvalidInput
from rubricate.kernels.svm_sets import AlphaColumns
from rubricate.labels import indicator
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = ["Side", "SolvedSVMs", "has_dual"]

SHARED, REPEATED = 1 << 27, 0.7
"""Bytes that the products of all documents may take, and the squares of the support vectors of all categories, as a
share of n², from which on they are computed once: to take a product costs a tenth of computing it."""
UNIT, UNEQUAL = 2.0, 1.5
"""Documents are of about length 1 if the mean |x|² is within [1 / UNIT, UNIT], the largest at most UNEQUAL times it."""


class Side(NamedTuple):
    """One category of the SVMs: y = ±1, C and β = yα of each document."""

    y: Floats
    cap: Floats
    beta: Floats

    @property
    def free(self) -> Bools:
        """Where 0 < α < C."""
        return np.asarray((self.beta != 0) & (np.abs(self.beta) < self.cap))


@dataclass(frozen=True, eq=False)
class SolvedSVMs:
    """The SVMs of all categories: documents, labels, α and ξ (documents × categories), costs (2 × categories).

    C of a document is its side's cost times its weight. `free` says whether the bias is free; `shift` is what a
    penalised bias adds to the kernel.
    """

    X: Sparse
    labels: Sparse
    alpha: Sparse
    slack: Sparse
    intercept: Floats
    stable: Bools
    gaps: Floats
    costs: Floats
    weights: Floats
    kernel: Kernel
    free: bool
    shift: float
    radius2: float

    @classmethod
    def of(cls, svm: Any, X: Any, labels: Sparse, *, sample_weight: Any = None) -> SolvedSVMs:
        """Return those of a fitted SVM, or of a copy that is fitted now, with C_i = C · sample weight."""
        labels = indicator(labels)
        if not has_dual(svm):
            raise InvalidInput(
                f"{type(svm).__name__} has no dual variables and slacks; give an SVM, or a method such as "
                "cross_validation"
            )
        if not hasattr(svm, "alpha_"):
            svm = clone(svm).fit(X, labels, sample_weight=sample_weight)
        if svm.alpha_.shape[0] != labels.shape[0]:
            raise InvalidInput(
                f"the SVM was trained on {svm.alpha_.shape[0]} documents and there are {labels.shape[0]} label sets; "
                "give the documents it was trained on, in their order"
            )
        weights = _checked_weights(sample_weight, labels.shape[0])
        own = labels if svm.alpha_.shape[1] == labels.shape[1] else labels[:, [labels.shape[1] - 1]]
        svms = cls(
            X=sparse.csr_array(X, dtype=np.float64),
            labels=own,
            alpha=svm.alpha_,
            slack=svm.slack_,
            intercept=svm.intercept_,
            stable=svm.stable_,
            gaps=svm.primal_ - svm.dual_,
            costs=svm.C * class_costs(svm.class_weight, svm.classes_, own, weights=weights),
            weights=weights,
            kernel=svm.kernel_function(),
            free=svm.bias == "free",
            shift=float(1 / PENALTIES[svm.bias]) if svm.bias == "penalised" else 0.0,
            radius2=float(svm.radius2_),
        )
        return svms if own is labels else svms._mirrored(labels)

    def _mirrored(self, labels: Sparse) -> SolvedSVMs:
        """Return the SVM of a y of two classes as those of both: the first is the second with the other sign."""
        if self.alpha.shape[1] != 1 or labels.shape[1] != 2:
            raise InvalidInput(f"an SVM of {self.alpha.shape[1]} categories and labels of {labels.shape[1]} categories")
        alpha, slack = (sparse.csr_array(sparse.hstack([part, part])) for part in (self.alpha, self.slack))
        return replace(
            self,
            labels=labels,
            alpha=alpha,
            slack=slack,
            intercept=np.array([-self.intercept[0], self.intercept[0]]),
            stable=np.tile(self.stable, 2),
            gaps=np.tile(self.gaps, 2),
            costs=np.hstack([self.costs[::-1], self.costs]),
        )

    def side(self, c: int) -> Side:
        """Return y, C and β = yα of a category's documents."""
        own, alpha = self.own[c], np.zeros(self.X.shape[0])
        _, documents, values = self.columns(np.array([c]))
        alpha[documents] = values
        y, cap = np.where(own, 1.0, -1.0), self.weights * self.costs[own.astype(int), c]
        return Side(y, cap, y * np.minimum(alpha, cap))

    def columns(self, categories: Ints) -> AlphaColumns:
        """Return the α of some categories."""
        alpha = self._alpha if len(categories) == self.alpha.shape[1] else self._alpha[:, categories]
        return AlphaColumns(alpha.indptr.astype(np.int64), alpha.indices.astype(np.int64), alpha.data)

    @cached_property
    def own(self) -> Bools:
        """The documents (columns) of each category (rows)."""
        return np.ascontiguousarray(self.labels.toarray().T, bool)

    def _caps(self, entries: Any) -> Floats:
        """Return C of the documents and categories that a sparse array has entries for."""
        row, column = entries.coords
        caps: Floats = self.weights[row] * self.costs[self.own[column, row].astype(int), column]
        return caps

    @cached_property
    def _alpha(self) -> Any:
        """α by category.

        Σ (C_i − α_i) ξ_i is a part of the duality gap: where it is more, the costs are not those of the training.
        """
        alpha, slack = sparse.csc_array(self.alpha), sparse.coo_array(self.slack)
        alpha.sort_indices()
        part = np.bincount(slack.col, self._caps(slack) * slack.data, minlength=alpha.shape[1]).astype(np.float64)
        part -= np.asarray(alpha.multiply(self.slack).sum(axis=0)).ravel()
        total = np.where(self.own, self.costs[1][:, None], self.costs[0][:, None]) @ self.weights
        if np.any(alpha.data > self._caps(alpha.tocoo()) * (1 + 1e-6)) or np.any(part > 2 * self.gaps + 1e-6 * total):
            raise InvalidInput(
                "α and ξ of the SVM do not fit its C and these weights: it was trained with other sample weights; "
                "give the same as sample_weight="
            )
        return alpha

    @cached_property
    def support_counts(self) -> Ints:
        """How many documents of each category have α > 0."""
        return np.diff(self._alpha.indptr).astype(np.int64)

    @cached_property
    def free_counts(self) -> Ints:
        """How many documents of each category have 0 < α < C."""
        alpha = self._alpha.tocoo()
        free = (alpha.data > 0) & (alpha.data < self._caps(alpha))
        return np.bincount(alpha.col[free], minlength=alpha.shape[1])

    @property
    def penalty(self) -> float:
        """The λ of ½ λ b²: 0 for a free bias, ∞ for none."""
        return 0.0 if self.free else (1 / self.shift if self.shift else np.inf)

    @cached_property
    def squares(self) -> Floats:
        """|x_i|² of each document."""
        return squared_lengths(self.X)

    @cached_property
    def reach2(self) -> Floats:
        """|f(x) − f*(x)|² of each document for a duality gap of 1, at most: 2R² with a free bias, else K(x, x)."""
        if self.free:
            return np.full(self.X.shape[0], 2 * self.radius2)
        return np.asarray(self.kernel.diagonal(self.squares) + self.shift, np.float64)

    @cached_property
    def even(self) -> bool:
        """Whether the documents have about length 1, none much more than the others."""
        lengths = self.squares[self.squares > 0]
        mean = float(lengths.mean()) if len(lengths) else 0.0
        return bool(1 / UNIT <= mean <= UNIT and float(lengths.max()) <= UNEQUAL * mean)

    @cached_property
    def products(self) -> Products:
        """Inner products of the documents, shared by the categories: all of them if categories would repeat most."""
        return self.make_products(ALONE)

    def make_products(self, team: Team) -> Products:
        """Return `products`, made by a team and kept."""
        if "products" not in vars(self):
            n, near = self.X.shape[0], self.support_counts.astype(float)
            shared = 2 * n * n <= SHARED and float((near**2).sum()) >= REPEATED * n * n
            vars(self)["products"] = Products(self.X, shared=shared, team=team)
        return self.products

    @cached_property
    def bound(self) -> float:
        """R²: of K(x, x) − K(x, z) with a free bias, where a constant added to the kernel changes nothing (lemma 2);
        else of K(x, x), with what a penalised bias adds."""
        if self.free:
            return self.radius2
        return float(self.kernel.diagonal(self.squares).max(initial=0.0)) + self.shift


def has_dual(classifier: Any) -> bool:
    """Return whether a classifier is one of our SVMs or gives what they give: α, ξ, R² and a kernel.

    With a centroid in it, the score is no longer that of α.
    """
    return bool(getattr(classifier, "has_dual", False)) and not getattr(classifier, "centroid", 0.0)


def _checked_weights(sample_weight: Any, documents: int) -> Floats:
    weights = np.ones(documents) if sample_weight is None else np.asarray(sample_weight, np.float64)
    if weights.shape != (documents,) or not np.all(np.isfinite(weights) & (weights >= 0)):
        raise InvalidInput(f"sample_weight must be {documents} numbers, one per document, none negative")
    return weights
