"""LCA recall: how much of the paths from true labels lies on paths from assigned ones."""

from __future__ import annotations

from rubricate.measures.definition.measure import measure
from rubricate.measures.recall import recall
from rubricate.types import Counts, Floats, Undefined

__all__ = ["lca_recall"]


@measure("lca", "LCaR")
def lca_recall(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return |A ∩ T| / |T| of each document, A and T the labels with the paths to where they meet. kosmopoulos2015.

    `hierarchical.meeting` says how paths are chosen and where we differ from the paper. 0/0 when nothing is true.
    """
    return recall(counts, undefined=undefined)
