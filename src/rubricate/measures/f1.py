"""F1: the harmonic mean of precision and recall."""

from __future__ import annotations

from rubricate.measures.definition.measure import measure
from rubricate.measures.definition.ratio import ratio
from rubricate.types import Counts, Floats, Undefined

__all__ = ["f1"]


@measure("counts", "F1")
def f1(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return 2TP / (2TP + FP + FN) of each entry; 0/0 when nothing is true and nothing assigned. yang1999, section 3.3.

    Equal to 2PR / (P + R) where both are defined, and 0 where one of them is 0/0 and the other not.
    (joachims2000 calls it a geometric mean; it is the harmonic one.)
    """
    return ratio(2 * counts.tp, 2 * counts.tp + counts.fp + counts.fn, undefined)
