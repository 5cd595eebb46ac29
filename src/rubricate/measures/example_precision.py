"""Example-based precision: the precision of each document's set of labels."""

from __future__ import annotations

from rubricate.measures.definition.measure import measure
from rubricate.measures.precision import precision
from rubricate.types import Counts, Floats, Undefined

__all__ = ["example_precision"]


@measure("documents", "exP")
def example_precision(counts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return the precision of each document. tsoumakas2010. Its mean is scikit-learn's `average="samples"`."""
    return precision(counts, undefined=undefined)
