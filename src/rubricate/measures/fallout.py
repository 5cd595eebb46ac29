"""Fallout: how much of what is not true was assigned."""

from __future__ import annotations

from rubricate.measures.definition.measure import measure
from rubricate.measures.definition.ratio import ratio
from rubricate.types import Counts, Floats, Undefined

__all__ = ["fallout"]


@measure("counts", "fallout", greater_is_better=False)
def fallout(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return FP / (FP + TN) of each entry; 0/0 when every document has the category. yang1999, section 3.2."""
    return ratio(counts.fp, counts.fp + counts.tn, undefined)
