"""Exact leave-one-out of one SVM: which documents are in doubt, and their retraining by matrix, pivots or rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rubricate.classifiers.svm.leave_one_out.machines import Machines
from rubricate.classifiers.svm.leave_one_out.pivots import ByPivots, suits
from rubricate.classifiers.svm.leave_one_out.rows import ACCURACY, ByRows
from rubricate.kernels.svm_leave_one_out import leave_out, settle
from rubricate.types import Bools, Floats, Ints

__all__ = ["Left", "leave_one_out_scores"]

POLISH = 1e-8
"""To what the KKT conditions of the full solution hold before documents are left out."""
LEVELS = np.array([1e-2, 1e-4, 1e-7])
"""To what those of a retrained solution hold: the next where the sign of the score is not certain for this one."""
SAFETY = 0.02
"""How much the conditions are widened, for what the solution lacks of the optimum."""
FEW = 10
"""Where a solution has so few documents with 0 < α < C, that of a retraining may have none: all are re-solved."""
LIMIT = 1000
"""Steps a document, after which a solution is taken as it is."""


@dataclass(frozen=True, eq=False)
class Left:
    """The leave-one-out scores of one category.

    `score`, where `solved` or α = 0, is that of the retrained SVM; elsewhere of the full one, whose decision the
    retrained one shares. `unstable` marks retrained solutions without 0 < α < C. `full` are the scores of all.
    `candidates` are the documents whose removal changes the solution (α > 0) and others re-solved, `steps` the
    coordinate steps and pivots times the documents they were made for, `short` the re-solves that ended before the sign
    was certain.
    """

    score: Floats
    full: Floats
    solved: Bools
    unstable: Bools
    candidates: int = 0
    steps: int = 0
    short: int = 0


class ByMatrix:
    """One category by the kernel matrix of all documents."""

    def __init__(self, found: Machines, c: int, gram: Floats) -> None:
        self.found, self.gram, self.short = found, gram, 0
        self.y, self.cap, self.beta = found.side(c)
        self.low, self.high = np.minimum(self.y * self.cap, 0.0), np.maximum(self.y * self.cap, 0.0)
        self.score, self.diagonal = gram @ self.beta, np.ascontiguousarray(np.diag(gram))
        limit = LIMIT * len(self.y)
        lower, upper, self.steps = settle(
            gram, self.diagonal, self.y, self.low, self.high, self.beta, self.score, found.free, POLISH, limit
        )
        self.score = gram @ self.beta
        self.full = self.score + 0.5 * (lower + upper)

    def leave_out(self, chosen: Ints, *, exact: bool = False) -> tuple[Floats, Ints]:
        """Scores of these documents when left out, and how many others are then free."""
        n = len(chosen)
        found, steps, free, short = np.empty(n), np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.bool_)
        leave_out(
            self.gram, self.y, self.low, self.high, self.beta, self.score, self.found.free, chosen, LEVELS,
            LIMIT * len(self.y), self.found.reach2[chosen], ACCURACY if exact else np.inf, found, steps, free, short,
        )  # fmt: skip
        self.steps, self.short = self.steps + int(steps.sum()), int(short.sum())
        return found, free


def _doubtful(one: Any, every: bool) -> Ints:
    """The documents whose decision a retraining may change.

    A document that is misclassified even with its own help stays so: without its loss the others' optimum can only make
    that loss larger (F(w) + ℓ_i(w) <= F(w') + ℓ_i(w') and F(w') <= F(w)). Of those that are classified rightly:
    free bias: 2 α_i R² + ξ_i >= 1 (joachims2000, lemma 1), or any α_i > 0 where few are free, or all where none is.
    Else: α_i K(x_i, x_i) >= y_i f(x_i).
    """
    found, alpha, margin = one.found, np.abs(one.beta), one.y * one.full
    free = int(((alpha > 0) & (alpha < one.cap)).sum())
    if found.free and free == 0:
        return np.arange(len(alpha))
    if every or (found.free and free <= FEW):
        return np.flatnonzero(alpha > 0)
    alpha = np.where(margin < -SAFETY, 0.0, alpha)
    if found.free:
        return np.flatnonzero((alpha > 0) & (2 * alpha * found.radius2 >= margin - SAFETY))
    own = found.kernel.diagonal(found.squares) + found.shift
    return np.flatnonzero((alpha > 0) & (alpha * own >= margin - SAFETY))


def _solver(found: Machines, c: int, gram: Floats | None) -> Any:
    if gram is not None:
        return ByMatrix(found, c, gram)
    if suits(found, c):
        one = ByPivots(found, c)
        if one.settled:
            return one
    return ByRows(found, c)


def leave_one_out_scores(found: Machines, c: int, *, gram: Floats | None = None, every: bool = False) -> Left:
    """The score of every document by the SVM of category c trained without it.

    `gram` is the kernel matrix of all documents; without it the rows themselves are used, for a linear kernel.
    `every` re-solves all support vectors. A document that is alone on its side, of those with a weight, leaves
    nothing to separate: the score is that of the other side, ∓1.
    """
    n, inside = found.labels.shape[0], found.labels[:, [c]].toarray()[:, 0]
    sides = np.array([np.count_nonzero(found.weights[inside == side]) for side in (False, True)])
    if not sides.all():
        constant = np.full(n, found.intercept[c])
        return Left(constant, constant, np.zeros(n, np.bool_), np.zeros(n, np.bool_))
    one = _solver(found, c, gram)
    score, solved, unstable = one.full.copy(), np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    lonely = (sides[inside.astype(int)] == 1) & (found.weights > 0)
    score[lonely], solved[lonely] = -one.y[lonely], True
    left = _doubtful(one, every)
    left = left[~lonely[left]]
    if len(left):
        score[left], free = one.leave_out(left, exact=every)
        solved[left], unstable[left] = True, free == 0
    candidates = int(np.count_nonzero(solved | (one.beta != 0)))
    return Left(score, one.full, solved, unstable & found.free, candidates, one.steps, one.short)
