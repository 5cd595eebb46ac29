"""Hierarchical recall: how much of what is true, with everything above it, was assigned."""

from __future__ import annotations

from rubricate.measures.definition.measure import measure
from rubricate.measures.recall import recall
from rubricate.types import Counts, Floats, Undefined

__all__ = ["hierarchical_recall"]


@measure("ancestors", "hR")
def hierarchical_recall(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return |A ∩ T| / |T| of each document, A and T: assigned and true labels with ancestors. kiritchenko2006.

    The paper's hR is the micro-average: both sizes summed over the documents. 0/0 when nothing is true.
    """
    return recall(counts, undefined=undefined)
