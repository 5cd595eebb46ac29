"""Exact leave-one-out of one SVM: which documents are in doubt, the working set, and rounds of `leave_out`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rubricate.classifiers._svm_kernel import squared_lengths
from rubricate.errors import InvalidInput
from rubricate.estimation._machines import Machines
from rubricate.kernels.svm_leave_one_out import leave_out, settle
from rubricate.types import Bools, Floats, Ints

__all__ = ["Left", "leave_one_out_scores"]

BAND = 0.05
"""Documents so far beyond the margin are in the working set from the start."""
POLISH = 1e-7
"""To what the KKT conditions of the full solution hold before documents are left out."""
LEVELS = np.array([1e-3, 1e-5, 1e-8])
SAFETY = 0.02
"""How much the condition is widened, for what the solution lacks of the optimum."""
FEW = 10
"""Where a solution has so few documents with 0 < α < C, that of a retraining may have none: all are re-solved."""
MEMORY = 1 << 31
"""Bytes that the kernel matrix of a working set may take."""
LIMIT = 1000
"""Steps a document of the working set, after which a solution is taken as it is."""


@dataclass(frozen=True, eq=False)
class Left:
    """The leave-one-out scores of one category.

    `score`, where `solved` or α = 0, is that of the retrained SVM; elsewhere of the full one, whose decision the
    retrained one shares. `unstable` marks retrained solutions without 0 < α < C. `full` are the scores of all.
    """

    score: Floats
    full: Floats
    solved: Bools
    unstable: Bools
    steps: int


class _Category:
    """One category's problem over all documents, and its working set."""

    def __init__(self, found: Machines, c: int, gram: Floats | None) -> None:
        self.found, self.gram, n = found, gram, found.labels.shape[0]
        inside = found.labels[:, [c]].toarray()[:, 0]
        self.y = np.where(inside, 1.0, -1.0)
        cap = found.costs[inside.astype(int), c]
        self.low, self.high = np.where(inside, 0.0, -cap), np.where(inside, cap, 0.0)
        alpha = found.alpha[:, [c]].toarray()[:, 0]
        self.beta = self.y * np.minimum(alpha, cap)
        self.score = self._scores()
        bias = float(found.intercept[c]) if found.free else 0.0
        near = (self.beta != 0) | (self.y * (self.score + bias) < 1 + BAND)
        self.rows = np.arange(n) if gram is not None else np.flatnonzero(near)
        self.interval = (bias, bias)
        self.steps = 0

    def _scores(self) -> Floats:
        """f without bias of all documents."""
        if self.gram is not None:
            return np.asarray(self.gram @ self.beta)
        w = self.found.X.T @ self.beta
        return np.asarray(self.found.X @ w) + self.found.shift * self.beta.sum()

    def kernel(self) -> Floats:
        """The kernel matrix of the working set."""
        if self.gram is not None:
            return self.gram
        k = len(self.rows)
        if 8 * k * k > MEMORY:
            raise InvalidInput(
                f"exact leave-one-out needs the kernel matrix of {k} documents near the margin, {8 * k * k >> 20} MB; "
                "use xi_alpha or cross_validation, or fewer documents"
            )
        part = self.found.X[self.rows]
        return self.found.kernel.matrix(part, part) + self.found.shift

    def polish(self) -> Floats:
        """Solve with all documents until none outside the working set violates its margin; its kernel matrix."""
        while True:
            K, rows = self.kernel(), self.rows
            y, low, high, beta, f = self._parts(rows)
            lower, upper, steps = settle(
                K, np.ascontiguousarray(np.diag(K)), y, low, high, beta, f, self.found.free, POLISH, LIMIT * len(rows)
            )
            self.beta[rows], self.interval, self.steps = beta, (lower, upper), self.steps + steps
            self.score = self._scores()
            margin = np.minimum(self.y * (self.score + lower), self.y * (self.score + upper))
            outside = np.setdiff1d(np.flatnonzero(margin < 1 - 1e-6), rows)
            if not len(outside):
                return K
            self.rows = np.union1d(rows, outside)

    def _parts(self, rows: Ints) -> tuple[Floats, ...]:
        parts = (self.y, self.low, self.high, self.beta, self.score)
        return tuple(np.ascontiguousarray(part[rows]) for part in parts)

    def free_rows(self) -> int:
        return int(((self.low < self.beta) & (self.beta < self.high) & (self.beta != 0)).sum())

    def doubtful(self, every: bool) -> Ints:
        """The documents whose decision a retraining may change.

        Free bias: 2 α_i R² + ξ_i >= 1 (joachims2000, lemma 1), or any α_i > 0 where few are free, or all where none
        is. Else: α_i K(x_i, x_i) >= y_i f(x_i).
        """
        alpha, margin = np.abs(self.beta), self.y * (self.score + sum(self.interval) / 2)
        if self.found.free and self.free_rows() == 0:
            return np.arange(len(alpha))
        if every or (self.found.free and self.free_rows() <= FEW):
            return np.flatnonzero(alpha > 0)
        if self.found.free:
            return np.flatnonzero((alpha > 0) & (2 * alpha * self.found.radius2 >= margin - SAFETY))
        own = self.found.kernel.diagonal(squared_lengths(self.found.X)) + self.found.shift
        return np.flatnonzero((alpha > 0) & (alpha * own >= margin - SAFETY))

    def leave_out(self, chosen: Ints, K: Floats) -> tuple[Floats, Ints, Bools]:
        """Scores of the chosen documents when left out, how many rows are then free, and which to solve again.

        The working set grows by the documents that some retraining brings to the margin.
        """
        X, rows = self.found.X, self.rows
        place = np.full(len(self.y), -1)
        place[rows] = np.arange(len(rows))
        outside = np.flatnonzero(place < 0)
        found, steps, free = np.empty(len(chosen)), np.zeros(len(chosen), np.int64), np.zeros(len(chosen), np.int64)
        hit, again = np.zeros(len(outside), np.bool_), np.zeros(len(chosen), np.bool_)
        y, low, high, beta, f = self._parts(rows)
        lengths = np.sqrt(squared_lengths(X) + self.found.shift)
        leave_out(
            K, y, low, high, beta, f, self.found.free, self.found.shift, place[chosen], LEVELS, LIMIT * len(rows),
            X.indptr.astype(np.int64), X.indices.astype(np.uint32), X.data, lengths, self.y, rows.astype(np.int64),
            outside, self.score, X.shape[1], found, steps, free, hit, again,
        )  # fmt: skip
        self.steps += int(steps.sum())
        self.rows = np.union1d(rows, outside[hit])
        return found, free, again


