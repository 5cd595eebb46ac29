"""Precision: how much of what was assigned is true."""

from __future__ import annotations

from rubricate.measures.definition.measure import measure
from rubricate.measures.definition.ratio import ratio
from rubricate.types import Counts, Floats, Undefined

__all__ = ["precision"]


@measure("counts", "P")
def precision(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return TP / (TP + FP) of each entry; 0/0 when nothing is assigned. yang1999, section 3.2."""
    return ratio(counts.tp, counts.tp + counts.fp, undefined)
