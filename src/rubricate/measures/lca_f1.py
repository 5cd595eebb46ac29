"""LCA F1: the harmonic mean of LCA precision and recall."""

from __future__ import annotations

from rubricate.measures.definition.measure import measure
from rubricate.measures.f1 import f1
from rubricate.types import Counts, Floats, Undefined

__all__ = ["lca_f1"]


@measure("lca", "LCaF")
def lca_f1(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return 2|A ∩ T| / (|A| + |T|) of each document, A and T: labels with paths to where they meet. kosmopoulos2015.

    0/0 when nothing is true and nothing assigned.
    """
    return f1(counts, undefined=undefined)
