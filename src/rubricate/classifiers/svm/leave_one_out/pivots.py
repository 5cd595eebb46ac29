"""One category of a linear SVM by the responses of the documents near the margin to each other."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError

from rubricate.classifiers.svm.leave_one_out.responses import Responses
from rubricate.classifiers.svm.leave_one_out.rows import RowRetraining
from rubricate.classifiers.svm.leave_one_out.solved import Side, SolvedSVMs
from rubricate.kernels.lane_code import lined
from rubricate.kernels.svm_local import Dual, Search
from rubricate.kernels.svm_pivot_lanes import LaneRemovals, leave_out_by_pivots
from rubricate.kernels.svm_pivots import Optimum
from rubricate.kernels.svm_products import sweep_products
from rubricate.kernels.svm_retraining import Outside
from rubricate.types import Bools, Floats, Ints

__all__ = ["PivotTable", "suits"]

LEVEL, SWEEPS = 2e-4, 400
"""To what the KKT conditions of the full solution hold; after so many sweeps it is left to the rows.

About the precision of a sum of float32 products. Reuters needs 16 sweeps in the median and 87 for nine categories of
ten."""
LEVELS, FINE, BARRED = np.array([0.02, 2e-3, 2e-4, 5e-5]), np.array([2e-4]), np.array([0.02, 2e-4])
"""To what those of a retrained solution hold: for decisions the first that settles the sign; for scores; for scores
that matter above a bar.

The first level settles nearly all signs with a few pivots; below 5e-5 rounding of the table is all that is left."""
LARGEST = 1e-3
"""The duality gap up to which documents outside may be left out of a score: it is off by some hundredths at most."""
NEAR, STEEPER, PENALISED = 2.5e-4, 4.0, 12.0
"""A score so near to zero is computed again in double precision; four times that for C · K(x, x) > 1, twelve for a
penalised bias.

Samples of Reuters, C from .1 to 20, deviated by .00025 with a free bias, .0007 with none, .003 with a penalised one; in
random problems with equal documents of opposite labels 1 % deviated by .003 or more."""
BAND = 0.02
"""Documents so far beyond the margin are in the working set of all retrained solutions: see `rows.BAND`."""
GROWTH = 8
"""How often documents are taken into the working set before the rest is solved by rows; three at most on
Reuters."""
UNIT, UNEQUAL = 2.0, 1.5
"""Use pivots only if the mean K(x, x) is within [1 / UNIT, UNIT] and the largest is at most UNEQUAL times the mean.

