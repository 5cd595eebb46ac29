"""F_β: precision and recall with recall β times as important."""

from __future__ import annotations

import math

from rubricate.errors import InvalidInput
from rubricate.measures.definition.measure import measure
from rubricate.measures.definition.ratio import ratio
from rubricate.types import Counts, Floats, Undefined

__all__ = ["f_beta"]


@measure("counts", "Fβ", parameter="beta")
def f_beta(counts: Counts, *, beta: float = 1.0, undefined: Undefined = "zero") -> Floats:
    """Return (β² + 1)TP / ((β² + 1)TP + FP + β²FN) of each entry. evaluation2011, section 5; yang1999, section 3.3.

    The same as (β² + 1)PR / (β²P + R) where P and R are defined, and 0 where one of them is 0/0 and the other not.
    β = 0 is precision, β = ∞ recall. 0/0 when nothing is true and nothing assigned (and with precision and recall
    at the two ends).
    """
    if not beta >= 0:
        raise InvalidInput(f"β must be a number from 0 to ∞, got {beta}; 1 weighs precision and recall alike")
    if math.isinf(beta):
        return ratio(counts.tp, counts.tp + counts.fn, undefined)
    weight = beta * beta
    if math.isinf(1 + weight):
        raise InvalidInput(f"β = {beta} is too large to square; use ∞ for recall")
    weighted_hits = (1 + weight) * counts.tp
    return ratio(weighted_hits, weighted_hits + counts.fp + weight * counts.fn, undefined)
