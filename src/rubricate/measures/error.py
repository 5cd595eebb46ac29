"""Error: how many decisions are wrong."""

from __future__ import annotations

from rubricate.measures.definition.measure import measure
from rubricate.measures.definition.ratio import ratio
from rubricate.types import Counts, Floats, Undefined

__all__ = ["error"]


@measure("counts", "err", greater_is_better=False)
def error(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return (FP + FN) / n of each entry; 0/0 when there is no document. yang1999, section 3.2.

    Insensitive where categories are rare: the trivial rejector has 1.3 % on Reuters v3 (section 3.4).
    """
    return ratio(counts.fp + counts.fn, counts.tp + counts.fp + counts.fn + counts.tn, undefined)
