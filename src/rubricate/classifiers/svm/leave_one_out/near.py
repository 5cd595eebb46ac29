"""Categories of a linear SVM by the kernel matrices of the documents near their margins, in single precision."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from rubricate.classifiers.svm.leave_one_out.pairs import LeftOutPairs, Narrowed
from rubricate.classifiers.svm.leave_one_out.rows import RowRetraining
from rubricate.classifiers.svm.leave_one_out.sets import cut, empty_sets, enlarged
from rubricate.classifiers.svm.leave_one_out.solved import SolvedSVMs
from rubricate.classifiers.svm.solvers.team import ALONE, Team
from rubricate.kernels.svm_local import Search
from rubricate.kernels.svm_set_removals import LOOK_ALL, LOOK_BESIDE, LOOK_NONE, Answers, Asked, leave_out_of_sets
from rubricate.kernels.svm_sets import CategorySets, Solutions, find_near, grow_sets, polish_sets, start_sets
from rubricate.types import Bools, Floats, Ints

__all__ = ["STAGES", "NearRetraining", "NearSets", "suits"]

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
SPARE, MORE = 96, 0.125
"""Places for documents that come later: so many, and such a share of those that are there. Where they do not suffice,
all sets are copied."""
GROWTH = 8
"""How often documents are taken into the working set before the rest is solved by rows; three at most on
Reuters."""
MOST = 8000
"""Use this way only up to so many support vectors: the working set may grow to twice as many, a matrix of 512 MB."""
STEEP = 20.0
"""Use this way only if C · K(x, x) is at most this: scores are sums of α K, which is known to five digits."""
FEW = 10
"""Use this way only for more free documents than this: one removal may leave none of them, and b is an interval."""
PARTS, BRIEF = 4, 50_000
"""Parts per thread that work is cut into, and the rows of removals below which threads are not worth their start."""


def suits(svms: SolvedSVMs) -> Bools:
    """Return for which categories the matrix fits the memory and single precision is enough.

    That is the case for vectors of about length 1 and C that are not large.
    """
    few = (svms.free_counts <= FEW) | (svms.support_counts > MOST)
    return ~few & svms.even & (_steepness(svms) <= STEEP)


def _steepness(svms: SolvedSVMs) -> Floats:
    """Return the largest C · K(x, x) of each category: how much one document may move a score."""
    return float(svms.weights.max(initial=0.0)) * svms.costs.max(axis=0) * svms.bound


def _with_spare(counts: Ints) -> Ints:
    """Return the places to make for so many documents."""
    return counts + SPARE + (MORE * counts).astype(np.int64)


def _part(
    work: Callable[[CategorySets, Ints], Bools], sets: CategorySets, chosen: Ints, first: int, last: int
) -> Bools:
    return work(sets, chosen[first:last])


class NearSets:
    """The full solutions of some categories, polished, and what is left when documents are left out of them.

    Categories of pairs are numbered as they are given here. Memory: 2 s² bytes for s documents near a margin, and 22
    for each category and document. The team shares the work; it changes no result.
    """

    def __init__(self, svms: SolvedSVMs, categories: Ints, team: Team = ALONE) -> None:
        self.svms, self.categories, self.short = svms, categories, np.zeros(len(categories), np.int64)
        self._team, self._rows = team, dict[int, RowRetraining]()
        self.documents, alpha = svms.products.documents, svms.columns(categories)
        shape = len(categories), svms.X.shape[0]
        self.solutions = Solutions(
            own=svms.own[categories],
            costs=np.ascontiguousarray(svms.costs[:, categories].T),
            weights=svms.weights,
            penalty=svms.penalty,
            shift=svms.shift,
            bias=svms.intercept[categories],
            full=np.empty(shape),
            answer=np.zeros(shape, np.float32),
            similarity=np.zeros(shape[0]),
            free=np.zeros(shape[0], np.int64),
            waiting=np.zeros(shape, np.bool_),
            settled=np.zeros(shape[0], np.bool_),
            steps=np.zeros(shape[0], np.int64),
        )
        first = self.documents, self.solutions
        counts = self._run(lambda *span: find_near(*first, alpha, BAND, *span), np.ones(shape[0]))
        near = np.concatenate([np.empty(0, np.int64), *counts])
        self.sets = empty_sets(_with_spare(near))
        self._run(lambda *span: start_sets(*first, self.sets, alpha, *span), near.astype(np.float64) ** 2)
        search = Search(svms.penalty, LEVEL, SWEEPS, 0)
        self._until_there_is_room(np.arange(shape[0]), lambda sets, chosen: polish_sets(*first, sets, chosen, search))

    @property
    def settled(self) -> Bools:
        """Whether the conditions of each category's full solution hold."""
        return self.solutions.settled

    @property
    def beta(self) -> Floats:
        """The β of all documents in each category."""
        starts, counts, rows, values, *_ = self.sets
        beta = np.zeros(self.solutions.full.shape)
        for k, (first, count) in enumerate(zip(starts, counts, strict=False)):
            beta[k, rows[first : first + count]] = values[first : first + count]
        return beta

    def _run(self, work: Callable[[int, int], Any], costs: Floats, least: float = 0.0) -> list[Any]:
        """Run work on spans of tasks of these costs, in one if all cost less than `least`."""
        alone = self._team.threads == 1 or float(costs.sum()) < least
        return self._team.map(lambda span: work(*span), cut(costs, 1 if alone else PARTS * self._team.threads))

    def _until_there_is_room(self, chosen: Ints, work: Callable[[CategorySets, Ints], Bools]) -> None:
        """Run work that takes sets and categories and says which had room for what waits; give the others more."""
        while len(chosen):
            done = self._run(partial(_part, work, self.sets, chosen), self.sets.counts[chosen].astype(np.float64) ** 2)
            chosen = chosen[~np.concatenate(done)]
            if len(chosen):
                rooms = np.diff(self.sets.starts)
                rooms[chosen] = _with_spare(self.sets.counts[chosen] + self.solutions.waiting[chosen].sum(axis=1))
                self.sets = enlarged(self.sets, rooms)

    def leave_out(self, pairs: LeftOutPairs, *, exact: bool = False, signs: bool = False) -> Narrowed:
        """Return the scores of documents when left out.

        Where documents outside could turn a decision, they enter the working set. What is not solved here, and scores
        very near to zero, go to `RowRetraining`. With `signs` only those are asked for, unless scores are to be exact.
        """
        if signs and not exact:
            return self._signs(pairs)
        found = self._settle(pairs, SCORES if exact else LEVELS)
        doubt = (found.free < 0) | ((found.low <= 0) & (found.high >= 0) & signs)
        self._by_rows(pairs, found, doubt & found.removed, exact=exact, signs=signs)
        return found

    def _signs(self, pairs: LeftOutPairs) -> Narrowed:
        """Return scores that are certain to be above or below zero.

        What stays on its side on the working set does so with all documents, as those outside only raise y f(x): it is
        told from the rest by rough solutions, without a look at them.
        """
        zeros, up = np.zeros(len(pairs.documents)), self._own(pairs)
        pairs = pairs._replace(bars=zeros, roofs=zeros)
        found, _ = self._look_once(pairs, STAGES[1], np.full(len(self.categories), LOOK_NONE))
        rest = np.flatnonzero(found.removed & ((found.free < 0) | np.where(up, found.low <= 0, found.high >= 0)))
        if len(rest):
            found.put(rest, self._settle(pairs.take(rest), LEVELS))
            open = (found.free[rest] < 0) | ((found.low[rest] <= 0) & (found.high[rest] >= 0))
            doubt = np.zeros(len(zeros), np.bool_)
            doubt[rest[open]] = True
            self._by_rows(pairs, found, doubt, exact=False, signs=True)
        return found

    def narrow(self, pairs: LeftOutPairs, stage: int) -> Narrowed:
        """Return scores and between which bounds they lie, as far as this stage tells or it is asked for.

        A score needs no more than to be certain to lie below its bar or above its roof. The first stage looks only at
        the working set: documents outside could raise y f(x) of the one left out, which is bounded from one side then.
        After the last stage the bounds are the score itself.
        """
        if stage == len(STAGES) - 1:
            found = self._settle(pairs, STAGES[stage])
            found = found._replace(low=found.scores.copy(), high=found.scores.copy())
        else:
            looks = self._whom_to_look_at(stage)
            found, open = self._look_once(pairs, STAGES[stage], looks)
            if open.any():
                # Once more, now that those outside have entered: the next stage takes two to three times as long.
                again = np.flatnonzero(open)
                found.put(again, self._look_once(pairs.take(again), STAGES[stage], looks)[0])
        self._by_rows(pairs, found, found.free < 0, exact=True, signs=False)
        return found

    def _whom_to_look_at(self, stage: int) -> Ints:
        """Return which documents outside to look at in each category; those that resemble the one left out if others
        hardly matter."""
        apart = (self.solutions.similarity < ALIKE) & (_steepness(self.svms)[self.categories] <= GENTLE)
        apart &= self.svms.products.shared
        beside = LOOK_NONE if stage == 0 else LOOK_BESIDE if stage < CLOSE else LOOK_ALL
        return np.where(apart, beside, LOOK_NONE if stage < BLIND else LOOK_ALL)

    def _own(self, pairs: LeftOutPairs) -> Bools:
        """Return whether the documents are in the category."""
        own: Bools = self.solutions.own[pairs.categories, pairs.documents]
        return own

    def _look_once(self, pairs: LeftOutPairs, levels: Floats, looks: Ints) -> tuple[Narrowed, Bools]:
        """Return what is found on these working sets, free being −1 where no solution was found, and what is open.

        Documents outside that matter could raise y f(x) of the one left out, up to that of the full solution. They
        enter at the next call.
        """
        self._enter(pairs)
        scores, low, high, free, open, removed = self._round(pairs, levels, looks)
        up, full, look = (
            self._own(pairs),
            self.solutions.full[pairs.categories, pairs.documents],
            looks[pairs.categories],
        )
        unknown, unseen = removed & (open | (look == LOOK_NONE)), UNSEEN * (removed & (look == LOOK_BESIDE))
        low, high = np.where(up, low, low - unseen), np.where(up, high + unseen, high)
        low, high = np.where(up | ~unknown, low, full), np.where(up & unknown, full, high)
        return Narrowed(scores, low, high, free, removed), open

    def _settle(self, pairs: LeftOutPairs, levels: Floats) -> Narrowed:
        """Return what is found when all documents outside that matter have entered; free is −1 where nothing is."""
        count = len(pairs.documents)
        found, left = Narrowed.unknown(count), np.arange(count)
        for _ in range(GROWTH):
            left = left[self.sets.counts[pairs.categories[left]] <= 2 * MOST]
            if not len(left):
                break
            now = pairs.take(left)
            self._enter(now)
            answers = self._round(now, levels, np.full(len(self.categories), LOOK_ALL))
            scores, low, high, free, open, removed = answers
            found.put(left, Narrowed(scores, low, high, np.where(open, -1, free), removed))
            left = left[open]
        return found

    def _by_rows(self, pairs: LeftOutPairs, found: Narrowed, chosen: Bools, *, exact: bool, signs: bool) -> None:
        """Solve some pairs by rows: scores, or what is certain to lie below its bar; with `signs` the side of zero."""

        def work(k: int) -> None:
            rows = self._rows.get(k)
            rows = self._rows[k] = rows or RowRetraining(self.svms, int(self.categories[k]))
            own, steps, short = chosen & (pairs.categories == k), rows.steps, rows.short
            bars = None if signs else pairs.bars[own]
            found.scores[own], found.free[own] = rows.leave_out(pairs.documents[own], exact=exact, bars=bars)
            found.low[own] = found.high[own] = found.scores[own]
            self.solutions.steps[k] += rows.steps - steps
            self.short[k] += rows.short - short

        self._team.map(work, np.unique(pairs.categories[chosen]).tolist())

    def _enter(self, pairs: LeftOutPairs) -> None:
        """Let documents that wait enter; where none is free, those of the pairs do, too, as any removal may matter."""
        solutions = self.solutions
        if self.svms.free and (loose := solutions.free[pairs.categories] == 0).any():
            solutions.waiting[pairs.categories[loose], pairs.documents[loose]] = True
        chosen = np.unique(pairs.categories)
        self._until_there_is_room(
            chosen[solutions.waiting[chosen].any(axis=1)], partial(grow_sets, self.documents, solutions)
        )

    def _round(self, pairs: LeftOutPairs, levels: Floats, looks: Ints) -> Answers:
        """Leave the documents of pairs out, on the working sets as they are; documents outside that matter wait."""
        count, state = len(pairs.documents), (self.documents, self.solutions, self.sets)
        (scores, low, high), (open, removed) = np.empty((3, count)), np.empty((2, count), np.bool_)
        answers, asked = (
            Answers(scores, low, high, np.empty(count, np.int64), open, removed),
            Asked(*pairs, levels, looks),
        )
        terms = self.documents.width if (looks == LOOK_ALL).any() else 1

        def work(first: int, last: int) -> Ints:
            return leave_out_of_sets(*state, asked, first, last, answers, self.svms.products.room(terms))

        for steps in self._run(work, self.sets.counts[pairs.categories].astype(np.float64), BRIEF):
            self.solutions.steps[:] += steps
        return answers


