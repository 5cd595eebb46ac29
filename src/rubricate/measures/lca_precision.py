"""LCA precision: how much of the paths from assigned labels lies on paths from true ones."""

from __future__ import annotations

from rubricate.measures.definition.measure import measure
from rubricate.measures.precision import precision
from rubricate.types import Counts, Floats, Undefined

__all__ = ["lca_precision"]


@measure("lca", "LCaP")
def lca_precision(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return |A ∩ T| / |A| of each document, A and T the labels with the paths to where they meet. kosmopoulos2015.

    `hierarchical.meeting` says how paths are chosen and where we differ from the paper. 0/0 when nothing is assigned.
    """
    return precision(counts, undefined=undefined)
