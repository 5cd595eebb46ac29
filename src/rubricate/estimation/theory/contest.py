"""Which category is the best one of each document when the document is left out: intervals, narrowed until it is plain.

Every score of a document lies in an interval. A category whose interval lies below that of another one is out; a
document whose categories are out but for one is decided. What is left is asked of `Way`s, in stages.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rubricate.classifiers.svm.leave_one_out.category import FEW, SAFETY, LeftOut, Way
from rubricate.classifiers.svm.leave_one_out.near import Narrowed, NearRetraining
from rubricate.classifiers.svm.leave_one_out.solved import Side, SolvedSVMs
from rubricate.estimation.theory.best_category import both_columns, lowered_scores
from rubricate.types import Bools, Floats, Ints

__all__ = ["Contest", "Narrowing"]


class Narrowing(NamedTuple):
    """What a way found for some documents of a category, and what it knows of all of them."""

    found: Narrowed
    full: Floats
    support: Bools
    steps: int
    short: int


class Contest:
    """The scores of all documents (columns) in all categories (rows): `low` <= score <= `high`.

    The bounds of the start are those of `best_category`, with `SAFETY` for what the solution lacks of the optimum. They
    hold for a free bias where retrained SVMs have some 0 < α < C: of a category with few such documents nothing is
    known about its support vectors, of one with none about any document.
    """

    def __init__(self, svms: SolvedSVMs, scores: Any) -> None:
        self.own = np.ascontiguousarray(svms.labels.toarray().T, bool)
        self.score = np.ascontiguousarray(both_columns(scores, len(self.own)).T)
        self.full, self.support = self.score.copy(), np.ascontiguousarray(svms.alpha.toarray().T > 0)
        moved = np.ascontiguousarray(lowered_scores(scores, svms, 2 * svms.radius2 if svms.free else svms.bound).T)
        self.low, self.high = np.minimum(moved, self.full) - SAFETY, np.maximum(moved, self.full) + SAFETY
        self.solved, self.unstable = np.zeros_like(self.own), np.zeros_like(self.own)
        self.steps, self.short = np.zeros(len(self.own), np.int64), np.zeros(len(self.own), np.int64)
        self._free, self._known = svms.free, set[int]()
        self._low, self._high, self.sides = _Best(self.low), _Best(self.high), dict[int, Side]()
        for c in range(len(self.own)):
            self._begin(svms, c)

    def _begin(self, svms: SolvedSVMs, c: int) -> None:
        """Say what is certain, or uncertain, of a category in spite of the bounds."""
        own = self.own[c]
        sides = np.array([np.count_nonzero(svms.weights[own == side]) for side in (False, True)])
        if not sides.all():
            # Nothing to separate: the SVM is a constant, and its documents have α = 0.
            self.low[c] = self.high[c] = self.score[c] = self.full[c] = svms.intercept[c]
            return
        side = self.sides[c] = svms.side(c)
        free = int(side.free.sum())
        if svms.free and free <= FEW:
            unknown = (side.beta != 0) | (free == 0)
            self.low[c, unknown], self.high[c, unknown] = -np.inf, np.inf
        alone = (sides[own.astype(int)] == 1) & (svms.weights > 0)
        # What is left when a document is alone on its side is the other side.
        self.low[c, alone] = self.high[c, alone] = self.score[c, alone] = np.where(own[alone], -1.0, 1.0)
        self.solved[c, alone] = True

    def pairs(self, part: str) -> list[tuple[int, Ints]]:
        """Return categories, and the documents to be left out of each: of "own", "other" or "all" categories."""
        self._low, self._high = _Best(self.low), _Best(self.high)
        contending = self.high >= self._low.first
        wanted = contending & (contending.sum(axis=0) > 1) & (self.high > self.low)
        if part != "all":
            wanted &= self.own == (part == "own")
        categories, documents = np.nonzero(wanted)
        ends = np.searchsorted(categories, np.arange(len(wanted) + 1))
        return [(c, documents[ends[c] : ends[c + 1]]) for c in range(len(wanted)) if ends[c + 1] > ends[c]]

    def narrowed(self, way: Way, c: int, chosen: Ints, stage: int) -> Narrowing:
        """Ask a way for the scores of documents when left out of a category, as far as the others leave that open."""
        steps, short, support = way.steps, way.short, way.beta != 0
        # Where no document has 0 < α < C, any removal may move a free bias.
        loose = self._free and not Side(way.y, way.cap, way.beta).free.any()
        moving = np.arange(len(chosen)) if loose else np.flatnonzero(support[chosen])
        scores, free = way.full[chosen], np.ones(len(chosen), np.int64)
        found = Narrowed(scores, scores.copy(), scores.copy(), free)
        if len(moving):
            asked = chosen[moving]
            bars, roofs = self._low.others(c, asked), self._high.others(c, asked)
            narrow = way.narrow if isinstance(way, NearRetraining) else partial(_exact, way)
            for whole, part in zip(found, narrow(asked, stage, bars, roofs), strict=True):
                whole[moving] = part
        support[chosen[moving]] = True
        return Narrowing(found, way.full, support, way.steps - steps, way.short - short)

    def note(self, c: int, chosen: Ints, narrowing: Narrowing) -> None:
        """Take in what a way has found."""
        found, full, support, steps, short = narrowing
        if c not in self._known:
            self._known.add(c)
            self.score[c, ~self.solved[c]] = full[~self.solved[c]]
            self.full[c], self.support[c] = full, support
        # A stage that cannot tell leaves what was known before.
        low = np.where(found.low > -np.inf, found.low, self.low[c, chosen])
        high = np.where(found.high < np.inf, found.high, self.high[c, chosen])
        self.low[c, chosen], self.high[c, chosen] = low, high
        # A rough score may lie beyond a bound that is known otherwise, and decides as its interval does.
        self.score[c, chosen] = np.clip(found.scores, low, high)
        self.solved[c, chosen] |= support[chosen]
        self.support[c, chosen] |= support[chosen]
        self.unstable[c, chosen] = (found.free == 0) & self._free
        self.steps[c] += steps
        self.short[c] += short

    def left_out(self) -> list[LeftOut]:
        """Return the scores of all categories."""
        return [
            LeftOut(
                self.score[c], self.full[c], self.solved[c], self.unstable[c], self.support[c],
                int(self.steps[c]), int(self.short[c]),
            )
            for c in range(len(self.own))
        ]  # fmt: skip


class _Best:
    """The largest number of each document, and the largest among the other categories."""

    def __init__(self, values: Floats) -> None:
        documents = np.arange(values.shape[1])
        self.category, rest = np.argmax(values, axis=0), values.copy()
        self.first = values[self.category, documents]
        rest[self.category, documents] = -np.inf
        self.second = rest.max(axis=0, initial=-np.inf)

    def others(self, c: int, chosen: Ints) -> Floats:
        """Return the largest number of some documents in the categories other than c."""
        return np.where(self.category[chosen] == c, self.second[chosen], self.first[chosen])


def _exact(way: Way, chosen: Ints, stage: int, bars: Floats, roofs: Floats) -> Narrowed:
    """Ask a way that knows no stages: scores, or what is certain to lie below its bar."""
    scores, free = way.leave_out(chosen, exact=True, bars=bars)
    return Narrowed(scores, scores, scores, free)
