"""One category of a linear SVM by the responses of the documents near the margin to each other."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError

from rubricate.classifiers.svm.leave_one_out.machines import Machines
from rubricate.classifiers.svm.leave_one_out.responses import Responses, Singles
from rubricate.classifiers.svm.leave_one_out.rows import ByRows
from rubricate.kernels.svm_lanes import LANES
from rubricate.kernels.svm_leave_one_out_lanes import leave_out_lanes
from rubricate.kernels.svm_leave_one_out_products import sweep_products
from rubricate.types import Bools, Floats, Ints

__all__ = ["ByPivots", "suits"]

LEVEL, SWEEPS = 2e-4, 400
"""To what the KKT conditions of the full solution hold; after so many sweeps it is left to the rows."""
LEVELS, FINE = np.array([0.02, 2e-3, 2e-4, 5e-5]), np.array([2e-4])
"""To what those of a retrained solution hold: for decisions the first that settles the sign; for scores."""
LARGEST = 1e-3
"""The duality gap of a retrained solution for its score."""
NEAR = 2.5e-4
"""A score so near to zero, four times that for C · K(x, x) > 1, twelve for a penalised bias, is computed again in
double precision.

Samples of Reuters, C from .1 to 20, deviated by .00025 with a free bias, .0007 with none, .003 with a penalised one; in
random problems with equal documents of opposite labels 1 % deviated by .003 or more."""
BAND = 0.02
"""Documents so far beyond the margin are in the working set of all retrained solutions."""
GROWTH = 8
"""How often documents are taken into the working set before the rest is solved by rows."""
UNIT, UNEQUAL = 2.0, 1.5
"""The mean K(x, x) and its inverse, and the largest in terms of the mean, up to which this way is taken: all tolerances
are of vectors of about length 1."""
MOST, STEEP, FEW = 8000, 20.0, 10
"""Support vectors and C · K(x, x) up to which, free documents from which on this way is taken.

