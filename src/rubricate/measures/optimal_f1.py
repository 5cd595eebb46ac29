"""The highest F1 that any cut reaches."""

from __future__ import annotations

import numpy as np

from rubricate.measures.definition.measure import measure
from rubricate.measures.definition.ratio import undefined_value
from rubricate.measures.f1 import f1
from rubricate.measures.rankings.sweeps import best_cut
from rubricate.types import Counts, Floats, Undefined

__all__ = ["optimal_f1"]


@measure("cuts", "optF1")
def optimal_f1(cuts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return max F1 over a family of cuts: what the best threshold in hindsight would give. yang1999, section 3.3.

    A true break-even point is one value of F1 and so never exceeds it; an interpolated one may. 0/0 when nothing
    is true (then no cut is better than to assign nothing, which is 0/0 itself).
    """
    if not len(cuts) or not (cuts.tp + cuts.fn).any():
        return np.array([undefined_value(undefined)])
    return f1(cuts)[[best_cut(cuts)]]
