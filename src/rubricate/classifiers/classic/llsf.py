"""(AᵀA + λI) Z = B for sparse or dense A with n columns and λ > 0.

Cholesky       n ≤ DENSE: the matrix is formed and factored. Cost n³/3 + 2 n² per column of B.
conjugate      otherwise: conjugate gradients on sixteen columns of B at once, each with its own steps, until every
gradients      residual is within TOLERANCE of its column. Cost per iteration 4 · nonzeros · columns of B, memory four
               arrays of sixteen columns; the number of iterations grows with √(1 + σ₁²/λ). golub2013, section 11.3.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import linalg, sparse

from rubricate.classifiers.base import Scorer, contributions
from rubricate.classifiers.latent import largest_pairs
from rubricate.classifiers.rows import take_columns, used_columns
from rubricate.engines import one_blas_thread
from rubricate.errors import InvalidInput
from rubricate.folds import assign_folds
from rubricate.native.networks import RIDGE_COLUMNS, solve_ridge_columns
from rubricate.native.sparse import Rows
from rubricate.registry import classifier
from rubricate.types import Evidence, Floats, Ints, Sparse

__all__ = ["LLSF", "solve_ridge"]

DENSE = 3000
"""Columns up to which the matrix is factored."""
TOLERANCE = 1e-8
"""Residual over right side at which a column is done."""


def solve_ridge(A: Any, B: Any, ridge: float) -> Floats:
    """Return Z, n × columns of B. A zero column of B gives a zero column of Z."""
    dense = B.toarray() if sparse.issparse(B) else B
    return _by_cholesky(A, dense, ridge) if A.shape[1] <= DENSE else _by_gradients(A, dense, ridge)


def _by_cholesky(A: Any, B: Floats, ridge: float) -> Floats:
    G = A.T @ A
    G = G.toarray() if sparse.issparse(G) else G
    G[np.diag_indices_from(G)] += ridge
    return linalg.cho_solve(linalg.cho_factor(G, lower=True, check_finite=False), B, check_finite=False)


def _by_gradients(A: Any, B: Floats, ridge: float) -> Floats:
    """Solve sixteen columns at a time; compiled code leaves other threads alone."""
    rows, transposed, Z = _rows(A), _rows(A.T), np.empty(B.shape)
    limits = {"tolerance": TOLERANCE, "max_iterations": 10 * A.shape[1]}
    for start in range(0, B.shape[1], RIDGE_COLUMNS):
        part = B[:, start : start + RIDGE_COLUMNS]
        block = np.zeros((B.shape[0], RIDGE_COLUMNS))
        block[:, : part.shape[1]] = part
        solved = solve_ridge_columns(rows, transposed, block, ridge=float(ridge), **limits)
        Z[:, start : start + RIDGE_COLUMNS] = solved[:, : part.shape[1]]
    return Z


def _rows(A: Any) -> Rows:
    matrix = sparse.csr_array(A)
    return Rows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data.astype(np.float64))


MOST = 1000
"""The largest p that `p="tuned"` tries."""
FOLDS = 5
"""`p="tuned"` holds out one of this many parts of the documents."""
LLSF_DENSE = 1 << 28
"""F is kept sparse, with values only for the terms of the training documents, beyond this many numbers."""


@classifier("llsf")
class LLSF(Scorer):
    """F = argmin ‖FA − B‖², restricted to the p largest singular vectors of A; the score of c is (F x)_c.

    A is terms × documents, B categories × documents, 1 where a document has a category. yangliu1999, section 3.3, who
    take p = 500; yang1999 takes 500 and 800. With A = V S Uᵀ, cut after p triplets,

        F = B U S⁻¹ Vᵀ.

    Learned: `coef_` is F, categories × terms (sparse beyond 2^28 numbers); `singular_values_`, descending, and `p_`,
    their number (None with `ridge`); `errors_`, the held-out mean squared error of each p (None unless "tuned").
    A weight counts a document that many times. A term of no training document has weight 0; a category without
    documents has scores 0. For a multi-label y, `predict` takes the scores above 1/2, midway between the targets.
    Cost and method: `numerics/svd.py`, `numerics/ridge.py`; plus memory for F. `seed` decides, the number of
    threads does not.

    Parameters
    ----------
    p : how many; fewer where the rank of A is lower. "tuned" takes the p up to 1000 with the least squared error on a
        fifth of the training documents (stratified by category), all of them judged by one decomposition of the others;
        generalized cross-validation is not used, for among near duplicates, which newswire has, it prefers the largest
        p.
    ridge : λ > 0 solves F = argmin ‖FA − B‖² + λ‖F‖² over all directions instead; p then has no meaning.
    tolerance : ‖AAᵀv − σ²v‖ ≤ tolerance · σ² for each singular vector v. With 1e-3 the scores are within 1e-3 (relative
        Frobenius norm) of the exact ones; on Reuters-21578 within 1e-5.
    seed : of the random start of the decomposition and of the documents held out.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 2.0]])
    >>> Y = np.array([[1, 0], [0, 1], [1, 1]])
    >>> LLSF(p=2).fit(X, Y).coef_.round(3) + 0.0
    array([[1. , 0. ],
           [0. , 0.5]])
    """

    _natural_cut = 0.5

    def __init__(
        self, p: int | str = 500, *, ridge: float | None = None, tolerance: float = 1e-3, seed: int = 0
    ) -> None:
        self.p = p
        self.ridge = ridge
        self.tolerance = tolerance
        self.seed = seed

    def _learn(self, X: Any, labels: Sparse, weights: Floats | None) -> None:
        self._check()
        self.p_: int | None = None
        self.singular_values_: Floats | None = None
        self.errors_: Floats | None = None
        terms = used_columns(X)
        narrow, Y = take_columns(X, terms), sparse.csr_array(labels, dtype=np.float64)
        if weights is not None:
            narrow, Y = _scaled(narrow, np.sqrt(weights)), _scaled(Y, np.sqrt(weights))
        with one_blas_thread():
            F = self._map(narrow, Y, labels)
        self.coef_ = _spread(F, terms, X.shape[1])

    def _map(self, X: Any, Y: Sparse, labels: Sparse) -> Floats:
        if self.ridge is not None:
            return _through_gram(X, Y, lambda A, B: solve_ridge(A, B, float(self.ridge or 0)))
        p = self._tuned(X, Y, labels) if self.p == "tuned" else int(self.p)
        return _through_gram(X, Y, lambda A, B: self._truncated(A, B, p))

    def _truncated(self, A: Any, B: Any, p: int) -> Floats:
        """Return (AᵀA)⁺ B with only the p largest pairs of AᵀA."""
        values, vectors = self._pairs(A, p)
        self.p_, self.singular_values_ = len(values), np.sqrt(values)
        return vectors @ ((B.T @ vectors).T / values[:, None])

    def _pairs(self, A: Any, p: int) -> tuple[Floats, Floats]:
        """Return at most p pairs, without those that are zero up to rounding."""
        wanted = min(p, *A.shape)
        if wanted == 0:
            return np.empty(0), np.empty((A.shape[1], 0))
        values, vectors = largest_pairs(A, wanted, tolerance=self.tolerance, seed=self.seed)
        rank = int(np.sum(values > values[0] * max(A.shape) * np.finfo(np.float64).eps))
        return values[:rank], vectors[:, :rank]

    def _tuned(self, X: Any, Y: Sparse, labels: Sparse) -> int:
        """Return the p with the least squared error on held-out documents, and keep all the errors."""
        if X.shape[0] < 2:
            raise InvalidInput(f'p="tuned" needs 2 documents or more, got {X.shape[0]}; give p as a number')
        part = assign_folds(labels, min(FOLDS, X.shape[0]), seed=self.seed)
        held, kept = np.flatnonzero(part == 0), np.flatnonzero(part != 0)
        along, step = self._directions(X[kept], Y[kept])
        self.errors_ = errors = _errors(X[held] @ along, step, Y[held])
        return int(np.argmin(errors)) + 1 if len(errors) else 1

    def _directions(self, X: Any, Y: Sparse) -> tuple[Floats, Floats]:
        """Return V and S⁻¹UᵀY; with p columns of one and p rows of the other the scores are (x V_p)(S⁻¹UᵀY)_p."""
        if X.shape[1] <= X.shape[0]:
            values, V = self._pairs(X, MOST)
            return V, ((Y.T @ (X @ V)).T) / values[:, None]
        values, U = self._pairs(_turned(X), MOST)
        return (X.T @ U) / np.sqrt(values), (Y.T @ U).T / np.sqrt(values)[:, None]

    def _score(self, X: Any) -> Floats:
        if not sparse.issparse(self.coef_):
            return np.asarray(X @ self.coef_.T)
        terms, F = self._compact()
        return np.asarray(take_columns(X, terms) @ F.T)

    def _compact(self) -> tuple[Ints, Floats]:
        """Return the terms that a sparse F has, and F for them."""
        return self.coef_.indices[: self.coef_.indptr[1]], self.coef_.data.reshape(self.coef_.shape[0], -1)

    def _explain(self, X: Any, category: int, limit: int) -> list[list[Evidence]]:
        """Return the terms by F_ct x_t; together they are the score."""
        if not sparse.issparse(self.coef_):
            return contributions(X, self.coef_[category], limit)
        terms, F = self._compact()
        return contributions(take_columns(X, terms), F[category], limit, columns=terms)

    def _check(self) -> None:
        if self.p != "tuned" and not (isinstance(self.p, Integral) and self.p >= 1):
            raise InvalidInput(f'LLSF: p must be an integer from 1 on or "tuned", got {self.p!r}')
        if self.ridge is not None and not (isinstance(self.ridge, Real) and 0 < self.ridge < np.inf):
            raise InvalidInput(f"LLSF: ridge must be None or a number above 0, got {self.ridge!r}")
        if not (isinstance(self.tolerance, Real) and 0 < self.tolerance < 1):
            raise InvalidInput(f"LLSF: tolerance must lie between 0 and 1, got {self.tolerance!r}")


def _turned(X: Any) -> Any:
    return X.T.tocsr() if sparse.issparse(X) else X.T


def _scaled(X: Any, factors: Floats) -> Any:
    return sparse.csr_array(sparse.diags_array(factors) @ X) if sparse.issparse(X) else X * factors[:, None]


def _through_gram(X: Any, Y: Sparse, solve: Any) -> Floats:
    """Return Fᵀ by the shorter side of X: (XᵀX)⁺ XᵀY or Xᵀ (XXᵀ)⁺ Y."""
    if X.shape[1] <= X.shape[0]:
        return solve(X, X.T @ Y)
    turned = _turned(X)
    return turned @ solve(turned, Y)


def _errors(along: Floats, step: Floats, Y: Sparse) -> Floats:
    """Return the mean squared error of along[:, :p] @ step[:p] against Y, for every p at once.

    The squared norm of the scores is the sum of the leading p × p block of (alongᵀ along) ∘ (step stepᵀ).
    """
    block = (along.T @ along) * (step @ step.T)
    norms = np.diagonal(block.cumsum(axis=0).cumsum(axis=1))
    meets = np.cumsum(((Y.T @ along).T * step).sum(axis=1))
    return ((Y.data**2).sum() - 2 * meets + norms) / max(1, Y.shape[0] * Y.shape[1])


def _spread(F: Floats, terms: Ints, columns: int) -> Any:
    """Return F as categories × all columns: an array, or a sparse matrix in which every row has the same terms."""
    categories = F.shape[1]
    if columns * categories > LLSF_DENSE:
        starts = np.arange(categories + 1) * len(terms)
        return sparse.csr_array((F.T.ravel(), np.tile(terms, categories), starts), shape=(categories, columns))
    if len(terms) == columns:
        return F.T
    full = np.zeros((columns, categories))
    full[terms] = F
    return full.T
