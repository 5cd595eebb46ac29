"""How a solved SVM responds when one β or one f moves, as long as no document changes its role."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, lapack

from rubricate.kernels.svm_products import mirror
from rubricate.types import Floats

__all__ = ["Responses", "Singles"]

RIDGE = 3e-4
"""Added to K(x, x) of all, as a share of the mean: equal documents would make the system singular.

A smaller ridge loses more to single precision than it saves, a larger one moves the scores: on four categories of
Reuters the largest deviations are .0038 for 3e-5, .0009 for 3e-4, .0031 for 3e-3."""
SPARE = 192
"""Places kept free for documents that come later, so that most rounds need no new table."""

Singles = NDArray[np.float32]


class Responses:
    """The table of `svm_pivots`, from blocks of the kernel matrix.

    F are the documents with 0 < α < C, on which y f = 1, N the others of the working set. A bias penalised by ½λb²
    (λ = 0: free) asks for Σ β = λb. With R = K_FF⁻¹, bordered for the bias as R − zz'/s, z = R1, s = λ + 1'R1:

        β_j + 1, j in N    β on F changes by −λ_j,  f on N by T_j,  b by −c_j
        f_j + 1, j in F    β on F changes by R_j,   f on N by λ[j], b by z_j/s

    where λ_j = R k_j − z c_j, c_j = (1'R k_j − 1)/s, k_j = K_Fj, and T_j = K_Nj − K_NF λ_j − c_j. Without a bias c and
    z/s are zero.
    Cost: F³ + F²N + N²F operations of matrix products, in single precision. N may grow (`add`).

    `table` has a row for each document, those of F first, and the same columns; b is the last. Places not yet taken
    are zero.
    """

    def __init__(self, within: Singles, *, penalty: float = 0.0) -> None:
        self.inside = len(within)
        self.ridge = np.float32(RIDGE * max(float(np.trace(within)) / max(len(within), 1), 1e-30))
        within[np.diag_indices(len(within))] += self.ridge
        root, singular = lapack.spotrf(within.T, lower=0, overwrite_a=1)
        inverse, zero = lapack.spotri(root, lower=0, overwrite_c=1)
        if singular or zero:
            raise LinAlgError("the kernel matrix of the documents with 0 < α < C is singular")
        self._inverse = np.ascontiguousarray(inverse.T)
        mirror(self._inverse)
        z = self._inverse.sum(axis=1)
        self.whole = np.float32(1 / (penalty + z.sum()))
        self.spread = z * self.whole
        if self.whole > 0:
            self._inverse -= np.outer(z, self.spread)
        self.count, self.c = len(within), np.empty(0, np.float32)
        self.table = np.empty((0, 1), np.float32)

    def _make_room(self, more: int) -> None:
        if self.count + more > len(self.table):
            old, used = self.table, self.count
            size = used + more + SPARE
            self.table = np.zeros((size, size + 1), np.float32)
            if len(old):
                self.table[:used, :used], self.table[:used, -1] = old[:used, :used], old[:used, -1]
            else:
                self.table[:used, :used], self.table[:used, -1] = self._inverse, self.spread

    def add(self, across: Singles, between: Singles, own: Singles) -> None:
        """Take further documents into N: their products with F, with N so far, and with each other.

        The blocks are used up. With the bordered R, λ = R K_FN + z/s.
        """
        self._make_room(len(own))
        F, old, new = slice(0, self.inside), slice(self.inside, self.count), slice(self.count, self.count + len(own))
        follow = self.table[F, F] @ across
        follow += self.spread[:, None]
        c = self.spread @ across - self.whole
        own[np.diag_indices(len(own))] += self.ridge
        own -= across.T @ follow
        between -= self.table[F, old].T @ across
        self.table[F, new], self.table[new, F] = follow, -follow.T
        np.subtract(own, c, out=self.table[new, new])
        self.table[old, new] = between - self.c[:, None]
        self.table[new, old] = self.table[old, new].T
        self.table[new, -1] = -c
        self.c, self.count = np.concatenate([self.c, c]), self.count + len(own)

    def settled(self, beta: Floats, scores: Floats, y: Floats, *, b: float) -> Singles:
        """Return β on F, f on N and b, with y f = 1 on F exactly: what the solution lacks there is a response too."""
        lack = (y[: self.inside] - scores[: self.inside]).astype(np.float32)
        start = np.concatenate([beta[: self.inside], scores[self.inside :], [b]]).astype(np.float32)
        return start + lack @ self.table[: self.inside]
