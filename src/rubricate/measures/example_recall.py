"""Example-based recall: the recall of each document's set of labels."""

from __future__ import annotations

from rubricate.measures.definition.measure import measure
from rubricate.measures.recall import recall
from rubricate.types import Counts, Floats, Undefined

__all__ = ["example_recall"]


@measure("documents", "exR")
def example_recall(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return the recall of each document. tsoumakas2010. Its mean is scikit-learn's `average="samples"`."""
    return recall(counts, undefined=undefined)
