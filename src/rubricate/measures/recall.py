"""Recall: how much of what is true was assigned."""

from __future__ import annotations

from rubricate.measures.definition.measure import measure
from rubricate.measures.definition.ratio import ratio
from rubricate.types import Counts, Floats, Undefined

__all__ = ["recall"]


@measure("counts", "R")
def recall(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return TP / (TP + FN) of each entry; 0/0 when nothing is true. yang1999, section 3.2."""
    return ratio(counts.tp, counts.tp + counts.fn, undefined)
