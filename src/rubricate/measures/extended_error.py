"""Extended error: how many decisions are wrong, near ones counted less and far ones more."""

from __future__ import annotations

from rubricate.measures.definition.measure import measure
from rubricate.measures.definition.ratio import ratio
from rubricate.measures.hierarchical.extended import Extended
from rubricate.types import Floats, Undefined

__all__ = ["extended_error"]


@measure("extended", "extErr", greater_is_better=False)
def extended_error(table: Extended, *, undefined: Undefined = "zero") -> Floats:
    """Return (FP + FN − FpCon − FnCon) / n of each entry; 0/0 when there is no document. sunlim2001, equation 24.

    From 0 to 2 (every decision is wrong and far off).
    """
    far = table.fp + table.fn - table.fp_con - table.fn_con
    return ratio(far, table.tp + table.fp + table.fn + table.tn, undefined)
