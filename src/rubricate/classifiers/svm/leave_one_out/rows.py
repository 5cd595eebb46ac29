"""One category of a linear SVM by its documents near the margin, in the terms that those have."""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.classifiers.svm.leave_one_out.machines import Machines
from rubricate.kernels.svm_leave_one_out_rows import leave_out_rows, polish_rows
from rubricate.types import Bools, Floats, Ints

__all__ = ["ByRows"]

BAND = 0.02
"""Documents so far beyond the margin are in the working set from the start."""
TOL, SWEEPS = 1e-6, 2000
"""The relative gap of the full solution, and the sweeps after which any is taken as it is."""
GAPS = np.array([5.0, 1.0, 0.2, 0.04, 8e-3, 1e-3, 1e-4, 1e-6, 1e-9])
"""Absolute duality gaps of a retrained solution: the next where the sign of the score is not settled by this one."""
ACCURACY = 0.02
"""By how much a score is off at most, where not only its sign is asked for: far less in samples of Reuters."""


class ByRows:
    """The full solution, polished, and what is left when documents are left out of it, in double precision.

    For what `ByPivots` does not do: few documents with 0 < α < C, large C, very many support vectors.
    """

    def __init__(self, found: Machines, c: int) -> None:
        self.found, self.steps, self.short = found, 0, 0
        self.y, self.cap, self.beta = found.side(c)
        self.penalty = found.penalty
        self.bias, self.primal = float(found.intercept[c]), 1.0
        self.squares = found.squares
        self.full = found.X @ (found.X.T @ self.beta) + self.bias
        self.rows = np.flatnonzero((self.beta != 0) | (self.y * self.full < 1 + BAND))
        self._polish()

    def _polish(self) -> None:
        """Solve on the working set until no document outside violates its margin."""
        while True:
            self._compact()
            beta, w = self.beta[self.rows], self.w
            self.bias, self.primal, sweeps = polish_rows(
                *self.near, *self._parts(), beta, w, self.bias, self.penalty, TOL, SWEEPS
            )
            self.steps += sweeps * len(self.rows)
            self.beta[self.rows] = beta
            self.full = self.found.X @ (self.found.X.T @ self.beta) + self.bias
            reached = np.setdiff1d(np.flatnonzero(self.y * self.full < 1 - 1e-6), self.rows)
            if not len(reached):
                return
            self.rows = np.union1d(self.rows, reached)

    def _compact(self) -> None:
        """The rows near and outside, both in the terms of those near, numbered 0, 1, …."""
        X = self.found.X
        inside = np.zeros(X.shape[0], np.bool_)
        inside[self.rows] = True
        used = np.unique(X[self.rows].indices)
        self.width = max(len(used), 1)
        place = np.full(X.shape[1], -1, np.int64)
        place[used] = np.arange(len(used))
        self.outside = np.flatnonzero(~inside)
        self.near, self.outer = (_renumbered(X[part], place) for part in (self.rows, self.outside))
        each = np.repeat(self.beta[self.rows], np.diff(self.near[0]))
        self.w = np.bincount(self.near[1], each * self.near[2], minlength=self.width)

    def _parts(self) -> tuple[Floats, Floats, Floats]:
        return self.squares[self.rows], self.y[self.rows], self.cap[self.rows]

    def leave_out(self, chosen: Ints, *, exact: bool = False) -> tuple[Floats, Ints]:
        """Scores of these documents when left out, and how many others are then free.

        Where documents from outside come to violate their margin and could turn a decision (with `exact`: change a
        score), the working set grows and it is done again.
        """
        self._grow(np.setdiff1d(chosen, self.rows))
        scores, free = np.empty(len(chosen)), np.empty(len(chosen), np.int64)
        left = np.arange(len(chosen))
        while len(left):
            scores[left], free[left], again, reached = self._round(chosen[left], ACCURACY if exact else np.inf)
            left = left[again]
            self._grow(reached)
        return scores, free

    def _grow(self, more: Ints) -> None:
        """Take documents in that the full solution has outside its margin: it stays as it is."""
        if len(more):
            self.rows = np.union1d(self.rows, more)
            self._compact()

    def _round(self, chosen: Ints, accuracy: float) -> tuple[Floats, Ints, Bools, Ints]:
        n, k = len(chosen), len(self.rows)
        found, done, free = np.empty(n), np.zeros(n, np.int64), np.zeros(n, np.int64)
        again, short, hit = np.zeros(n, np.bool_), np.zeros(n, np.bool_), np.zeros(len(self.outside), np.bool_)
        margins = (self.y * self.full)[self.outside]
        leave_out_rows(
            *self.near, *self._parts(), self.beta[self.rows], self.w, self.bias, self.penalty, self.primal, GAPS,
            SWEEPS, np.searchsorted(self.rows, chosen), self.found.reach2[chosen], accuracy, *self.outer,
            np.sqrt(self.squares[self.outside]), margins, self.y[self.outside], self.cap[self.outside],
            found, done, free, again, short, hit,
        )  # fmt: skip
        self.steps, self.short = self.steps + int(done.sum()) * k, self.short + int((short & ~again).sum())
        return found, free, again, self.outside[hit]


def _renumbered(rows: Any, place: Ints) -> tuple[Any, Any, Any]:
    """CSR parts (int64 starts, uint32 terms) in other numbers of the terms; those without a number are left out."""
    terms = place[rows.indices]
    kept = terms >= 0
    starts = np.concatenate([[0], np.cumsum(kept)])[rows.indptr].astype(np.int64)
    return starts, terms[kept].astype(np.uint32), np.ascontiguousarray(rows.data[kept])
