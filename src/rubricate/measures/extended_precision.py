"""Extended precision: how much of what was assigned is true, or near to what is."""

from __future__ import annotations

import numpy as np

from rubricate.measures.definition.measure import measure
from rubricate.measures.definition.ratio import ratio
from rubricate.measures.hierarchical.extended import Extended
from rubricate.types import Floats, Undefined

__all__ = ["extended_precision"]


@measure("extended", "extP")
def extended_precision(table: Extended, *, undefined: Undefined = "zero") -> Floats:
    """Return max(0, TP + FpCon + FnCon) / (TP + FP + FnCon) of each entry. sunlim2001, equation 17; micro: equation 19.

    A denominator of 0 or less counts as 0/0 (the numerator is 0 then). At most 1 for a category; a micro-average can
    exceed 1, as the paper has it, when categories whose denominator is negative lower the sum.
    """
    return ratio(table.credit, np.maximum(0.0, table.tp + table.fp + table.fn_con), undefined)