All tolerances here are for vectors of about length 1; with counts they gave wrong signs."""
MOST = 8000
"""Use pivots only up to so many support vectors: the working set may grow to twice as many, a table of 1 GB."""
STEEP = 20.0
"""Use pivots only if C · K(x, x) is at most this: scores are sums of α K, and single precision has seven digits."""
FEW = 10
"""Use pivots only for more free documents than this: K_FF⁻¹ of fewer says little, and one removal may leave none."""


def suits(svms: SolvedSVMs, c: int) -> bool:
    """Return whether the table fits the memory and single precision is enough: unit vectors, C not large."""
    side = svms.side(c)
    lengths = svms.squares[svms.squares > 0]
    mean = float(lengths.mean()) if len(lengths) else 0.0
    even = 1 / UNIT <= mean <= UNIT and float(lengths.max()) <= UNEQUAL * mean
    few = int(side.free.sum()) <= FEW or int((side.beta != 0).sum()) > MOST
    return even and not few and _steepness(svms, side.cap) <= STEEP


def _steepness(svms: SolvedSVMs, cap: Floats) -> float:
    """Return the largest C · K(x, x): how much one document may move a score."""
    return float(cap.max(initial=0.0)) * svms.bound


class PivotTable:
    """The full solution, polished, and what is left when documents are left out of it, in single precision."""

    def __init__(self, svms: SolvedSVMs, c: int) -> None:
        self.svms, self.c, self.steps, self.short = svms, c, 0, 0
        side = svms.side(c)
        self.y, self.cap, self.beta = side
        self.bias = float(svms.intercept[c])
        rest = ~side.free & ((self.beta != 0) | svms.violates(c))
        self._polish(np.concatenate([np.flatnonzero(side.free), np.flatnonzero(rest)]))

    def _polish(self, rows: Ints) -> None:
        """Sweep over the working set until no document outside violates its margin."""
        svms, search = self.svms, Search(self.svms.penalty, LEVEL, SWEEPS, 0)
        while True:
            K, cap, beta = svms.products.block(rows, rows), self.cap[rows], self.beta[rows]
            products, bias = K @ beta.astype(np.float32), np.array([self.bias])
            worst, sweeps = sweep_products(K, Dual(self.y[rows], cap, np.diag(K).copy(), beta, products, bias), search)
            self.steps += sweeps * len(rows)
            self.beta[rows] = self._balanced(beta, cap)
            self.bias = float(bias[0]) if svms.free else float(self.beta.sum()) * svms.shift
            self.full = svms.products.with_sum(self.beta) + self.bias
            reached = self._within(1 - 5 * LEVEL, rows)
            if not len(reached):
                break
            rows = np.concatenate([rows, reached])
        self.rows, self.K, self.settled = rows, K, worst <= LEVEL

    def _within(self, margin: float, but: Ints, also: Ints | None = None) -> Ints:
        """Return the documents whose margin is smaller, and those of `also`, except those of `but`."""
        wanted = (self.y * self.full < margin) & (self.cap > 0)
        wanted[also if also is not None else []] = True
        wanted[but] = False
        return np.flatnonzero(wanted)

    def _balanced(self, beta: Floats, cap: Floats) -> Floats:
        """Return β with a sum of zero for a free bias: what it lacks is spread over the free documents."""
        free = (beta != 0) & (np.abs(beta) < cap)
        if self.svms.free and free.any():
            beta[free] -= beta.sum() / free.sum()
        return beta

    def leave_out(self, chosen: Ints, *, exact: bool = False, bars: Floats | None = None) -> tuple[Floats, Ints]:
        """Return the scores of these documents when left out, and how many others are then free.

        Where documents outside could turn a decision (with `exact`: change a score), they enter the working set. What
        pivots do not solve, and scores very near to zero, go to `RowRetraining`. With `bars` signs do not matter, and a
        score below its bar only has to be certain to be so.
        """
        scores, free = np.zeros(len(chosen)), np.full(len(chosen), -1, np.int64)
        left = np.arange(len(chosen))
        if not self._answers():
            left = left[:0]
        if len(left):
            near = self._within(1 + BAND, self.rows, chosen)
            self._grow(near if len(self.rows) + len(near) <= MOST else self._within(-np.inf, self.rows, chosen))
        for _ in range(GROWTH):
            if not len(left) or len(self.rows) > 2 * MOST:
                break
            own = None if bars is None else bars[left]
            scores[left], free[left], still, reached = self._round(chosen[left], exact, own)
            left = left[still]
            self._grow(reached)
        free[left] = -1
        steep = STEEPER if _steepness(self.svms, self.cap) > 1 else 1.0
        least = NEAR * (PENALISED if self.svms.shift else steep)
        doubt = np.flatnonzero((free < 0) | ((np.abs(scores) < least) & (bars is None)))
        if len(doubt):
            rows, own = RowRetraining(self.svms, self.c), None if bars is None else bars[doubt]
            scores[doubt], free[doubt] = rows.leave_out(chosen[doubt], exact=exact, bars=own)
            self.steps, self.short = self.steps + rows.steps, self.short + rows.short
        return scores, free

    def _answers(self) -> bool:
        """Make the table unless it is there; return whether it could be made."""
        if not hasattr(self, "responses"):
            try:
                self._respond()
            except LinAlgError:
                return False
        return True

    def _respond(self) -> None:
        """Make the table of the working set, documents with 0 < α < C first; the kernel matrix is used up for it."""
        free = Side(self.y, self.cap, self.beta).free[self.rows]
        F = int(free.sum())
        low, high = np.flatnonzero(~free[:F]), F + np.flatnonzero(free[F:])
        places, sources = np.concatenate([low, high]), np.concatenate([high, low])
        self.rows[places] = self.rows[sources]
        self.K[places] = self.K[sources]
        self.K[:, places] = self.K[:, sources]
        self.responses = Responses(self.K[:F, :F].copy(), penalty=self.svms.penalty)
        self.responses.add(self.K[:F, F:], np.empty((0, len(self.rows) - F), np.float32), self.K[F:, F:])
        del self.K

    def _grow(self, more: Ints) -> None:
        """Take documents with α = 0 in: the full solution stays as it is."""
        if len(more):
            all_rows = np.concatenate([self.rows, more])
            K = self.svms.products.block(all_rows, more)
            across, between, own = np.split(K, [self.responses.inside, len(self.rows)])
            self.responses.add(across, between, own)
            self.rows = all_rows

    def _optimum(self) -> tuple[Ints, Optimum]:
        """Return the rows of the table, and the solution on them; places not taken have C = 0."""
        table, inside = self.responses.table, self.responses.inside
        rows = np.concatenate([self.rows, np.zeros(len(table) - len(self.rows), np.int64)])
        taken = np.arange(len(table)) < len(self.rows)
        y, cap, home = self.y[rows], np.where(taken, self.cap[rows], 0.0), np.where(taken, self.beta[rows], 0.0)
        start = self.responses.settled(home, self.full[rows], y, b=self.bias)
        home[:inside] = 0.0
        return rows, Optimum(table, inside, y, cap, home, start)

    def _round(self, chosen: Ints, exact: bool, bars: Floats | None) -> tuple[Floats, Ints, Bools, Ints]:
        """Return scores, free documents, which are open still, and the documents outside to take in before the next."""
        svms, place = self.svms, np.full(len(self.y), -1, np.int64)
        place[self.rows] = np.arange(len(self.rows))
        outside = np.flatnonzero((place < 0) & (self.cap > 0))
        rows, optimum = self._optimum()
        outer = Outside(
            rows=svms.products.rows,
            places=outside,
            spare=(self.y * self.full)[outside] - 1,
            lengths=np.sqrt(svms.squares[outside]),
            y=self.y[outside],
            cap=self.cap[outside],
        )
        removals = LaneRemovals(
            rows=rows,
            chosen=place[chosen],
            scores=self.full[chosen],
            levels=LEVELS if not exact else FINE if bars is None else BARRED,
            reach2=2 * svms.radius2 if svms.free else svms.bound,
            largest=LARGEST if exact else np.inf,
            signs=bars is None,
            bars=np.zeros(len(chosen)) if bars is None else bars,
            W=lined(svms.products.width, np.float32, make=np.empty),
        )
        results = leave_out_by_pivots(optimum, outer, removals)
        self.steps += int(results.steps.sum()) * len(rows)
        return results.scores, results.free, results.open, outside[results.hit]
