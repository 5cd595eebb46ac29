"""One category of a linear SVM by the kernel matrix of the documents near its margin, in single precision."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, cast

import numpy as np

from rubricate.classifiers.svm.leave_one_out.products import wide_square
from rubricate.classifiers.svm.leave_one_out.rows import RowRetraining
from rubricate.classifiers.svm.leave_one_out.solved import SolvedSVMs
from rubricate.kernels.lane_code import lined
from rubricate.kernels.svm_local import Dual, Search
from rubricate.kernels.svm_products import sweep_products
from rubricate.kernels.svm_removal_lanes import Beside, LaneRemovals, Removed, leave_out_nearby
from rubricate.kernels.svm_removals import ABOVE, BELOW, Nearby, prepare
from rubricate.kernels.svm_retraining import Outside
from rubricate.types import Floats, Ints

__all__ = ["STAGES", "Narrowed", "NearRetraining", "suits"]

LEVEL, SWEEPS = 2e-4, 2000
"""To what the KKT conditions of the full solution hold; after so many sweeps it is left to the rows.

About the precision of a sum of float32 products. Reuters needs 16 sweeps in the median and 87 for nine categories of
ten."""
LEVELS = 0.1 * 10 ** (-np.arange(15) / 4)
"""To what those of a retrained solution hold: for decisions the first that settles them, for scores that of `SCORES`.

Rows that are off by more make their steps, then those that are off by more than the next level: with factors of 3
instead of 1.8 between them removals take a few percent longer, without those before the last twice to four times as
long."""
SCORES = LEVELS[:11]
STAGES = tuple(LEVELS[:k] for k in (3, 5, 7, 9, 11, 13))
"""Levels up to which the scores of a document in several categories are solved before they are compared: .03, .01, ….

On 2,659 documents of OHSUMED 7,615 scores are solved at the first, 3,680 at the second, then 1,059, 289, 92 and 16,
each stage taking two to four times as long per score as the one before."""
PROVED, UNSEEN = 2, 0.01
"""The stage from which on all documents outside are looked at, not only those that resemble the one left out; and by
how much the others may move a score before that.

