"""Hamming loss: the share of a document's decisions that are wrong."""

from __future__ import annotations

from rubricate.measures.definition.measure import measure
from rubricate.measures.error import error
from rubricate.types import Counts, Floats, Undefined

__all__ = ["hamming_loss"]


@measure("documents", "hamming", greater_is_better=False)
def hamming_loss(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return (FP + FN) / categories of each document; its mean is the micro error. tsoumakas2010."""
    return error(counts, undefined=undefined)
