"""One category of a linear SVM by the kernel matrix of the documents near its margin, in single precision."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, cast

import numpy as np

from rubricate.classifiers.svm.leave_one_out.products import wide_square
from rubricate.classifiers.svm.leave_one_out.rows import RowRetraining
from rubricate.classifiers.svm.leave_one_out.solved import Side, SolvedSVMs
from rubricate.kernels.svm_local import Dual, Search
from rubricate.kernels.svm_products import sweep_products
from rubricate.kernels.svm_removal_lanes import Beside, LaneRemovals, Removed, leave_out_nearby
from rubricate.kernels.svm_removals import Nearby, Spread, prepare
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
STAGES = tuple(LEVELS[:k] for k in (0, 4, 6, 8, 13))
"""Levels up to which the scores of a document in several categories are solved before they are compared.

The first stage is the estimate before any step, then .018, .0056, .0018 and .0001. On 2,659 documents of OHSUMED 20,026
scores are estimated, 4,160 solved at the second stage, then 1,428, 398 and 31, each stage taking two to three times as
long per score as the one before."""
CLOSE, UNSEEN = 3, 0.01
"""The stage from which on all documents outside are looked at, not only those that resemble the one left out, and by
how much the others may raise y f(x) before that: they raised none of 4,000 scores of OHSUMED, WebKB and 20 Newsgroups
with C up to 1 at all."""
ALIKE, GENTLE = 0.03, 1.1
"""Up to which mean similarity of the free documents, and C · K(x, x), this is done. Among short questions, which
resemble each other, other documents raised a score by .1, and with C = 10 one of 20 Newsgroups by .05."""
BLIND = 2
"""The stage before which no document outside is looked at where that cannot be done by resemblance. What is right is
known without a look, as documents outside only raise y f(x); what is wrong waits for the next stage."""
BAND = 0.02
"""Documents so far beyond the margin are in the working set of all retrained solutions: see `rows.BAND`."""
SPARE = 48
"""Places for documents that come later, without which the matrix is copied; every step takes so many more of them."""
GROWTH = 8
"""How often documents are taken into the working set before the rest is solved by rows; three at most on
Reuters."""
MOST = 8000
"""Use this way only up to so many support vectors: the working set may grow to twice as many, a matrix of 512 MB."""
STEEP = 20.0
"""Use this way only if C · K(x, x) is at most this: scores are sums of α K, which is known to five digits."""
FEW = 10
"""Use this way only for more free documents than this: one removal may leave none of them, and b is an interval."""


NOTHING = np.empty(0)
"""Weights by terms, which removals do without."""
NOBODY = Beside(np.empty((0, 0), np.int16), *np.empty((3, 0), np.float32))
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


def suits(svms: SolvedSVMs, side: Side) -> bool:
    """Return whether the matrix fits the memory and single precision is enough: unit vectors, C not large."""
    few = int(side.free.sum()) <= FEW or int((side.beta != 0).sum()) > MOST
    return not few and svms.even and _steepness(svms, side.cap) <= STEEP


def _steepness(svms: SolvedSVMs, cap: Floats) -> float:
    """Return the largest C · K(x, x): how much one document may move a score."""
    return float(cap.max(initial=0.0)) * svms.bound


class NearRetraining:
    """The full solution, polished, and what is left when documents are left out of it. Memory: 2 s² bytes.

    s documents are near the margin.
    """

    def __init__(self, svms: SolvedSVMs, c: int, side: Side | None = None) -> None:
        self.svms, self.c, self.steps, self.short = svms, c, 0, 0
        side = side or svms.side(c)
        self.y, self.cap, self.beta = side.y, side.cap, side.beta.copy()
        self._started: _Start | None = None
        self._waiting = np.empty(0, np.int64)
        self.bias, self._rows = float(svms.intercept[c]), cast("RowRetraining | None", None)
        self.full = svms.products.with_sum(self.beta) + self.bias
        near = (self.beta != 0) | svms.violates(c) | ((self.y * self.full < 1 + BAND) & (self.cap > 0))
        self._polish(np.flatnonzero(near))

    def _polish(self, rows: Ints) -> None:
        """Sweep over the working set until no document outside violates its margin."""
        svms, search = self.svms, Search(self.svms.penalty, LEVEL, SWEEPS, 0)
        self.rows, self.products = rows, svms.products.square(rows, spare=SPARE)
        while True:
            rows, bias = self.rows, np.array([self.bias])
            y, cap, squares, beta = (part[rows] for part in (self.y, self.cap, svms.squares, self.beta))
            # f starts exact, so that what is coded in 16 bits is only what the sweeps change.
            f = np.zeros(self.products.K.shape[1], np.float32)
            f[: len(rows)] = self.full[rows] - self.bias
            worst, sweeps = sweep_products(self.products, Dual(y, cap, squares, beta, f, bias), search)
            self.steps += sweeps * len(rows)
            self.beta[rows] = self._balanced(beta, cap)
            self.bias = float(bias[0]) if svms.free else float(self.beta.sum()) * svms.shift
            self.full = svms.products.with_sum(self.beta) + self.bias
            self.settled, self._started = worst <= LEVEL, None
            reached = (self.y * self.full < 1 - 5 * LEVEL) & (self.cap > 0)
            reached[rows] = False
            if not reached.any():
                self._spread = self._shares()
                return
            self._grow(np.flatnonzero(reached))

    def _shares(self) -> Spread:
        """Return how the free documents take over the β of one that is left out.

        Each takes a share by the room it has, min(α, C − α), so that none is brought to a bound if there is room for
        twice the largest C. Without a bias nobody has to: Σ β may be anything.
        """
        room, nobody = np.minimum(np.abs(self.beta), self.cap - np.abs(self.beta)), np.zeros(len(self.beta))
        total = float(room.sum())
        if total <= 0:
            return Spread(nobody, nobody, self.svms.bound)
        share = room / total
        answer = self.svms.products.with_sum(share)
        similarity = float(share @ answer)
        if self.svms.penalty == np.inf or total < 2 * self.cap.max(initial=0.0):
            return Spread(nobody, nobody, similarity)
        return Spread(share, answer, similarity)

    def _balanced(self, beta: Floats, cap: Floats) -> Floats:
        """Return β with a sum of zero for a free bias: what it lacks is spread over the free documents."""
        free = (beta != 0) & (np.abs(beta) < cap)
        if self.svms.free and free.any():
            beta[free] -= beta.sum() / free.sum()
        return beta

    def _grow(self, more: Ints) -> None:
        """Take documents into the working set."""
        if len(more):
            old, rows, K = len(self.rows), np.concatenate([self.rows, more]), self.products.K
            if len(rows) > len(K):
                K = wide_square(len(rows), len(rows) + SPARE)
                K[:old, :old] = self.products.K[:old, :old]
            K[: len(rows), old : len(rows)] = self.svms.products.block(rows, more)
            K[old : len(rows), :old] = K[:old, old : len(rows)].T
            K[old : len(rows), len(rows) :] = 0
            self.rows, self.products, self._started = rows, self.products._replace(K=K), None

    def leave_out(self, chosen: Ints, *, exact: bool = False, bars: Floats | None = None) -> tuple[Floats, Ints]:
        """Return the scores of these documents when left out, and how many others are then free.

        Where documents outside could turn a decision, they enter the working set. What is not solved here, and scores
        very near to zero, go to `RowRetraining`. With `bars` signs do not matter, and a score below its bar only has to
        be certain to be so.
        """
        if bars is None and not exact:
            return self._signs(chosen)
        nowhere = np.full(len(chosen), np.inf)
        sides = (-nowhere, nowhere) if bars is None else (bars, nowhere)
        scores, low, high, free = self._settle(chosen, SCORES if exact else LEVELS, *sides)
        doubt = np.flatnonzero((free < 0) | ((low <= 0) & (high >= 0) & (bars is None)))
        if len(doubt):
            own = None if bars is None else bars[doubt]
            scores[doubt], free[doubt] = self._by_rows(chosen[doubt], exact=exact, bars=own)
        return scores, free

    def _signs(self, chosen: Ints) -> tuple[Floats, Ints]:
        """Return scores that are certain to be above or below zero, and how many others are then free.

        What stays on its side on the working set does so with all documents, as those outside only raise y f(x): it is
        told from the rest by rough solutions, without a look at them.
        """
        zeros = np.zeros(len(chosen))
        scores, low, high, free = self._look_once(chosen, STAGES[1], zeros, zeros, Look.NONE)
        rest = np.flatnonzero((free < 0) | np.where(self.y[chosen] > 0, low <= 0, high >= 0))
        if len(rest):
            scores[rest], low, high, free[rest] = self._settle(chosen[rest], LEVELS, zeros[rest], zeros[rest])
            doubt = rest[(free[rest] < 0) | ((low <= 0) & (high >= 0))]
            if len(doubt):
                scores[doubt], free[doubt] = self._by_rows(chosen[doubt], exact=False, bars=None)
        return scores, free

    def narrow(self, chosen: Ints, stage: int, bars: Floats, roofs: Floats) -> Narrowed:
        """Return scores and between which bounds they lie, as far as this stage tells or it is asked for.

        A score needs no more than to be certain to lie below its bar or above its roof. The first stage looks only at
        the working set: documents outside could raise y f(x) of the one left out, which is bounded from one side then.
        After the last stage the bounds are the score itself.
        """
        if stage == len(STAGES) - 1:
            scores, _, _, free = self._settle(chosen, STAGES[stage], bars, roofs)
            low, high = scores.copy(), scores.copy()
        else:
            look = self._whom_to_look_at(stage)
            scores, low, high, free = self._look_once(chosen, STAGES[stage], bars, roofs, look)
        lost = np.flatnonzero(free < 0)
        if len(lost):
            scores[lost], free[lost] = self._by_rows(chosen[lost], exact=True, bars=bars[lost])
            low[lost] = high[lost] = scores[lost]
        return Narrowed(scores, low, high, free)

    def _whom_to_look_at(self, stage: int) -> Look:
        """Return which documents outside to look at; those that resemble the one left out if others hardly matter."""
        apart = self._spread.similarity < ALIKE and _steepness(self.svms, self.cap) <= GENTLE
        if apart and self.svms.products.all is not None:
            return Look.NONE if stage == 0 else Look.BESIDE if stage < CLOSE else Look.ALL
        return Look.NONE if stage < BLIND else Look.ALL

    def _look_once(
        self, chosen: Ints, levels: Floats, bars: Floats, roofs: Floats, look: Look
    ) -> tuple[Floats, Floats, Floats, Ints]:
        """Return scores, bounds and free documents (−1: not found) on this working set.

        Documents outside it that matter could raise y f(x) of the one left out, up to that of the full solution. They
        enter at the next call.
        """
        place = self._start().place
        if len(self._waiting) or place[chosen].min(initial=0) < 0:
            more = np.union1d(self._waiting, chosen)
            self._grow(more[place[more] < 0])
            self._waiting = self._waiting[:0]
        found, outside = self._round(chosen, levels, bars, roofs, look)
        if found.hit.any():
            self._waiting = outside[found.hit]
        low, high, up, full = found.low, found.high, self.y[chosen] > 0, self.full[chosen]
        unknown = found.open | (look is Look.NONE)
        if look is Look.BESIDE:
            low, high = np.where(up, low, low - UNSEEN), np.where(up, high + UNSEEN, high)
        return found.scores, np.where(up | ~unknown, low, full), np.where(up & unknown, full, high), found.free

    def _by_rows(self, chosen: Ints, *, exact: bool, bars: Floats | None) -> tuple[Floats, Ints]:
        rows = self._rows = self._rows or RowRetraining(self.svms, self.c)
        steps, short = rows.steps, rows.short
        scores, free = rows.leave_out(chosen, exact=exact, bars=bars)
        self.steps, self.short = self.steps + rows.steps - steps, self.short + rows.short - short
        return scores, free

    def _settle(self, chosen: Ints, levels: Floats, bars: Floats, roofs: Floats) -> tuple[Floats, Floats, Floats, Ints]:
        """Return scores, bounds and free documents (−1: not found); documents outside that matter have entered."""
        (scores, low, high), free = np.zeros((3, len(chosen))), np.full(len(chosen), -1, np.int64)
        left, places = np.arange(len(chosen)), self._start().place[chosen]
        if places.min(initial=0) < 0:
            self._grow(chosen[places < 0])
        for _ in range(GROWTH):
            if not len(left) or len(self.rows) > 2 * MOST:
                break
            found, outside = self._round(chosen[left], levels, bars[left], roofs[left])
            scores[left], low[left], high[left], free[left] = found.scores, found.low, found.high, found.free
            left = left[found.open]
            if len(left):
                self._grow(outside[found.hit])
        free[left] = -1
        return scores, low, high, free

    def _round(
        self, chosen: Ints, levels: Floats, bars: Floats, roofs: Floats, look: Look = Look.ALL
    ) -> tuple[Removed, Ints]:
        """Return what was found on the working set, and the documents outside it."""
        (place, nearby, outer, beside), products = self._start(), self.svms.products
        if look is Look.NONE:
            outer = outer._replace(places=outer.places[:0])
        room = products.room(products.width if look is Look.ALL else 1)
        near = beside if look is Look.BESIDE else NOBODY
        found = leave_out_nearby(nearby, outer, LaneRemovals(self.rows, place[chosen], levels, bars, roofs, near, room))
        self.steps += int(found.steps.sum()) * len(self.rows)
        return found, outer.places

    def _start(self) -> _Start:
        """Return what all removals start from, on this working set."""
        if self._started is None:
            rows, place, products = self.rows, np.full(len(self.y), -1, np.int64), self.svms.products
            place[rows] = np.arange(len(rows))
            y, cap, squares, beta = (part[rows] for part in (self.y, self.cap, self.svms.squares, self.beta))
            spread = self._spread._replace(share=self._spread.share[rows], answer=self._spread.answer[rows])
            dual = Dual(y, cap, squares, beta, NOTHING, np.array([self.bias]))
            nearby = prepare(self.products, dual, self.full[rows], spread, self.svms.penalty)
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
                padded = np.zeros((3, products.all.shape[1]), np.float32)
                padded[:, : len(spare)] = self.y, spare, self._spread.answer
                beside = Beside(products.all, *padded)
            self._started = _Start(place, nearby, outer, beside)
        return self._started
