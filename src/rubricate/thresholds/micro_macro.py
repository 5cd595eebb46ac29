"""Micro-macro: cuts that keep both averages of F1 high together."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.native.measures import StepTables, balance_f1
from rubricate.thresholds.cutting.curves import curves
from rubricate.thresholds.cutting.grid import take_labels, take_scores
from rubricate.thresholds.definition.threshold import Threshold

__all__ = ["MicroMacro"]


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
