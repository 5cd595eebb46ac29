"""Break-even points of families of cuts, true or interpolated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rubricate.measures.definition.ratio import undefined_value
from rubricate.types import Counts, Undefined

__all__ = ["BreakEven", "break_even_point"]


@dataclass(frozen=True)
class BreakEven:
    """A break-even point: its value, whether it had to be interpolated, and the cut it was read at (-1: none)."""

    value: float
    interpolated: bool
    cut: int


def break_even_point(cuts: Counts, *, undefined: Undefined = "zero") -> BreakEven:
    """Find the break-even point of a family of cuts. yang1999, section 3.3; evaluation2011, section 3.

    Precision equals recall where as much is assigned as is true (FP = FN): a true break-even point. Where no cut of
    the family assigns exactly so much, the mean of precision and recall at the cut where they are nearest to each
    other, flagged as interpolated. Cuts without a true positive have P = R = 0 and count as break-even points only if
    they assign exactly as much as is true. Of several, the highest. 0/0 when nothing is true; 0 (interpolated) when
    no cut has a true positive. A family may be the thresholds of one ranking, or the settings of a way of cutting:
    x of Pcut, t of Rcut, an offset to Scut; then each entry is a summed table (`measures.family`).

    >>> cuts = Counts(*(np.array(cells) for cells in ([1, 2], [0, 1], [1, 0], [3, 2])))
    >>> break_even_point(cuts)
    BreakEven(value=0.8333333333333333, interpolated=True, cut=1)
    """
    tp, assigned, true = cuts.tp, cuts.tp + cuts.fp, cuts.tp + cuts.fn
    if not len(tp) or not true.any():
        return BreakEven(undefined_value(undefined), False, -1)
    exact = np.flatnonzero((assigned == true) & (true > 0))
    if len(exact):
        best = int(exact[np.argmax(tp[exact] / true[exact])])
        return BreakEven(float(tp[best] / true[best]), False, best)
    usable = np.flatnonzero(tp > 0)
    if not len(usable):
        return BreakEven(0.0, True, -1)
    p, r = tp[usable] / assigned[usable], tp[usable] / true[usable]
    best = int(np.lexsort((-(p + r), np.abs(p - r)))[0])
    return BreakEven(float((p[best] + r[best]) / 2), True, int(usable[best]))
