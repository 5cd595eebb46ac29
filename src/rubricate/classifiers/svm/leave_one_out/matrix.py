"""One category retrained by the kernel matrix of all documents."""

from __future__ import annotations

import numpy as np

from rubricate.classifiers.svm.leave_one_out.rows import ACCURACY
from rubricate.classifiers.svm.leave_one_out.solved import SolvedSVMs
from rubricate.errors import InvalidInput
from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_retraining import Demand, leave_out_by_matrix
from rubricate.kernels.svm_smo import Expansion, Goal, KernelCache, KernelForm, KernelMatrix, settle
from rubricate.types import Floats, Ints

__all__ = ["MatrixRetraining", "shared_matrix"]

MEMORY = 1 << 31
"""Bytes that a kernel matrix may take."""
TINY = 300
"""Linear SVMs of so few documents are treated by their matrix too: the tables of the other ways cost more to make."""
SMALL, DENSE = 3000, 0.1
"""So are linear SVMs of up to SMALL documents whose rows are at least so dense: rows are then as long as columns."""
POLISH = 1e-8
"""To what the KKT conditions of the full solution hold before documents are left out: below the last of the levels."""
LEVELS = np.array([1e-2, 1e-4, 1e-7])
"""To what those of a retrained solution hold: the next where the gap does not prove the sign.

The first levels are cheap and the last is safe: of 538 removals from 20 RBF SVMs of 1,500 Reuters documents the first
proved 71 signs with 194 steps, the second 415 with 782, the third 52 with 1,999, on average."""
LIMIT = 1000
"""Steps per document, after which a solution is taken as it is: only badly scaled polynomial kernels need more."""


class MatrixRetraining:
    """The full solution, polished, and what is left when documents are left out of it. Memory: 8 n² bytes, shared."""

    def __init__(self, svms: SolvedSVMs, c: int, gram: Floats) -> None:
        self.svms, self.short = svms, 0
        self.y, self.cap, self.beta = svms.side(c)
        low, high = np.minimum(self.y * self.cap, 0.0), np.maximum(self.y * self.cap, 0.0)
        self._kernel, diagonal = _whole_matrix(gram), np.ascontiguousarray(np.diag(gram))
        dual = Expansion(self.y, low, high, diagonal, self.beta, gram @ self.beta)
        lower, upper, self.steps = settle(self._kernel, dual, Goal(svms.free, POLISH, LIMIT * len(self.y)))
        # The sum of many small steps is not Kβ to the last digit.
        self._dual = dual._replace(f=gram @ self.beta)
        self.full = self._dual.f + 0.5 * (lower + upper)

    def leave_out(self, chosen: Ints, *, exact: bool = False, bars: Floats | None = None) -> tuple[Floats, Ints]:
        """Return the scores of these documents when left out, and how many others are then free.

        With `bars` signs do not matter, and a score below its bar only has to be certain to be so.
        """
        demand = Demand(
            chosen=chosen,
            levels=LEVELS,
            limit=LIMIT * len(self.y),
            reach2=self.svms.reach2,
            accuracy=ACCURACY if exact else np.inf,
            signs=bars is None,
            bars=np.zeros(len(chosen)) if bars is None else bars,
            penalty=0.0 if self.svms.free else np.inf,
        )
        results = leave_out_by_matrix(self._kernel, self._dual, demand)
        self.steps, self.short = self.steps + int(results.steps.sum()), self.short + int(results.short.sum())
        return results.scores, results.free


def shared_matrix(svms: SolvedSVMs) -> Floats | None:
    """Return the kernel matrix of all documents, shared by the categories; None for sparse linear SVMs."""
    n, cells = svms.X.shape[0], svms.X.shape[0] * svms.X.shape[1]
    small = n <= TINY or (n <= SMALL and svms.X.nnz >= DENSE * cells)
    if svms.kernel.name == "linear" and not small:
        return None
    if 8 * n * n > MEMORY:
        raise InvalidInput(
            f"exact leave-one-out of a kernel SVM needs the kernel matrix of all {n} documents, {8 * n * n >> 20} MB; "
            "use xi_alpha or cross_validation, or fewer documents"
        )
    return np.ascontiguousarray(svms.kernel.matrix(svms.X, svms.X) + svms.shift)


def _whole_matrix(gram: Floats) -> KernelMatrix:
    """Return a kernel matrix that is there already as one whose rows are all in the cache."""
    n, none = len(gram), np.empty(0)
    rows, form = Rows(np.zeros(1, np.int64), np.empty(0, np.uint32), none), KernelForm(0, 1.0, 1.0, 0.0, 0.0)
    cache = KernelCache(gram, np.arange(n), np.arange(n), np.zeros(n + 1, np.int64))
    return KernelMatrix(rows, none, form, cache, none)