class NearRetraining:
    """One category by the documents near its margin."""

    def __init__(self, svms: SolvedSVMs, c: int) -> None:
        self.y, self.cap, _ = svms.side(c)
        self.sets = NearSets(svms, np.array([c]))
        self.beta, self.full, self.settled = self.sets.beta[0], self.sets.solutions.full[0], bool(self.sets.settled[0])

    @property
    def steps(self) -> int:
        """The steps made so far, times the documents they were made for."""
        return int(self.sets.solutions.steps[0])

    @property
    def short(self) -> int:
        """The removals that ended before the sign was certain."""
        return int(self.sets.short[0])

    def leave_out(self, chosen: Ints, *, exact: bool = False, bars: Floats | None = None) -> tuple[Floats, Ints]:
        """Return the scores of these documents when left out, and how many others are then free.

        With `bars` signs do not matter, and a score below its bar only has to be certain to be so.
        """
        nowhere = np.full(len(chosen), np.inf)
        found = self.sets.leave_out(
            self._pairs(chosen, -nowhere if bars is None else bars, nowhere), exact=exact, signs=bars is None
        )
        return found.scores, found.free

    def narrow(self, chosen: Ints, stage: int, bars: Floats, roofs: Floats) -> Narrowed:
        """Return scores and between which bounds they lie: see `NearSets.narrow`."""
        return self.sets.narrow(self._pairs(chosen, bars, roofs), stage)

    @staticmethod
    def _pairs(chosen: Ints, bars: Floats, roofs: Floats) -> LeftOutPairs:
        return LeftOutPairs(np.zeros(len(chosen), np.int64), chosen, bars, roofs)
