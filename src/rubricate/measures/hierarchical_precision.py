"""Hierarchical precision: how much of what was assigned, with everything above it, is true or above what is."""

from __future__ import annotations

from rubricate.measures.definition.measure import measure
from rubricate.measures.precision import precision
from rubricate.types import Counts, Floats, Undefined

__all__ = ["hierarchical_precision"]


@measure("ancestors", "hP")
def hierarchical_precision(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return |A ∩ T| / |A| of each document, A and T: assigned and true labels with ancestors. kiritchenko2006.

    The paper's hP is the micro-average: both sizes summed over the documents. 0/0 when nothing is assigned.
    """
    return precision(counts, undefined=undefined)
