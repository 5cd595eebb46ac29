"""Hierarchical F1: the harmonic mean of hierarchical precision and recall."""

from __future__ import annotations

from rubricate.measures.definition.measure import measure
from rubricate.measures.f1 import f1
from rubricate.types import Counts, Floats, Undefined

__all__ = ["hierarchical_f1"]


@measure("ancestors", "hF")
def hierarchical_f1(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return 2|A ∩ T| / (|A| + |T|) of each document, A and T with their ancestors. kiritchenko2006.

    The paper's hF is the micro-average, 2·hP·hR / (hP + hR). 0/0 when nothing is true and nothing assigned.
    """
    return f1(counts, undefined=undefined)
