"""Subset accuracy: documents whose labels are exactly right."""

from __future__ import annotations

import numpy as np

from rubricate.measures.definition.measure import measure
from rubricate.types import Counts, Floats, Undefined

__all__ = ["subset_accuracy"]


@measure("documents", "exact")
def subset_accuracy(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return 1 where the assigned set of a document is the true one, else 0. Never 0/0. tsoumakas2010."""
    return np.where((counts.fp == 0) & (counts.fn == 0), 1.0, 0.0)
