"""Accuracy: how many decisions are right."""

from __future__ import annotations

from rubricate.measures.definition.measure import measure
from rubricate.measures.definition.ratio import ratio
from rubricate.types import Counts, Floats, Undefined

__all__ = ["accuracy"]


@measure("counts", "acc")
def accuracy(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return (TP + TN) / n of each entry; 0/0 when there is no document. yang1999, section 3.2.

    Insensitive where categories are rare: the trivial rejector comes near 1 (section 3.4).
    """
    return ratio(counts.tp + counts.tn, counts.tp + counts.fp + counts.fn + counts.tn, undefined)