The working set may grow to twice as many documents: the table then has 1 GB."""


def suits(found: Machines, c: int) -> bool:
    """Whether the table fits the memory and single precision is enough: documents of about length 1, C not large."""
    _, cap, beta = found.side(c)
    free = int(((beta != 0) & (np.abs(beta) < cap)).sum())
    steep = float(cap.max(initial=0.0)) * found.bound
    lengths = found.squares[found.squares > 0]
    mean = float(lengths.mean()) if len(lengths) else 0.0
    even = 1 / UNIT <= mean <= UNIT and float(lengths.max()) <= UNEQUAL * mean
    return even and free > FEW and int((beta != 0).sum()) <= MOST and steep <= STEEP


class ByPivots:
    """The full solution, polished, and what is left when documents are left out of it."""

    def __init__(self, found: Machines, c: int) -> None:
        self.found, self.c, self.steps, self.short = found, c, 0, 0
        self.y, self.cap, self.beta = found.side(c)
        self.bias = float(found.intercept[c])
        free = (self.beta != 0) & (np.abs(self.beta) < self.cap)
        rest = ~free & ((self.beta != 0) | found.violates(c))
        self._polish(np.concatenate([np.flatnonzero(free), np.flatnonzero(rest)]))

    def _polish(self, rows: Ints) -> None:
        """Sweep over the working set until no document outside violates its margin."""
        while True:
            K, y, cap, beta = self.found.products.block(rows, rows), self.y[rows], self.cap[rows], self.beta[rows]
            scores = K @ beta.astype(np.float32)
            b, worst, sweeps = sweep_products(K, y, cap, beta, scores, self.bias, self.found.penalty, LEVEL, SWEEPS)
            self.steps += sweeps * len(rows)
            self.beta[rows] = self._balanced(beta, cap)
            self.bias = b if self.found.free else float(self.beta.sum()) * self.found.shift
            self.full = self.found.products.with_sum(self.beta) + self.bias
            reached = self._within(1 - 5 * LEVEL, rows)
            if not len(reached):
                break
            rows = np.concatenate([rows, reached])
        self.rows, self.K, self.settled = rows, K, worst <= LEVEL

    def _within(self, margin: float, but: Ints, also: Ints | None = None) -> Ints:
        """Documents whose margin is smaller, and some others, but not these."""
        wanted = (self.y * self.full < margin) & (self.cap > 0)
        wanted[also if also is not None else []] = True
        wanted[but] = False
        return np.flatnonzero(wanted)

    def _balanced(self, beta: Floats, cap: Floats) -> Floats:
        """With a free bias, β with a sum of zero: what it lacks is spread over the free documents."""
        free = (beta != 0) & (np.abs(beta) < cap)
        if self.found.free and free.any():
            beta[free] -= beta.sum() / free.sum()
        return beta

    def leave_out(self, chosen: Ints, *, exact: bool = False) -> tuple[Floats, Ints]:
        """Scores of these documents when left out, and how many others are then free.

        Where documents outside could turn a decision (with `exact`: change a score), they enter the working set.
        """
        scores, free = np.zeros(len(chosen)), np.full(len(chosen), -1, np.int64)
        left = np.arange(len(chosen))
        try:
            self._respond()
        except LinAlgError:
            left = left[:0]
        if len(left):
            near = self._within(1 + BAND, self.rows, chosen)
            self._grow(near if len(self.rows) + len(near) <= MOST else self._within(-np.inf, self.rows, chosen))
        for _ in range(GROWTH):
            if not len(left) or len(self.rows) > 2 * MOST:
                break
            scores[left], free[left], still, reached = self._round(chosen[left], exact)
            left = left[still]
            self._grow(reached)
        free[left] = -1
        steep = self.cap.max(initial=0.0) * self.found.bound > 1
        least = NEAR * (12.0 if self.found.shift else 4.0 if steep else 1.0)
        doubt = np.flatnonzero((free < 0) | (np.abs(scores) < least))
        if len(doubt):
            rows = ByRows(self.found, self.c)
            scores[doubt], free[doubt] = rows.leave_out(chosen[doubt], exact=exact)
            self.steps, self.short = self.steps + rows.steps, rows.short
        return scores, free

    def _respond(self) -> None:
        """The table of the working set, documents with 0 < α < C first; the kernel matrix is used up for it."""
        alpha = np.abs(self.beta[self.rows])
        free = (alpha > 0) & (alpha < self.cap[self.rows])
        F = int(free.sum())
        low, high = np.flatnonzero(~free[:F]), F + np.flatnonzero(free[F:])
        one, other = np.concatenate([low, high]), np.concatenate([high, low])
        self.rows[one] = self.rows[other]
        self.K[one] = self.K[other]
        self.K[:, one] = self.K[:, other]
        self.responses = Responses(self.K[:F, :F].copy(), penalty=self.found.penalty)
        self.responses.add(self.K[:F, F:], np.empty((0, len(self.rows) - F), np.float32), self.K[F:, F:])
        del self.K

    def _grow(self, more: Ints) -> None:
        """Take documents with α = 0 in: the full solution stays as it is."""
        if len(more):
            all_rows = np.concatenate([self.rows, more])
            K = self.found.products.block(all_rows, more)
            across, between, own = np.split(K, [self.responses.inside, len(self.rows)])
            self.responses.add(across, between, own)
            self.rows = all_rows

    def _start(self) -> tuple[Ints, Floats, Floats, Floats, Singles]:
        """Rows, y, C, β on N, and what the pivots start from; places not taken have C = 0."""
        size = len(self.responses.table)
        rows = np.concatenate([self.rows, np.zeros(size - len(self.rows), np.int64)])
        taken = np.arange(size) < len(self.rows)
        y, cap, home = self.y[rows], np.where(taken, self.cap[rows], 0.0), np.where(taken, self.beta[rows], 0.0)
        start = self.responses.settled(home, self.full[rows], y, self.bias)
        home[: self.responses.inside] = 0.0
        return rows, y, cap, home, start

    def _round(self, chosen: Ints, exact: bool) -> tuple[Floats, Ints, Bools, Ints]:
        n, found = len(chosen), self.found
        place = np.full(len(self.y), -1, np.int64)
        place[self.rows] = np.arange(len(self.rows))
        outside = np.flatnonzero((place < 0) & (self.cap > 0))
        rows, y, cap, home, start = self._start()
        scores, free, steps = np.zeros(n), np.zeros(n, np.int64), np.zeros(n, np.int64)
        still, hit = np.zeros(n, np.bool_), np.zeros(len(outside), np.bool_)
        reach2 = 2 * found.radius2 if found.free else found.bound
        lengths = np.sqrt(found.squares[outside])
        leave_out_lanes(
            self.responses.table, self.responses.inside, y, cap, home, start, place[chosen], self.full[chosen],
            FINE if exact else LEVELS, reach2, LARGEST if exact else np.inf, found.products.starts,
            found.products.terms, found.products.values, _aligned(found.products.width), rows, outside,
            (self.y * self.full)[outside] - 1, lengths, self.y[outside], self.cap[outside], scores, free, steps, still,
            hit,
        )  # fmt: skip
        self.steps += int(steps.sum()) * len(rows)
        return scores, free, still, outside[hit]


def _aligned(terms: int) -> Singles:
    """Room for terms × 16 numbers, each row within one line of 64 bytes."""
    room = np.empty(terms * LANES + 16, np.float32)
    skip = -room.ctypes.data % 64 // 4
    return room[skip : skip + terms * LANES].reshape(terms, LANES)
