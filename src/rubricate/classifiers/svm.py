"""Parameters of an SVM: checked, and turned into costs and a kernel."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from copy import copy
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if

from rubricate.classifiers.base import BLOCK, Scorer, contributions, strongest
from rubricate.classifiers.linear_scores import linear_scores
from rubricate.classifiers.rows import unit_centroids
from rubricate.classifiers.svm_kernel import Kernel, radius2, solve_kernel
from rubricate.classifiers.svm_linear import Solution, solve_linear, weight_matrix
from rubricate.classifiers.weight_lists import is_worthwhile, lists_of
from rubricate.engines import free_cores
from rubricate.errors import InvalidInput, UnknownName
from rubricate.folds import assign_folds, out_of_fold
from rubricate.native.kernel_svm import KINDS
from rubricate.registry import classifier
from rubricate.types import Bools, Evidence, Floats, Ints, Sparse

__all__ = [
    "PENALTIES",
    "SVM",
    "check_options",
    "class_costs",
    "fit_sigmoids",
    "held_out_scores",
    "make_kernel",
    "sigmoid",
]

PENALTIES = {"free": 0.0, "penalised": 1.0, None: np.inf}
"""The λ of ½ λ b² for each kind of bias."""


def _positive(name: str, value: Any, kind: Any = Real) -> None:
    if not isinstance(value, kind) or isinstance(value, bool) or not 0 < float(value) < np.inf:
        what = "a positive number" if kind is Real else "a positive whole number"
        raise InvalidInput(f"SVM: {name} must be {what}, got {value!r}")


def check_options(svm: Any) -> None:
    """Check the parameters of an SVM; raise what is wrong."""
    if svm.kernel not in KINDS:
        raise UnknownName("kernel", str(svm.kernel), KINDS)
    if svm.bias not in PENALTIES:
        raise InvalidInput(f"SVM: bias must be 'free', 'penalised' or None, got {svm.bias!r}")
    for name in ("C", "tol", "cache_size"):
        _positive(name, getattr(svm, name))
    for name in ("degree", "max_sweeps", *([] if svm.threads is None else ["threads"])):
        _positive(name, getattr(svm, name), Integral)
    if svm.gamma not in ("scale", "auto"):
        _positive("gamma", svm.gamma)
    if not isinstance(svm.centroid, Real) or isinstance(svm.centroid, bool) or not 0 <= float(svm.centroid) < np.inf:
        raise InvalidInput(f"SVM: centroid must be a number of 0 or more, got {svm.centroid!r}")
    if svm.centroid and svm.kernel != "linear":
        raise InvalidInput(f"SVM: centroid={svm.centroid!r} needs the linear kernel, got kernel={svm.kernel!r}")
    if svm.probability not in (False, "sigmoid"):
        raise InvalidInput(f"SVM: probability must be False or 'sigmoid', got {svm.probability!r}")


def make_kernel(svm: Any, X: Any) -> Kernel:
    """Return the kernel with its γ: the parameter, or 1 / (terms · variance of all values of X), or 1 / terms."""
    gamma = svm.gamma
    if gamma == "auto":
        gamma = 1 / X.shape[1]
    elif gamma == "scale":
        cells = X.shape[0] * X.shape[1]
        values = X.data if sparse.issparse(X) else np.ravel(X)
        variance = float((values**2).sum() / cells - (values.sum() / cells) ** 2)
        gamma = 1 / (X.shape[1] * variance) if variance > 0 else 1.0
    return Kernel(svm.kernel, float(gamma), int(svm.degree), float(svm.coef0))


def class_costs(class_weight: Any, classes: Any, labels: Sparse, *, weights: Floats) -> Floats:
    """Return the factors of the cost of negatives and of positives, 2 × categories.

    For a y of two classes `labels` has one column, and each class has its factor. `weights` are those of the documents.
    """
    costs = np.ones((2, labels.shape[1]))
    if class_weight is None:
        return costs
    if class_weight == "balanced":
        inside, total = labels.T @ weights, weights.sum()
        for row, own in ((0, total - inside), (1, inside)):
            costs[row] = np.where(own > 0, total / (2 * np.where(own > 0, own, 1)), 1.0)
        return costs
    if not isinstance(class_weight, Mapping):
        raise InvalidInput(f"SVM: class_weight must be None, 'balanced' or a mapping, got {class_weight!r}")
    known = list(classes)
    for name, factor in class_weight.items():
        if name not in known:
            raise InvalidInput(f"SVM: class_weight names {name!r}, which is not a class of y")
        _positive(f"class_weight[{name!r}]", factor)
        if labels.shape[1] == 1 and len(known) == 2:
            costs[known.index(name), 0] = factor
        else:
            costs[1, known.index(name)] = factor
    return costs


FOLDS = 5


def sigmoid(scores: Floats, parameters: Floats) -> Floats:
    """Return p = 1 / (1 + exp(a s + b)), a and b being the rows of `parameters` (2 × categories)."""
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(parameters[0] * scores + parameters[1]))


def held_out_scores(
    fit: Callable[[Any, Sparse, Floats], Any], X: Any, labels: Sparse, weights: Floats, seed: int
) -> Floats:
    """Return the score of each document from a classifier fitted to the other folds, stratified by category."""

    def work(kept: Ints, held: Ints) -> Floats:
        return fit(X[kept], labels[kept], weights[kept])._score(X[held])

    return out_of_fold(work, assign_folds(labels, min(FOLDS, X.shape[0]), seed=seed), engine="serial")


def _loss(z: Floats, target: Floats, weights: Floats) -> float:
    """Return −Σ t log p + (1 − t) log(1 − p) with p = 1 / (1 + exp z), without overflow."""
    return float(weights @ (np.maximum(z, 0) - z * (1 - target) + np.log1p(np.exp(-np.abs(z)))))


def _fit_sigmoid(scores: Floats, positive: Bools, weights: Floats) -> tuple[float, float]:
    """Fit a and b of Platt's sigmoid by Newton's method with a line search (lin2007), for one category.

    Targets are (n₊ + 1)/(n₊ + 2) and 1/(n₋ + 2), so that neither probability is 0 or 1. The slope a is kept
    at or below 0: where the scores rank the documents the wrong way round, p is constant.
    """
    plus, minus = float(weights @ positive), float(weights @ ~positive)
    target = np.where(positive, (plus + 1) / (plus + 2), 1 / (minus + 2))
    a, b = 0.0, float(np.log((minus + 1) / (plus + 1)))
    loss = _loss(a * scores + b, target, weights)
    for _ in range(100):
        p = 1 / (1 + np.exp(np.clip(a * scores + b, -700, 700)))
        first, second = weights * (target - p), weights * p * (1 - p)
        gradient = np.array([first @ scores, first.sum()])
        if np.abs(gradient).max() < 1e-8 * max(1.0, weights.sum()):
            break
        curve = np.array([[second @ scores**2, second @ scores], [second @ scores, second.sum()]])
        step = -np.linalg.solve(curve + 1e-12 * np.eye(2), gradient)
        length = 1.0
        while length > 1e-10:
            trial = _loss((a + length * step[0]) * scores + b + length * step[1], target, weights)
            if trial < loss + 1e-4 * length * float(gradient @ step):
                break
            length /= 2
        else:
            break
        a, b, loss = a + length * step[0], b + length * step[1], trial
    return (a, b) if a < 0 else (0.0, float(np.log((minus + 1) / (plus + 1))))


def fit_sigmoids(scores: Floats, labels: Sparse, weights: Floats) -> Floats:
    """Fit the sigmoid of every category: its parameters, 2 × categories."""
    positive = sparse.csc_array(labels)
    fitted = [_fit_sigmoid(scores[:, c], positive[:, [c]].toarray()[:, 0], weights) for c in range(scores.shape[1])]
    return np.array(fitted).reshape(-1, 2).T


def _has_probability(svm: SVM) -> bool:
    if svm.probability == "sigmoid":
        return True
    raise AttributeError("SVM gives probabilities only with probability='sigmoid'")


@classifier("svm")
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
        return self.kernel == "linear" and not self._is_mirrored() and is_worthwhile(self.coef_, X)

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
