"""Support vector machines for all categories of a corpus at once: linear, polynomial and RBF kernels."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from copy import copy
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if

from rubricate.classifiers.base.evidence import contributions, strongest
from rubricate.classifiers.base.linear import linear_scores
from rubricate.classifiers.base.scorer import BLOCK, Scorer
from rubricate.classifiers.numerics.matrices import unit_centroids
from rubricate.classifiers.numerics.weight_lists import lists_of, pays
from rubricate.classifiers.svm.solvers.kernel import Kernel, radius2, solve_kernel
from rubricate.classifiers.svm.solvers.linear import Solution, solve_linear, weight_matrix
from rubricate.classifiers.svm.solvers.options import PENALTIES, check_options, class_costs, make_kernel
from rubricate.classifiers.svm.solvers.sigmoid import fit_sigmoids, held_out_scores, sigmoid
from rubricate.engines import free_cores
from rubricate.types import Evidence, Floats, Sparse

__all__ = ["SVM"]


def _has_probability(svm: SVM) -> bool:
    if svm.probability == "sigmoid":
        return True
    raise AttributeError("SVM gives probabilities only with probability='sigmoid'")


class SVM(Scorer):
    """Soft-margin support vector machines, one per category (yangliu1999, section 3.1; joachims2000, section 2).

    For each category, with y = ±1, costs C_i and a kernel with feature map φ:

        min over w, b   ½ w·w + ½ λ b² + Σ C_i ξ_i      with  y_i (w·φ(x_i) + b) >= 1 − ξ_i,  ξ_i >= 0
        max over α      Σ α_i − ½ Σ α_i α_j y_i y_j K(x_i, x_j) − (Σ y_i α_i)² / 2λ      with  0 <= α_i <= C_i

    and C_i = C · sample weight · class weight. λ is 0 for `bias="free"` (as LIBSVM and the papers; Σ y_i α_i = 0),
    1 for "penalised" (as LIBLINEAR), and there is no b for None. The score is w·φ(x) + b, and with `centroid` γ,
    w·x + b + γ m·x/|m|, where m is the sum of the category's documents: an SVM of one or two documents knows little
    more than that they exist, and m says what they are about.

    Linear SVMs are solved by coordinate descent on working sets, with passes over all documents for eight categories at
    once (native/linear_svm.c), others by sequential minimal optimisation with a kernel cache that categories share
    (native/kernel_svm.c). Each category ends when its relative duality gap, (primal − dual) / primal, is at most `tol`.
    The result does not depend on `threads`.

    Cost: linear SVMs of 90 categories and 7,770 documents take about .2 s; a kernel SVM up to documents² kernel values.

    Parameters
    ----------
    C : cost of an error.
    kernel : "linear" x·z, "poly" (γ x·z + coef0)^degree, "rbf" exp(−γ |x − z|²).
    bias : "free", "penalised" or None.
    degree, gamma, coef0 : of the kernels; gamma "scale" is 1 / (terms · variance of X), "auto" 1 / terms.
    class_weight : None; "balanced" (n / 2n₊ for the documents of a category, n / 2n₋ for the others); or a mapping from
        class to the factor for its documents, against 1 for the others (for a y of two classes, both factors count).
    centroid : γ, 0 for the SVM as it is. Linear kernel only; what α and ξ say (`xi_alpha`) then no longer holds.
    tol : relative duality gap of each category.
    max_sweeps : passes over a category's documents before it is given up with a ConvergenceWarning.
    probability : "sigmoid" fits Platt's sigmoid to scores of five held-out folds and adds `predict_proba`.
    threads : number of threads, None for as many as there are cores.
    cache_size : megabytes for rows of the kernel matrix.
    seed : of the order in which documents are visited, and of the folds.

    Attributes
    ----------
    alpha_, slack_ : α and ξ, sparse, documents × categories.
    radius2_ : R² >= K(x, x) − K(x, z) for all documents, the same for every category.
    stable_ : whether a category has some 0 < α_i < C_i (joachims2000, definition 1).
    intercept_, primal_, dual_, sweeps_ : bias, objective values and passes, one per category.
    coef_ : weights, categories × terms (linear only); sparse where dense would have more than 2²⁵ entries.
    support_, support_vectors_, dual_coef_ : rows with α > 0 in any category, their vectors, and yα (other kernels).
    sigmoid_ : 2 × categories, with `probability="sigmoid"`.

    Edge cases: a row of zeros has score b and may still be a support vector. A category without documents, or with
    all of them (by weight), has nothing to separate: its score is −1 (or 1) for every document, α = 0, and it is
    not stable. Equal documents with opposite labels end at the bound. Negative values are fine; NaN is an error.

    >>> from scipy import sparse
    >>> X = sparse.csr_array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [-1.0, 0.0]])
    >>> svm = SVM(C=10, tol=1e-9).fit(X, ["wheat", "wheat", "ship", "ship"])
    >>> svm.predict(X).tolist()
    ['wheat', 'wheat', 'ship', 'ship']
    >>> svm.alpha_.sum(axis=0).round(6).tolist(), bool(svm.stable_[0])
    ([5.0], True)
    """

    _mirrored = True
    has_dual = True
    """It has α and ξ of its training documents, from which `xi_alpha` and `leave_one_out` follow without retraining."""

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: Literal["linear", "poly", "rbf"] = "linear",
        bias: Literal["free", "penalised"] | None = "free",
        degree: int = 3,
        gamma: float | Literal["scale", "auto"] = "scale",
        coef0: float = 0.0,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        centroid: float = 0.0,
        tol: float = 1e-3,
        max_sweeps: int = 5000,
        probability: Literal[False, "sigmoid"] = False,
        threads: int | None = None,
        cache_size: float = 500,
        seed: int = 0,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.bias = bias
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.class_weight = class_weight
        self.centroid = centroid
        self.tol = tol
        self.max_sweeps = max_sweeps
        self.probability = probability
        self.threads = threads
        self.cache_size = cache_size
        self.seed = seed

    @available_if(_has_probability)
    def predict_proba(self, X: Any) -> Floats:
        """Return P(category | document); for a one-dimensional y the classes of each document sum to 1."""
        chance = sigmoid(self._score(self._take_vectors(X)), self.sigmoid_)
        if self.multilabel_:
            return chance
        if len(self.classes_) == 2:
            return np.column_stack([1 - chance[:, 0], chance[:, 0]])
        total = chance.sum(axis=1, keepdims=True)
        return np.where(total > 0, chance / np.where(total > 0, total, 1), 1 / len(self.classes_))

    def finds_best(self, X: Any) -> bool:
        """Tell whether the best categories of such documents are found without the scores of all."""
        return self.kernel == "linear" and not self._is_mirrored() and pays(self.coef_, X)

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        check_options(self)
        weights = np.ones(X.shape[0]) if weights is None else weights
        costs = self.C * class_costs(self.class_weight, self.classes_, labels, weights=weights)
        rows, kernel = sparse.csr_array(X), make_kernel(self, X)
        solution = self._solve(rows, labels, kernel, weights=weights, costs=costs)
        self._store(solution)
        self.stable_, self.gamma_ = _has_free(solution.beta, weights, costs), kernel.gamma
        self.radius2_ = radius2(rows, kernel)
        if self.kernel == "linear":
            self.coef_ = weight_matrix(rows, solution.beta)
            self._add_centroids(rows, labels, weights)
        else:
            self.support_ = np.flatnonzero(np.diff(self.alpha_.indptr))
            self.support_vectors_ = X[self.support_]
            self.dual_coef_ = sparse.csr_array(solution.beta.T)[:, self.support_]
        if self.probability:
            self.sigmoid_ = self._fit_sigmoids(X, labels, weights)

    def _solve(self, rows: Sparse, labels: Sparse, kernel: Kernel, *, weights: Floats, costs: Floats) -> Solution:
        """Return the optimum of every category; if all documents are on one side, β = 0 and the bias is ±1."""
        inside, total = labels.T @ weights, weights.sum()
        categories = np.flatnonzero((inside > 0) & (inside < total))
        options: dict[str, Any] = {"weights": weights, "costs": costs, "penalty": PENALTIES[self.bias], "tol": self.tol}
        options |= {"max_sweeps": self.max_sweeps, "threads": self.threads or free_cores()}
        if self.kernel == "linear":
            solution = solve_linear(rows, labels, categories, seed=self.seed, **options)
        else:
            options |= {"kernel": kernel, "cache_size": self.cache_size}
            solution = solve_kernel(rows, labels, categories, **options)
        solution.bias[inside >= total] = 1.0
        solution.bias[inside <= 0] = -1.0
        return solution

    def trained_as(self, plain: SVM, X: Any, y: Any) -> Self:
        """Return a fitted copy, given an SVM fitted on these documents that differs only in that `centroid` is 0."""
        svm = copy(plain)
        svm.centroid = self.centroid
        labels = svm._take_labels(y, X.shape[0])
        svm._add_centroids(sparse.csr_array(X), labels, np.ones(X.shape[0]))
        return svm

    def _add_centroids(self, rows: Sparse, labels: Sparse, weights: Floats) -> None:
        """Add γ m/|m| to the weights of each category that has something to separate.

        Of two classes the score of one is that of the other with the other sign: it gets the difference of both.
        """
        if not self.centroid:
            return
        inside = labels.T @ weights
        separates = (inside > 0) & (inside < weights.sum())
        factors = np.where(separates, float(self.centroid), 0.0)
        centroids = sparse.diags_array(factors) @ unit_centroids(rows, labels, weights)
        if self._is_mirrored():
            others = sparse.csr_array(~labels.toarray())
            centroids = centroids - sparse.diags_array(factors) @ unit_centroids(rows, others, weights)
        total = self.coef_ + centroids
        self.coef_ = sparse.csr_array(total) if sparse.issparse(self.coef_) else np.asfortranarray(total)

    def _store(self, solution: Solution) -> None:
        self.alpha_, self.slack_ = sparse.csr_array(solution.beta), sparse.csr_array(solution.slack)
        np.abs(self.alpha_.data, out=self.alpha_.data)
        self.intercept_, self.primal_, self.dual_ = solution.bias, solution.primal, solution.dual
        self.sweeps_ = solution.sweeps
        short = np.flatnonzero(self.primal_ - self.dual_ > self.tol * self.primal_)
        if len(short):
            worst = float(np.max((self.primal_ - self.dual_)[short] / self.primal_[short]))
            warnings.warn(
                f"{len(short)} of {len(self.primal_)} SVMs end with a relative duality gap above tol={self.tol:g} ("
                f"worst {worst:.1e}); raise max_sweeps={self.max_sweeps}, lower C or scale the vectors to length 1",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _score(self, X: Any) -> Floats:
        if self.kernel == "linear":
            return linear_scores(X, self.coef_, self.intercept_)
        kernel, rows = self.kernel_function(), max(1, BLOCK // max(1, len(self.support_)))
        scores = np.empty((X.shape[0], len(self.intercept_)))
        for start in range(0, X.shape[0], rows):
            part = slice(start, start + rows)
            scores[part] = (self.dual_coef_ @ kernel.matrix(X[part], self.support_vectors_).T).T
        return scores + self.intercept_

    def _k_best(self, X: Any, k: int) -> Sparse:
        if not self.finds_best(X):
            return super()._k_best(X, k)
        return lists_of(self, self.intercept_).best(X, k, threads=self.threads)

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """Return the terms by w_t x_t; with other kernels the support vectors by y α K(x, x_i), named by their row."""
        sign, column = (2 * category - 1, 0) if self._is_mirrored() else (1, category)
        if self.kernel == "linear":
            weights = self.coef_[[column]]
            dense = weights.toarray() if sparse.issparse(weights) else weights
            return contributions(X, sign * dense[0], limit)
        parts = self.kernel_function().matrix(X, self.support_vectors_) * self.dual_coef_[[column]].toarray()
        return [strongest(self.support_, sign * row, limit, kind="document", detail="support vector") for row in parts]

    def kernel_function(self) -> Kernel:
        """Return the kernel with the γ that was learned."""
        return Kernel(self.kernel, self.gamma_, self.degree, self.coef0)

    def _fit_sigmoids(self, X: Any, labels: Sparse, weights: Floats) -> Floats:
        def fit(part: Any, own: Sparse, own_weights: Floats) -> Any:
            svm = clone(self).set_params(probability=False)
            svm.classes_, svm.multilabel_ = self.classes_, self.multilabel_
            svm._learn(part, own, own_weights)
            return svm

        return fit_sigmoids(held_out_scores(fit, X, labels, weights, self.seed), labels, weights)


def _has_free(beta: sparse.csc_array, weights: Floats, costs: Floats) -> Any:
    """Return whether each category has a document with 0 < α < C."""
    category = np.repeat(np.arange(beta.shape[1]), np.diff(beta.indptr))
    caps = weights[beta.indices] * costs[(beta.data > 0).astype(int), category]
    return np.bincount(category, np.abs(beta.data) < caps, minlength=beta.shape[1]) > 0
