"""Extended F_β: extended precision and recall with recall β times as important."""

from __future__ import annotations

import math

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.measures.definition.measure import measure
from rubricate.measures.definition.ratio import ratio
from rubricate.measures.extended_precision import extended_precision
from rubricate.measures.extended_recall import extended_recall
from rubricate.measures.hierarchical.extended import Extended
from rubricate.types import Floats, Undefined

__all__ = ["extended_f_beta"]


@measure("extended", "extFβ", parameter="beta")
def extended_f_beta(table: Extended, *, beta: float = 1.0, undefined: Undefined = "zero") -> Floats:
    """Return (β² + 1)PR / (β²P + R) of extended P and R of each entry. sunlim2001, section 3.2; yang1999, section 3.3.

    With N their common numerator, (β² + 1)N / (β²(TP + FN + FpCon) + TP + FP + FnCon). 0/0 when both denominators are
    0 or less; 0 when one of them is. β = 0 is extended precision, β = ∞ extended recall.
    """
    if not beta >= 0:
        raise InvalidInput(f"β must be a number from 0 to ∞, got {beta}; 1 weighs precision and recall alike")
    if beta == 0:
        return extended_precision(table, undefined=undefined)
    if math.isinf(beta * beta):
        return extended_recall(table, undefined=undefined)
    weight = beta * beta
    assigned = np.maximum(0.0, table.tp + table.fp + table.fn_con)
    true = np.maximum(0.0, table.tp + table.fn + table.fp_con)
    credit = np.where((assigned > 0) & (true > 0), table.credit, 0.0)
    return ratio((1 + weight) * credit, assigned + weight * true, undefined)
