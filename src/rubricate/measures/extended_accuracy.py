"""Extended accuracy: how many decisions are right or nearly so."""

from __future__ import annotations

from rubricate.measures.definition.measure import measure
from rubricate.measures.definition.ratio import ratio
from rubricate.measures.hierarchical.extended import Extended
from rubricate.types import Floats, Undefined

__all__ = ["extended_accuracy"]


@measure("extended", "extAcc")
def extended_accuracy(table: Extended, *, undefined: Undefined = "zero") -> Floats:
    """Return (TP + TN + FpCon + FnCon) / n of each entry; 0/0 when there is no document. sunlim2001, equation 23.

    From −1 (every decision is wrong and far off) to 1; with the extended error it makes 1.
    """
    near = table.fp_con + table.fn_con
    return ratio(table.tp + table.tn + near, table.tp + table.fp + table.fn + table.tn, undefined)