def leave_one_out_scores(found: Machines, c: int, *, gram: Floats | None = None, every: bool = False) -> Left:
    """The score of every document by the SVM of category c trained without it.

    `gram` is the whole kernel matrix, for kernels that are not linear; `every` re-solves all support vectors.
    A document that is alone on its side leaves nothing to separate: the score is that of the other side, ∓1.
    """
    held, n = int(found.labels[:, [c]].sum()), found.labels.shape[0]
    one = _Category(found, c, gram)
    if held in (0, n):
        constant = np.full(n, found.intercept[c])
        return Left(constant, constant, np.zeros(n, np.bool_), np.zeros(n, np.bool_), 0)
    K = one.polish()
    full = one.score + sum(one.interval) / 2
    score, solved, unstable = full.copy(), np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    lonely = np.flatnonzero(one.y == (1.0 if held == 1 else -1.0)) if held in (1, n - 1) else np.empty(0, np.int64)
    score[lonely], solved[lonely] = -one.y[lonely], True
    left: Any = np.setdiff1d(one.doubtful(every), lonely)
    while len(left):
        missing = np.setdiff1d(left, one.rows)
        if len(missing) or len(K) != len(one.rows):
            one.rows = np.union1d(one.rows, missing)
            K = one.kernel()
        values, free, again = one.leave_out(left, K)
        done = left[~again]
        score[done], solved[done], unstable[done] = values[~again], True, free[~again] == 0
        left = left[again]
    return Left(score, full, solved, unstable & found.free, one.steps)