Of 300 random documents, many of them twins of opposite labels, they moved one by .005 beyond the bounds of the second
stage."""
NEAR = ABOVE * LEVELS[-1]
"""A score so near to zero is computed again in double precision: the last level does not tell its sign."""
BAND = 0.02
"""Documents so far beyond the margin are in the working set of all retrained solutions: see `rows.BAND`."""
SPARE = 48
"""Places for documents that come later, without which the matrix is copied; every step takes so many more of them."""
GROWTH = 8
"""How often documents are taken into the working set before the rest is solved by rows; three at most on
Reuters."""
MOST = 8000
"""Use this way only up to so many support vectors: the working set may grow to twice as many, a matrix of 1 GB."""
STEEP = 20.0
"""Use this way only if C · K(x, x) is at most this: scores are sums of α K, and single precision has seven digits."""
FEW = 10
"""Use this way only for more free documents than this: one removal may leave none of them, and b is an interval."""


NOBODY = Beside(np.empty((0, 0), np.float32), np.empty(0, np.float32), np.empty(0, np.float32))
"""No documents beside the one left out are asked for."""


class _Start(NamedTuple):
    """The place of each document in the working set, or −1; the solution; the documents outside, in both ways."""

    place: Ints
    nearby: Nearby
    outside: Outside
    beside: Beside


class Look(Enum):
    """Which documents outside the working set are looked at: none, those that resemble the one left out, all."""

    NONE, BESIDE, ALL = range(3)


class Narrowed(NamedTuple):
    """Scores of documents left out, between which bounds they lie, and how many others are then free (−1: unknown)."""

    scores: Floats
    low: Floats
    high: Floats
    free: Ints


def suits(svms: SolvedSVMs, c: int) -> bool:
    """Return whether the matrix fits the memory and single precision is enough: unit vectors, C not large."""
    side = svms.side(c)
    few = int(side.free.sum()) <= FEW or int((side.beta != 0).sum()) > MOST
    return not few and svms.even and _steepness(svms, side.cap) <= STEEP


def _steepness(svms: SolvedSVMs, cap: Floats) -> float:
    """Return the largest C · K(x, x): how much one document may move a score."""
    return float(cap.max(initial=0.0)) * svms.bound


class NearRetraining:
    """The full solution, polished, and what is left when documents are left out of it. Memory: 4 s² bytes.

    s documents are near the margin.
    """

    def __init__(self, svms: SolvedSVMs, c: int) -> None:
        self.svms, self.c, self.steps, self.short = svms, c, 0, 0
        self.y, self.cap, self.beta = svms.side(c)
        self._started: _Start | None = None
        self.bias, self._rows = float(svms.intercept[c]), cast("RowRetraining | None", None)
        self.full = svms.products.with_sum(self.beta) + self.bias
        near = (self.beta != 0) | svms.violates(c) | ((self.y * self.full < 1 + BAND) & (self.cap > 0))
        self._polish(np.flatnonzero(near))

    def _polish(self, rows: Ints) -> None:
        """Sweep over the working set until no document outside violates its margin."""
        svms, search = self.svms, Search(self.svms.penalty, LEVEL, SWEEPS, 0)
        K = svms.products.square(rows, spare=SPARE)
        while True:
            cap, beta = self.cap[rows], self.beta[rows]
            products, bias = K[: len(rows), : len(rows)] @ beta.astype(np.float32), np.array([self.bias])
            worst, sweeps = sweep_products(
                K, Dual(self.y[rows], cap, np.diag(K)[: len(rows)].copy(), beta, products, bias), search
            )
            self.steps += sweeps * len(rows)
            self.beta[rows] = self._balanced(beta, cap)
            self.bias = float(bias[0]) if svms.free else float(self.beta.sum()) * svms.shift
            self.full = svms.products.with_sum(self.beta) + self.bias
            self.rows, self.K, self.settled, self._started = rows, K, worst <= LEVEL, None
            reached = (self.y * self.full < 1 - 5 * LEVEL) & (self.cap > 0)
            reached[rows] = False
            if not reached.any():
                return
            self._grow(np.flatnonzero(reached))
            rows, K = self.rows, self.K

    def _balanced(self, beta: Floats, cap: Floats) -> Floats:
        """Return β with a sum of zero for a free bias: what it lacks is spread over the free documents."""
        free = (beta != 0) & (np.abs(beta) < cap)
        if self.svms.free and free.any():
            beta[free] -= beta.sum() / free.sum()
        return beta

    def _grow(self, more: Ints) -> None:
        """Take documents into the working set."""
        if len(more):
            old, rows, K = len(self.rows), np.concatenate([self.rows, more]), self.K
            if len(rows) > len(K):
                K = wide_square(len(rows), len(rows) + SPARE)
                K[:old, :old] = self.K[:old, :old]
            K[: len(rows), old : len(rows)] = self.svms.products.block(rows, more)
            K[old : len(rows), :old] = K[:old, old : len(rows)].T
            K[old : len(rows), len(rows) :] = 0.0
            self.rows, self.K, self._started = rows, K, None

    def leave_out(self, chosen: Ints, *, exact: bool = False, bars: Floats | None = None) -> tuple[Floats, Ints]:
        """Return the scores of these documents when left out, and how many others are then free.

        Where documents outside could turn a decision, they enter the working set. What is not solved here, and scores
        very near to zero, go to `RowRetraining`. With `bars` signs do not matter, and a score below its bar only has to
        be certain to be so.
        """
        count = len(chosen)
        levels, nowhere = SCORES if exact else LEVELS, np.full(count, np.inf)
        sides = (np.zeros(count), np.zeros(count)) if not exact else (-nowhere, nowhere)
        sides = sides if bars is None else (bars, nowhere)
        scores, _, free = self._settle(chosen, levels, *sides)
        doubt = np.flatnonzero((free < 0) | ((np.abs(scores) < NEAR) & (bars is None)))
        if len(doubt):
            own = None if bars is None else bars[doubt]
            scores[doubt], free[doubt] = self._by_rows(chosen[doubt], exact=exact, bars=own)
        return scores, free

    def narrow(self, chosen: Ints, stage: int, bars: Floats, roofs: Floats) -> Narrowed:
        """Return scores and between which bounds they lie, as far as this stage tells or it is asked for.

        A score needs no more than to be certain to lie below its bar or above its roof. The first stage looks only at
        the working set: documents outside could raise y f(x) of the one left out, which is bounded from one side then.
        After the last stage the bounds are the score itself.
        """
        beside = self.svms.products.all is not None
        look = Look.BESIDE if beside and stage < PROVED else Look.ALL if stage else Look.NONE
        scores, levels, free = self._settle(chosen, STAGES[stage], bars, roofs, look=look)
        y, last = self.y[chosen], stage == len(STAGES) - 1
        below = np.where(last, 0.0, BELOW * levels)
        above = np.where(last, 0.0, ABOVE * levels) if look is not Look.NONE else y * (self.full[chosen] - scores)
        if look is Look.BESIDE:
            below, above = below + UNSEEN, above + UNSEEN
        low, high = scores - np.where(y > 0, below, above), scores + np.where(y > 0, above, below)
        lost = np.flatnonzero(free < 0)
        if len(lost):
            scores[lost], free[lost] = self._by_rows(chosen[lost], exact=True, bars=bars[lost])
            low[lost] = high[lost] = scores[lost]
        return Narrowed(scores, low, high, free)

    def _by_rows(self, chosen: Ints, *, exact: bool, bars: Floats | None) -> tuple[Floats, Ints]:
        rows = self._rows = self._rows or RowRetraining(self.svms, self.c)
        steps, short = rows.steps, rows.short
        scores, free = rows.leave_out(chosen, exact=exact, bars=bars)
        self.steps, self.short = self.steps + rows.steps - steps, self.short + rows.short - short
        return scores, free

    def _settle(
        self, chosen: Ints, levels: Floats, bars: Floats, roofs: Floats, *, look: Look = Look.ALL
    ) -> tuple[Floats, Floats, Ints]:
        """Return scores, levels and free documents (−1: not found); documents outside that matter have entered."""
        scores, reached, free = np.zeros(len(chosen)), np.zeros(len(chosen)), np.full(len(chosen), -1, np.int64)
        left = np.arange(len(chosen))
        self._grow(chosen[self._start().place[chosen] < 0])
        for _ in range(GROWTH):
            if not len(left) or len(self.rows) > 2 * MOST:
                break
            found, outside = self._round(chosen[left], levels, bars[left], roofs[left], look)
            scores[left], reached[left], free[left] = found.scores, found.levels, found.free
            left = left[found.open]
            self._grow(outside[found.hit])
        free[left] = -1
        return scores, reached, free

    def _round(self, chosen: Ints, levels: Floats, bars: Floats, roofs: Floats, look: Look) -> tuple[Removed, Ints]:
        """Return what was found on the working set, and the documents outside it."""
        place, nearby, outer, beside = self._start()
        if look is Look.NONE:
            outer = outer._replace(places=outer.places[:0])
        room = lined(self.svms.products.width if look is Look.ALL else 1, np.float32, make=np.empty)
        near = beside if look is Look.BESIDE else NOBODY
        found = leave_out_nearby(nearby, outer, LaneRemovals(self.rows, place[chosen], levels, bars, roofs, near, room))
        self.steps += int(found.steps.sum()) * len(self.rows)
        return found, outer.places

    def _start(self) -> _Start:
        """Return what all removals start from, on this working set."""
        if self._started is None:
            rows, place, products = self.rows, np.full(len(self.y), -1, np.int64), self.svms.products
            place[rows] = np.arange(len(rows))
            y, cap, beta, full = (part[rows] for part in (self.y, self.cap, self.beta, self.full))
            nearby = prepare(self.K, y, cap, beta, full, self.bias, self.svms.penalty)
            spare = np.where((place < 0) & (self.cap > 0), self.y * self.full - 1, np.inf)
            outside = np.flatnonzero(spare < np.inf)
            outer = Outside(
                rows=products.rows,
                places=outside,
                spare=spare[outside],
                lengths=np.sqrt(self.svms.squares[outside]),
                y=self.y[outside],
                cap=self.cap[outside],
            )
            beside = NOBODY
            if products.all is not None:
                beside = Beside(products.all, self.y.astype(np.float32), spare.astype(np.float32))
            self._started = _Start(place, nearby, outer, beside)
        return self._started
