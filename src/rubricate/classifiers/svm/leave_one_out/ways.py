"""The categories of an SVM, each by the way that suits it: all those by documents near their margins together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rubricate.classifiers.svm.leave_one_out.category import Way
from rubricate.classifiers.svm.leave_one_out.matrix import MatrixRetraining
from rubricate.classifiers.svm.leave_one_out.near import NearSets, suits
from rubricate.classifiers.svm.leave_one_out.pairs import LeftOutPairs, Narrowed
from rubricate.classifiers.svm.leave_one_out.rows import RowRetraining
from rubricate.classifiers.svm.leave_one_out.solved import Side, SolvedSVMs
from rubricate.classifiers.svm.solvers.team import ALONE, Team
from rubricate.types import Bools, Floats, Ints

__all__ = ["ChosenWays", "Full"]


class Full(NamedTuple):
    """The full solutions of some categories: scores and support vectors (categories × documents), steps made, and
    removals that ended before the sign was certain."""

    categories: Ints
    scores: Floats
    support: Bools
    steps: Ints
    short: Ints


class ChosenWays:
    """Leaves documents out of categories, with what it knows of them kept. A team shares the work."""

    def __init__(self, svms: SolvedSVMs, gram: Floats | None, team: Team = ALONE) -> None:
        self.svms, self._gram, self._team = svms, gram, team
        self._groups: list[NearSets] = []
        self._others: dict[int, Way] = {}
        self._group, self._number = np.full((2, svms.labels.shape[1]), -1, np.int64)

    def _meet(self, categories: Ints) -> None:
        """Choose a way for categories that are new."""
        new = categories[(self._group[categories] < 0) & ~np.isin(categories, list(self._others))]
        near = new[suits(self.svms)[new]] if self._gram is None else new[:0]
        if len(near):
            group = NearSets(self.svms, near, self._team)
            found = near[group.settled]
            self._group[found], self._number[found] = len(self._groups), np.flatnonzero(group.settled)
            self._groups.append(group)
        for c in new[self._group[new] < 0]:
            self._others[int(c)] = (
                RowRetraining(self.svms, int(c))
                if self._gram is None
                else MatrixRetraining(self.svms, int(c), self._gram)
            )

    def narrow(self, pairs: LeftOutPairs, stage: int) -> Narrowed:
        """Return what a stage tells about the scores: see `NearSets.narrow`; other ways know but the last stage."""
        self._meet(np.unique(pairs.categories))
        found, group = Narrowed.unknown(len(pairs.categories)), self._group[pairs.categories]
        for number, sets in enumerate(self._groups):
            chosen = np.flatnonzero(group == number)
            own = pairs.take(chosen)
            found.put(chosen, sets.narrow(own._replace(categories=self._number[own.categories]), stage))
        rest = np.flatnonzero(group < 0)
        parts = pairs.take(rest).by_category()
        answers = self._team.map(self._exact, parts)
        ends = np.cumsum([0, *(len(part.documents) for part in parts)])
        for k, answer in enumerate(answers):
            found.put(rest[ends[k] : ends[k + 1]], answer)
        return found

    def _exact(self, pairs: LeftOutPairs) -> Narrowed:
        """Ask the way of one category that knows no stages: scores, or what is certain to lie below its bar."""
        way = self._others[int(pairs.categories[0])]
        # Where no document has 0 < α < C, any removal may move a free bias.
        loose = self.svms.free and not Side(way.y, way.cap, way.beta).free.any()
        removed = (way.beta[pairs.documents] != 0) | loose
        scores, free = way.full[pairs.documents], np.ones(len(removed), np.int64)
        if removed.any():
            part = pairs.take(removed)
            scores[removed], free[removed] = way.leave_out(part.documents, exact=True, bars=part.bars)
        return Narrowed(scores, scores, scores, free, removed)

    def full(self) -> Full:
        """Return what is known of the categories met so far."""
        parts = [Full(np.empty(0, np.int64), *(np.empty((0, self.svms.X.shape[0])),) * 2, *np.empty((2, 0), np.int64))]
        for number, sets in enumerate(self._groups):
            own = self._group[sets.categories] == number
            parts.append(
                Full(
                    sets.categories[own],
                    sets.solutions.full[own],
                    (sets.beta != 0)[own],
                    sets.solutions.steps[own],
                    sets.short[own],
                )
            )
        parts += [
            Full(np.array([c]), way.full[None], (way.beta != 0)[None], np.array([way.steps]), np.array([way.short]))
            for c, way in self._others.items()
        ]
        categories, scores, support, steps, short = (np.concatenate(each) for each in zip(*parts, strict=True))
        return Full(categories, scores, support.astype(np.bool_), steps, short)
