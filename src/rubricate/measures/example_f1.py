"""Example-based F1: the F1 of each document's set of labels."""

from __future__ import annotations

from rubricate.measures.definition.measure import measure
from rubricate.measures.f1 import f1
from rubricate.types import Counts, Floats, Undefined

__all__ = ["example_f1"]


@measure("documents", "exF1")
def example_f1(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return 2TP / (2TP + FP + FN) of each document. tsoumakas2010, evaluation measures.

    0/0 for a document without labels that is assigned none. Its mean is scikit-learn's `average="samples"`.
    """
    return f1(counts, undefined=undefined)
