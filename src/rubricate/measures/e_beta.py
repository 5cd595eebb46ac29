"""E_β: van Rijsbergen's effectiveness, 1 − F_β; less is better."""

from __future__ import annotations

from rubricate.measures.definition.measure import measure
from rubricate.measures.f_beta import f_beta
from rubricate.types import Counts, Floats, Undefined

__all__ = ["e_beta"]


@measure("counts", "Eβ", greater_is_better=False, parameter="beta")
def e_beta(counts: Counts, *, beta: float = 1.0, undefined: Undefined = "zero") -> Floats:
    """Return 1 − F_β of each entry; E_1 = (FP + FN) / (2TP + FP + FN). evaluation2011, section 5.

    evaluation2011 prints (FN + TP) in the numerator and loses the "1 −" at the end of its chain; the formula here
    is |A Δ B| / (|A| + |B|), its own definition. 0/0 is decided for F_β: `undefined="zero"` gives F = 0, so E = 1.
    """
    return 1.0 - f_beta(counts, beta=beta, undefined=undefined)
