"""Leave-one-out of one category of an SVM: which documents are in doubt, and who retrains without them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rubricate.classifiers.svm.leave_one_out.matrix import MatrixRetraining
from rubricate.classifiers.svm.leave_one_out.near import NearRetraining, suits
from rubricate.classifiers.svm.leave_one_out.rows import RowRetraining
from rubricate.classifiers.svm.leave_one_out.solved import Side, SolvedSVMs
from rubricate.types import Bools, Floats, Ints

__all__ = ["FEW", "SAFETY", "LeftOut", "Way", "chosen_way", "leave_one_out_scores"]

SAFETY = 0.02
"""How much the conditions are widened, for what the polished solution lacks of the optimum.

Its margins hold to 2e-4 or better, so that this is on the safe side by far; a document re-solved in vain costs some ten
microseconds."""
FEW = 10
"""Where a solution has so few documents with 0 < α < C, that of a retraining may have none: all are re-solved."""


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The leave-one-out scores of one category.

    `score`, where `solved` or α = 0, is that of the retrained SVM; elsewhere of the full one, whose decision the
    retrained one shares. `unstable` marks retrained solutions without 0 < α < C. `full` are the scores of all.
    `support` marks the documents whose removal changes the solution (α > 0); `steps` are the coordinate steps
    times the documents they were made for, `short` the re-solves that ended before the sign was certain.
    """

    score: Floats
    full: Floats
    solved: Bools
    unstable: Bools
    support: Bools
    steps: int = 0
    short: int = 0

    @property
    def candidates(self) -> int:
        """The number of support vectors and others re-solved."""
        return int(np.count_nonzero(self.solved | self.support))


class Way(Protocol):
    """A way to leave documents out of one category, with the full solution as it has polished it."""

    y: Floats
    cap: Floats
    beta: Floats
    full: Floats

    @property
    def steps(self) -> int:
        """The coordinate steps made so far, times the documents they were made for."""
        ...

    @property
    def short(self) -> int:
        """The re-solves that ended before the sign was certain."""
        ...

    def leave_out(self, chosen: Ints, *, exact: bool = False, bars: Floats | None = None) -> tuple[Floats, Ints]:
        """Return the scores of these documents when left out, and how many others are then free."""
        ...


def _doubtful(svms: SolvedSVMs, way: Way, every: bool) -> Ints:
    """Return the documents whose decision a retraining may change (see the package for why).

    Of those that are classified rightly: with a free bias 2 α_i R² + ξ_i >= 1 (joachims2000, lemma 1), or any α_i > 0
    where few are free, or all where none is. Else α_i K(x_i, x_i) >= y_i f(x_i).
    """
    alpha, margin = np.abs(way.beta), way.y * way.full
    free = int(Side(way.y, way.cap, way.beta).free.sum())
    if svms.free and free == 0:
        return np.arange(len(alpha))
    if every or (svms.free and free <= FEW):
        return np.flatnonzero(alpha > 0)
    alpha = np.where(margin < -SAFETY, 0.0, alpha)
    if svms.free:
        return np.flatnonzero((alpha > 0) & (2 * alpha * svms.radius2 >= margin - SAFETY))
    own = svms.kernel.diagonal(svms.squares) + svms.shift
    return np.flatnonzero((alpha > 0) & (alpha * own >= margin - SAFETY))


def chosen_way(svms: SolvedSVMs, c: int, gram: Floats | None) -> Way:
    """Choose the kernel matrix of all documents if there is one, that of those near the margin if it suits, or rows."""
    if gram is not None:
        return MatrixRetraining(svms, c, gram)
    if suits(svms)[c]:
        near = NearRetraining(svms, c)
        if near.settled:
            return near
    return RowRetraining(svms, c)


def leave_one_out_scores(
    svms: SolvedSVMs,
    c: int,
    *,
    gram: Floats | None = None,
    every: bool = False,
) -> LeftOut:
    """Return the score of every document by the SVM of category c trained without it.

    `gram` is the kernel matrix of all documents; without it the rows themselves are used, for a linear kernel.
    `every` re-solves all support vectors. A document that is alone on its side, of those with a weight, leaves nothing
    to separate: the score is that of the other side, ∓1.
    """
    n, inside = svms.labels.shape[0], svms.labels[:, [c]].toarray()[:, 0]
    sides = np.array([np.count_nonzero(svms.weights[inside == side]) for side in (False, True)])
    if not sides.all():
        constant, nobody = np.full(n, svms.intercept[c]), np.zeros(n, np.bool_)
        return LeftOut(constant, constant, nobody, nobody, nobody)
    way = chosen_way(svms, c, gram)
    score, solved, unstable = way.full.copy(), np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    lonely = (sides[inside.astype(int)] == 1) & (svms.weights > 0)
    score[lonely], solved[lonely] = -way.y[lonely], True
    chosen = _doubtful(svms, way, every)
    chosen = chosen[~lonely[chosen]]
    if len(chosen):
        score[chosen], free = way.leave_out(chosen, exact=every)
        solved[chosen], unstable[chosen] = True, free == 0
    return LeftOut(score, way.full, solved, unstable & svms.free, way.beta != 0, way.steps, way.short)
