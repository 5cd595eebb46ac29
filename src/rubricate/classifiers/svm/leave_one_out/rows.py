"""One category of a linear SVM retrained by its documents near the margin, in the terms that those have."""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.classifiers.svm.leave_one_out.solved import SolvedSVMs
from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_local import Dual, Search, solve_exactly
from rubricate.kernels.svm_retraining import SEED, Demand, Outside, leave_out_by_rows
from rubricate.types import Bools, Floats, Ints

__all__ = ["ACCURACY", "RowRetraining"]

BAND = 0.02
"""Documents so far beyond the margin are in the working set from the start.

A wider band makes every sweep longer, a narrower one repeats removals whose documents outside come to count."""
TOL, SWEEPS = 1e-6, 2000
"""The relative gap of the full solution, and the sweeps after which any is taken as it is (counted as `short`)."""
GAPS = np.array([5.0, 1.0, 0.2, 0.04, 8e-3, 1e-3, 1e-4, 1e-6, 1e-9])
"""Absolute duality gaps of a retrained solution: the next where the sign of the score is not proved by this one.

Scores are of the order of 1 and the deviation is the root of the gap: the first levels settle the clear cases, the last
ones scores of some millionths."""
ACCURACY = 0.02
"""By how much a score is off at most, where not only its sign is asked for: far less in samples of Reuters."""


class RowRetraining:
    """The full solution, polished, and what is left when documents are left out of it, in double precision.

    For what `near` does not do: few documents with 0 < α < C, large C, very many support vectors.
    """

    def __init__(self, svms: SolvedSVMs, c: int) -> None:
        self.svms, self.steps, self.short = svms, 0, 0
        self.y, self.cap, self.beta = svms.side(c)
        self.bias, self.primal = float(svms.intercept[c]), 1.0
        self.full = svms.X @ (svms.X.T @ self.beta) + self.bias
        self.rows = np.flatnonzero((self.beta != 0) | (self.y * self.full < 1 + BAND))
        self._polish()

    def _polish(self) -> None:
        """Solve on the working set until no document outside violates its margin."""
        X = self.svms.X
        while True:
            self._compact()
            dual = self._dual()
            _, self.primal, sweeps = solve_exactly(self.near, dual, Search(self.svms.penalty, TOL, SWEEPS, SEED))
            self.steps += sweeps * len(self.rows)
            self.beta[self.rows], self.bias = dual.beta, float(dual.bias[0])
            self.full = X @ (X.T @ self.beta) + self.bias
            reached = np.setdiff1d(np.flatnonzero(self.y * self.full < 1 - 1e-6), self.rows)
            if not len(reached):
                return
            self.rows = np.union1d(self.rows, reached)

    def _compact(self) -> None:
        """Take the rows near and outside, both in the terms of those near, numbered 0, 1, …."""
        X = self.svms.X
        inside = np.zeros(X.shape[0], np.bool_)
        inside[self.rows] = True
        used = np.unique(X[self.rows].indices)
        place = np.full(X.shape[1], -1, np.int64)
        place[used] = np.arange(len(used))
        self.outside = np.flatnonzero(~inside)
        self.near, self.outer = (_renumbered(X[part], place) for part in (self.rows, self.outside))
        each = np.repeat(self.beta[self.rows], np.diff(self.near.starts))
        self.w = np.bincount(self.near.terms, each * self.near.values, minlength=max(len(used), 1))

    def _dual(self) -> Dual:
        rows, squares = self.rows, self.svms.squares
        return Dual(self.y[rows], self.cap[rows], squares[rows], self.beta[rows], self.w, np.array([self.bias]))

    def leave_out(self, chosen: Ints, *, exact: bool = False, bars: Floats | None = None) -> tuple[Floats, Ints]:
        """Return the scores of these documents when left out, and how many others are then free.

        Where documents from outside come to violate their margin and could turn a decision (with `exact`: change a
        score), the working set grows and it is done again. With `bars` signs do not matter, and a score below its bar
        only has to be certain to be so.
        """
        self._grow(np.setdiff1d(chosen, self.rows))
        scores, free = np.empty(len(chosen)), np.empty(len(chosen), np.int64)
        left, accuracy = np.arange(len(chosen)), ACCURACY if exact else np.inf
        while len(left):
            own = None if bars is None else bars[left]
            scores[left], free[left], again, reached = self._round(chosen[left], accuracy, own)
            left = left[again]
            self._grow(reached)
        return scores, free

    def _grow(self, more: Ints) -> None:
        """Take documents in that the full solution has outside its margin: it stays as it is."""
        if len(more):
            self.rows = np.union1d(self.rows, more)
            self._compact()

    def _round(self, chosen: Ints, accuracy: float, bars: Floats | None) -> tuple[Floats, Ints, Bools, Ints]:
        """Return scores, free documents, which to repeat, and the documents outside to take in before that."""
        outside, svms = self.outside, self.svms
        outer = Outside(
            rows=self.outer,
            places=np.arange(len(outside)),
            spare=(self.y * self.full)[outside] - 1,
            lengths=np.sqrt(svms.squares[outside]),
            y=self.y[outside],
            cap=self.cap[outside],
        )
        demand = Demand(
            chosen=np.searchsorted(self.rows, chosen),
            levels=GAPS / self.primal,
            limit=SWEEPS,
            reach2=svms.reach2[self.rows],
            accuracy=accuracy,
            signs=bars is None,
            bars=np.zeros(len(chosen)) if bars is None else bars,
            penalty=svms.penalty,
        )
        results, again, hit = leave_out_by_rows(self.near, self._dual(), outer, demand)
        self.steps += int(results.steps.sum()) * len(self.rows)
        self.short += int((results.short & ~again).sum())
        return results.scores, results.free, again, outside[hit]


def _renumbered(rows: Any, place: Ints) -> Rows:
    """Return rows in other numbers of the terms; terms without a number are left out."""
    terms = place[rows.indices]
    kept = terms >= 0
    starts = np.concatenate([[0], np.cumsum(kept)])[rows.indptr].astype(np.int64)
    return Rows(starts, terms[kept].astype(np.uint32), np.ascontiguousarray(rows.data[kept]))
