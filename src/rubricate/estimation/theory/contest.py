"""Which category is the best one of each document when the document is left out: intervals, narrowed until it is plain.

Every score of a document lies in an interval. A category whose interval lies below that of another one is out; a
document whose categories are out but for one is decided. What is left is asked of `ChosenWays`, in stages.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rubricate.classifiers.svm.leave_one_out import FEW, SAFETY, LeftOut
from rubricate.classifiers.svm.leave_one_out.pairs import LeftOutPairs, Narrowed
from rubricate.classifiers.svm.leave_one_out import SolvedSVMs
from rubricate.classifiers.svm.leave_one_out.ways import Full
from rubricate.estimation.theory.best_category import both_columns, lowered_scores
from rubricate.kernels.contenders import ALL, contenders

__all__ = ["Contest"]


class Contest:
    """The scores of all documents (columns) in all categories (rows): `low` <= score <= `high`.

    The bounds of the start are those of `best_category`, with `SAFETY` for what the solution lacks of the optimum. They
    hold for a free bias where retrained SVMs have some 0 < α < C: of a category with few such documents nothing is
    known about its support vectors, of one with none about any document.
    """

    def __init__(self, svms: SolvedSVMs, scores: Any) -> None:
        self.own = svms.own
        self.score = np.ascontiguousarray(both_columns(scores, len(self.own)).T)
        moved = np.ascontiguousarray(lowered_scores(scores, svms, 2 * svms.radius2 if svms.free else svms.bound).T)
        self.low, self.high = np.minimum(moved, self.score) - SAFETY, np.maximum(moved, self.score) + SAFETY
        self.solved, self.unstable = np.zeros_like(self.own), np.zeros_like(self.own)
        self._free, self._open = svms.free, np.arange(self.own.shape[1])
        self._begin(svms)
        self.full = self.score.copy()

    def _begin(self, svms: SolvedSVMs) -> None:
        """Say what is certain, or uncertain, of some categories in spite of the bounds."""
        counted = svms.weights > 0
        inside = self.own @ counted.astype(np.int64)
        outside = np.count_nonzero(counted) - inside
        if svms.free:
            for c in np.flatnonzero(svms.free_counts <= FEW):
                _, documents, _ = svms.columns(np.array([c]))
                unknown = documents if svms.free_counts[c] else np.arange(self.own.shape[1])
                self.low[c, unknown], self.high[c, unknown] = -np.inf, np.inf
        for c in np.flatnonzero((inside == 1) | (outside == 1)):
            alone = counted & np.where(self.own[c], inside[c] == 1, outside[c] == 1)
            # What is left when a document is alone on its side is the other side.
            self.low[c, alone] = self.high[c, alone] = self.score[c, alone] = np.where(self.own[c, alone], -1.0, 1.0)
            self.solved[c, alone] = True
        # Nothing to separate: the SVM is a constant, and its documents have α = 0.
        for c in np.flatnonzero((inside == 0) | (outside == 0)):
            self.low[c] = self.high[c] = self.score[c] = svms.intercept[c]
            self.solved[c] = False

    def pairs(self, part: int = ALL) -> LeftOutPairs:
        """Return categories, and the documents to be left out of each: of `OWN`, `OTHER` or `ALL` categories."""
        *found, self._open = contenders(self.low, self.high, self.own, self._open, part)
        # What is decided stays so: nobody asks for it again.
        return LeftOutPairs(*found)

    def note(self, pairs: LeftOutPairs, found: Narrowed) -> None:
        """Take in what was found."""
        at = pairs.categories, pairs.documents
        # A stage that cannot tell leaves what was known before.
        low = np.where(found.low > -np.inf, found.low, self.low[at])
        high = np.where(found.high < np.inf, found.high, self.high[at])
        self.low[at], self.high[at] = low, high
        # A rough score may lie beyond a bound that is known otherwise, and decides as its interval does.
        self.score[at] = np.clip(found.scores, low, high)
        self.solved[at] |= found.removed
        self.unstable[at] = (found.free == 0) & self._free

    def left_out(self, svms: SolvedSVMs, known: list[Full]) -> list[LeftOut]:
        """Return the scores of all categories, with what is known of their full solutions."""
        count = len(self.own)
        support, steps, short = svms.alpha.toarray().T > 0, np.zeros(count, np.int64), np.zeros(count, np.int64)
        for full in known:
            chosen = full.categories
            self.score[chosen] = np.where(self.solved[chosen], self.score[chosen], full.scores)
            self.full[chosen], support[chosen] = full.scores, full.support
            steps[chosen], short[chosen] = full.steps, full.short
        support |= self.solved
        return [
            LeftOut(
                self.score[c], self.full[c], self.solved[c], self.unstable[c], support[c],
                int(steps[c]), int(short[c]),
            )
            for c in range(count)
        ]  # fmt: skip
