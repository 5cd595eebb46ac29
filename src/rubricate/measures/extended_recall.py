"""Extended recall: how much of what is true was assigned, or something near to it."""

from __future__ import annotations

import numpy as np

from rubricate.measures.definition.measure import measure
from rubricate.measures.definition.ratio import ratio
from rubricate.measures.hierarchical.extended import Extended
from rubricate.types import Floats, Undefined

__all__ = ["extended_recall"]


@measure("extended", "extR")
def extended_recall(table: Extended, *, undefined: Undefined = "zero") -> Floats:
    """Return max(0, TP + FpCon + FnCon) / (TP + FN + FpCon) of each entry. sunlim2001, equation 18; micro: equation 20.

    A denominator of 0 or less counts as 0/0 (the numerator is 0 then). At most 1 for a category; a micro-average can
    exceed 1, as the paper has it, when categories whose denominator is negative lower the sum.
    """
    return ratio(table.credit, np.maximum(0.0, table.tp + table.fn + table.fp_con), undefined)
