"""Extended F1: the harmonic mean of extended precision and recall."""

from __future__ import annotations

from rubricate.measures.definition.measure import measure
from rubricate.measures.extended_f_beta import extended_f_beta
from rubricate.measures.hierarchical.extended import Extended
from rubricate.types import Floats, Undefined

__all__ = ["extended_f1"]


@measure("extended", "extF1")
def extended_f1(table: Extended, *, undefined: Undefined = "zero") -> Floats:
    """Return 2PR / (P + R) of the extended P and R of each entry. sunlim2001, section 3.2. 0/0 as `extended_f_beta`."""
    return extended_f_beta(table, beta=1.0, undefined=undefined)
