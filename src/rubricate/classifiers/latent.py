"""The p largest singular values of a matrix and the singular vectors of its shorter side.

X = U S Vᵀ, documents × terms. With A = X or Xᵀ, whichever has fewer columns (n of them), the vectors are those of the
Gram matrix G = AᵀA, and the values the square roots of its own.

dense     n ≤ DENSE · p: G is formed and LAPACK finds its p largest pairs. Cost 4/3 n³.
Lanczos   otherwise. From a random block of BLOCK vectors, an orthonormal basis Q of the Krylov space of G is built
          block by block (three-term recurrence and one pass of full reorthogonalization, all of it matrix products);
          the pairs of the block tridiagonal T = QᵀGQ with the p largest values are the answer once
              ‖G v − λ v‖ ≤ tolerance · λ   for each of them,
          which needs no product with G: the left side is ‖R s‖, s the last rows of T's vector and R the block below T.
          k = 2p to 3p columns on text. Cost 2 n k² + 4/3 k³ + 4 k nonzeros, memory n k single precision numbers.

golub1977, section 3; the residual bound is parlett1998, section 13.2. A space that is exhausted before p vectors
(X has a lower rank) is continued by directions outside it, so that equal and zero values are found as well.

Lanczos works in single precision, whose errors are about 1e-7 of the largest λ, and once more in double where the
p-th λ is below NARROW of the first. The start block comes from `seed`; the sign of a vector means nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from rubricate.classifiers.rows import binary_scale, take_columns, used_columns
from rubricate.engines import one_blas_thread
from rubricate.types import Floats, Sparse

__all__ = ["directions", "largest_pairs"]

DENSE = 3
"""Columns per wanted pair up to which the Gram matrix is decomposed as a whole."""
BLOCK = 16
"""Vectors per step of Lanczos."""
NARROW = 1e-3
"""Below this share of the largest value, single precision is not enough and double precision is used."""
FIRST, GROWTH = 2.0, 1.12
"""Columns per wanted pair at the first look at T, and the factor from one look to the next."""
SHARE = 0.7
"""A basis of this share of all columns costs more than the dense method, which is then used."""
EXHAUSTED = 1e-4
"""Of the largest diagonal entry of T: a new direction below it is rounding."""


def largest_pairs(A: Any, p: int, *, tolerance: float = 1e-3, seed: int = 0) -> tuple[Floats, NDArray[Any]]:
    """Return the p largest eigenvalues of AᵀA, descending, with vectors as columns. A dense or csr, p ≤ columns."""
    columns = A.shape[1]
    if columns <= max(DENSE * p, 4 * BLOCK):
        return _descending(*_of_dense(_gram(A), p))
    values, vectors = _lanczos(A.astype(np.float32), p, tolerance=tolerance, seed=seed)
    if values[0] < NARROW * values[-1]:
        values, vectors = _lanczos(A, p, tolerance=tolerance, seed=seed)
    return _descending(values, vectors)


def _gram(A: Any) -> Floats:
    G = A.T @ A
    return G.toarray() if sparse.issparse(G) else G


def _of_dense(G: NDArray[Any], p: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the p largest pairs of a symmetric matrix, ascending."""
    n = len(G)
    return linalg.eigh(G, subset_by_index=(n - p, n - 1), driver="evr", check_finite=False)


def _descending(values: NDArray[Any], vectors: NDArray[Any]) -> tuple[Floats, NDArray[Any]]:
    return np.maximum(values[::-1], 0.0).astype(np.float64), vectors[:, ::-1]


