"""Scut: for each category the score that does best on held-out documents."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np

from rubricate import measures
from rubricate.errors import InvalidInput, UnknownName
from rubricate.measures import Measure
from rubricate.measures.contingency import f1
from rubricate.native.measures import StepTables, balance_f1
from rubricate.registry import threshold
from rubricate.thresholds.base import Threshold
from rubricate.thresholds.curves import Curves, curves
from rubricate.thresholds.decisions import take_labels, take_scores
from rubricate.types import Bools, Counts, Floats, Ints

__all__ = ["MicroMacro", "Scut"]

FALLBACKS = ("maximum", "infinity")


@threshold("scut")
class Scut(Threshold):
    """For each category the cut that maximises a measure, F1 by default, on held-out scores. yang1999, section 4.2.

    Parameters
    ----------
    criterion : str or Measure
        A measure of counts ("f1", "f_beta:2", "error", …). It must not improve when a true negative becomes a false
        positive, which holds for all of ours.
    fbr : float or None
        The fallback of yang2001: where the F1 at the chosen cut is under `fbr`, `fallback="maximum"` (FBR.1) cuts above
        the highest held-out score of the category, `"infinity"` (FBR.0) never assigns it. None: no fallback, the Scut
        of yang1999.
    smooth : float
        s/2 is added to every cell of the table before it is measured, which makes F1 (2TP + s) / (2TP + FP + FN + 2s):
        "assign none" then beats a few lucky hits (fanlin2007 has something similar).
    cap : float or None
        A cut may assign at most cap · n_c + 1 held-out documents, n_c those that have the category.
    shrink : float
        k: the cut becomes (n_c · cut + k · g) / (n_c + k), with g the best common cut of all categories; infinite cuts
        stay.
    folds, seeds : int
        How scores should be made when a classifier is trained too (`Thresholded`): out of 5 folds, once; with more
        seeds the median of the cuts is taken. `fit` itself reads neither.

    The cut is the middle between the lowest assigned score and the next lower one, never inside a tie; of cuts
    that do equally well the one that assigns fewest. "Assign none" cuts at the next float above the highest score:
    yang2001 puts FBR.1 at the highest score itself, which with `score >= cut` would assign every document tied there.
    A category without a held-out positive is cut there too (FBR.0: at infinity). Equal scores throughout are all
    assigned, as F1 wants, unless its value, 2n_c / (n + n_c), is under `fbr`. Without any held-out document, or where
    all scores are -inf, the cut is +inf.

    Cost: documents × categories comparisons and labels · log(labels); memory ∝ labels.

    >>> cut = Scut().fit([[0.9, 0.1], [0.6, 0.3], [0.2, 0.2], [0.1, 0.1]], [[1, 0], [1, 0], [0, 0], [0, 0]])
    >>> cut.cuts_.round(3).tolist()
    [0.4, 0.3]
    """

    shorthand = ("fbr", float)

    def __init__(
        self,
        *,
        criterion: str | Measure[...] = "f1",
        fbr: float | None = 0.1,
        fallback: Literal["maximum", "infinity"] = "maximum",
        smooth: float = 0.0,
        cap: float | None = None,
        shrink: float = 0.0,
        folds: int = 5,
        seeds: int = 1,
    ) -> None:
        self.criterion = criterion
        self.fbr = fbr
        self.fallback = fallback
        self.smooth = smooth
        self.cap = cap
        self.shrink = shrink
        self.folds = folds
        self.seeds = seeds

    def fit(self, scores: Any, labels: Any) -> Self:
        """Learn one cut for each category from held-out scores and labels."""
        self._check()
        grid = take_scores(scores)
        matrix = take_labels(labels, grid.shape)
        sweep = curves(grid, matrix)
        self.cuts_ = self._shrunk(self._cuts(sweep), sweep.positives, pooled=lambda: curves(grid, matrix, pooled=True))
        return self

    def _cuts(self, sweep: Curves) -> Floats:
        chosen = self._chosen(sweep)
        cuts = sweep.cuts(chosen)
        if self.fbr is None:
            return cuts
        weak = f1(sweep.tables())[chosen] < self.fbr
        none = sweep.cuts(sweep.starts[1:] - 1) if self.fallback == "maximum" else np.inf
        return np.where(weak, none, cuts)

    def _chosen(self, sweep: Curves) -> Ints:
        measure = measures.resolve(self.criterion)
        values = measure(_smoothed(sweep.tables(), self.smooth / 2), undefined="zero")
        return sweep.best(values if measure.greater_is_better else -values, self._allowed(sweep))

    def _allowed(self, sweep: Curves) -> Bools | None:
        if self.cap is None:
            return None
        return sweep.assigned <= self.cap * sweep.positives[sweep.category] + 1

    def _shrunk(self, cuts: Floats, positives: Ints, *, pooled: Callable[[], Curves]) -> Floats:
        """Move the cuts towards the common one of all cells; the curve of all cells is made only where it is needed."""
        if self.shrink == 0:
            return cuts
        everyone = pooled()
        common = everyone.cuts(self._chosen(everyone))
        finite = np.where(np.isfinite(cuts), cuts, 0.0)
        moved = (positives * finite + self.shrink * common) / (positives + self.shrink)
        return np.where(np.isfinite(cuts), moved, cuts)

    def _check(self) -> None:
        if self.fallback not in FALLBACKS:
            raise UnknownName("fallback", str(self.fallback), FALLBACKS)
        kind = getattr(measures.resolve(self.criterion), "kind", None)
        if kind != "counts":
            raise InvalidInput(
                f"Scut needs a measure of counts as its criterion, such as 'f1'; {self.criterion!r} is not"
            )
        for name in ("fbr", "smooth", "cap", "shrink"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, Real) and 0 <= float(value) < np.inf):
                raise InvalidInput(f"Scut: {name} must be a number from 0 on, got {value!r}")


def _smoothed(table: Counts, more: Any) -> Counts:
    if more == 0:
        return table
    return Counts(table.tp + more, table.fp + more, table.fn + more, table.tn + more)


@threshold("micro_macro")
class MicroMacro(Threshold):
    """Cuts that maximise micro-F1 + `weight` · macro-F1 on held-out scores, all categories together.

    Each category starts at its best F1; then, `passes` times over the categories in their order, each takes the cut
    that maximises micro-F1 + weight · F1_c / m with the others held, m the number of categories (the cyclic
    optimisation of fanlin2007, theirs for micro-F1 alone). Candidates lie between distinct scores among
    the max(50, 5 n_c) best documents, n_c those that have the category, and "assign none". The cut is the middle
    between the adjacent scores; for "none" the next float above the highest; where every document is assigned,
    the lowest score. Of equal values the cut that assigns fewest wins. No held-out document, or scores all -inf: +inf.

    Rare categories are safe here: a cut that assigns much for few hits costs micro-F1 more than it adds, so no fallback
    is needed. Cost: as Scut, and (passes + 1) · labels.

    Parameters
    ----------
    weight : float
        Weight of macro-F1; 0 is for micro-F1 alone, from 0.25 to 0.5 keeps both high.
    passes : int
        How often all categories are gone over.
    folds, seeds : int
        As in `Scut`.

    >>> scores = [[0.9, 0.1], [0.6, 0.3], [0.2, 0.2], [0.1, 0.1]]
    >>> MicroMacro().fit(scores, [[1, 0], [1, 0], [0, 0], [0, 0]]).decide(scores).toarray().astype(int).tolist()
    [[1, 0], [1, 0], [0, 0], [0, 0]]
    """

    shorthand = ("weight", float)

    def __init__(self, *, weight: float = 0.25, passes: int = 2, folds: int = 5, seeds: int = 1) -> None:
        self.weight = weight
        self.passes = passes
        self.folds = folds
        self.seeds = seeds

    def fit(self, scores: Any, labels: Any) -> Self:
        """Learn one cut for each category from held-out scores and labels."""
        if not 0 <= self.weight < np.inf or not isinstance(self.passes, Integral) or self.passes < 0:
            raise InvalidInput(
                f"MicroMacro: weight must be a number from 0 on and passes 0, 1, 2, …; got weight={self.weight!r}, "
                f"passes={self.passes!r}"
            )
        grid = take_scores(scores)
        sweep = curves(grid, take_labels(labels, grid.shape))
        near = sweep.assigned <= np.maximum(50, 5 * sweep.positives)[sweep.category]
        tables = StepTables(sweep.starts, sweep.hits, sweep.assigned, sweep.positives, near)
        chosen = balance_f1(tables, float(self.weight), int(self.passes))
        self.cuts_ = sweep.cuts(chosen)
        return self