def _lanczos(A: Any, p: int, *, tolerance: float, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    space, look = _Krylov(A, seed), FIRST * p
    while space.size < SHARE * A.shape[1]:
        space.extend()
        if space.size >= look:
            values, S, residual = space.pairs(p)
            least = np.finfo(A.dtype).eps * values[-1]
            if np.all(residual <= tolerance * np.maximum(values, least)):
                return values, space.basis.T @ S
            look = GROWTH * space.size
    return _of_dense(_gram(A.astype(np.float64)), p)


class _Krylov:
    """An orthonormal basis of the Krylov space of AᵀA, as rows Q; T = Q AᵀA Qᵀ; and what follows the last block."""

    def __init__(self, A: Any, seed: int) -> None:
        self._A, self._At = A, A.T.tocsr() if sparse.issparse(A) else A.T
        self._rows = np.empty((8 * BLOCK, A.shape[1]), A.dtype)
        self._T = np.zeros((8 * BLOCK, 8 * BLOCK), A.dtype)
        self._next = np.linalg.qr(np.random.default_rng(seed).standard_normal((A.shape[1], BLOCK)))[0]
        self._below = np.zeros((BLOCK, BLOCK), A.dtype)
        self.size = 0

    @property
    def basis(self) -> NDArray[Any]:
        return self._rows[: self.size]

    def extend(self) -> None:
        """Add the next block and find the one after it."""
        old, new = self.size, self.size + BLOCK
        self._make_room(new)
        self._rows[old:new] = self._next.T
        if old:
            self._T[old:new, old - BLOCK : old] = self._below
            self._T[old - BLOCK : old, old:new] = self._below.T
        self.size = new
        W = np.ascontiguousarray((self._At @ (self._A @ np.ascontiguousarray(self._rows[old:new].T))).T)
        inner = self._orthogonalize(W)
        self._T[old:new, old:new] = (inner + inner.T) / 2
        self._next, self._below = self._split(W)

    def pairs(self, p: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return the p largest eigenvalues of T, ascending, their vectors, and the norm of each residual."""
        values, S = _of_dense(self._T[: self.size, : self.size], p)
        return values, S, np.linalg.norm(self._below @ S[-BLOCK:], axis=0)

    def _orthogonalize(self, W: NDArray[Any]) -> NDArray[Any]:
        """Remove from W what lies in the basis, the two last blocks first; return the part along the last block."""
        near = self.basis[-2 * BLOCK :]
        first = W @ near.T
        W -= first @ near
        second = W @ self.basis.T
        W -= second @ self.basis
        return first[:, -BLOCK:] + second[:, -BLOCK:]

    def _split(self, W: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Split Wᵀ = q r; where W adds fewer directions than it has rows, fill q up from outside the basis."""
        q, r = np.linalg.qr(W.T)
        if np.abs(np.diagonal(r)).min() > EXHAUSTED * np.diagonal(self._T).max():
            return q, r
        for _ in range(2):
            q = np.linalg.qr(q - self.basis.T @ (self.basis @ q))[0]
        return q, q.T @ W.T

    def _make_room(self, size: int) -> None:
        old = len(self._rows)
        if size <= old:
            return
        rows, T = (
            np.empty((2 * old, self._rows.shape[1]), self._rows.dtype),
            np.zeros((2 * old, 2 * old), self._T.dtype),
        )
        rows[:old], T[:old, :old] = self._rows, self._T
        self._rows, self._T = rows, T


def directions(X: Sparse, size: int, *, weights: Floats | None = None, seed: int = 0) -> Floats:
    """Return at most `size` vectors as columns, those of the largest singular values first; documents count by weight.

    A term of no document has 0. Beyond the rank of X columns are zero; there is always one column. The largest entry
    of each vector is positive, since a decomposition leaves the sign open. Cost: `svd.py`, on the shorter side.
    """
    terms = used_columns(X)
    A = take_columns(X if weights is None else sparse.csr_array(X * np.sqrt(weights)[:, None]), terms)
    vectors = np.zeros((X.shape[1], max(1, min(size, *A.shape))))
    if len(terms):
        with one_blas_thread():
            vectors[terms] = _right(A / binary_scale(A.data), min(size, *A.shape), seed)
    at = np.argmax(np.abs(vectors), axis=0)
    return vectors * np.where(vectors[at, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)


def _right(A: Sparse, size: int, seed: int) -> Floats:
    """Return the right singular vectors: V of AᵀA, or AᵀU S⁻¹ from the other side."""
    tall = A.shape[1] <= A.shape[0]
    shorter = A if tall else sparse.csr_array(A.T)
    values, vectors = largest_pairs(shorter, size, seed=seed)
    real = values > values[0] * max(A.shape) * np.finfo(np.float64).eps
    if tall:
        return vectors * real
    return (shorter @ vectors) * np.divide(1.0, np.sqrt(values), out=np.zeros(len(values)), where=real)
