"""Micro and macro averages, written once for all measures of counts; the mean of per-item values."""

from __future__ import annotations

import math

import numpy as np

from rubricate.measures.counting.tables import total
from rubricate.measures.definition.catalogue import resolve
from rubricate.measures.definition.measure import Measure
from rubricate.measures.hierarchical.extended import Extended
from rubricate.types import Counts, Floats, Undefined

__all__ = ["macro", "mean", "micro"]


def micro(measure: str | Measure[...], counts: Counts | Extended, *, undefined: Undefined = "zero") -> float:
    """Apply the measure to the summed table: every decision weighs the same. yang1999, section 3.2.

    NaN when the measure is 0/0 of the sum and `undefined="omit"`.
    """
    return float(resolve(measure)(total(counts), undefined=undefined)[0])


def macro(measure: str | Measure[...], counts: Counts | Extended, *, undefined: Undefined = "zero") -> float:
    """Average the measure over the categories: every category weighs the same. yang1999, section 3.2.

    `undefined="omit"` leaves the categories out where the measure is 0/0 (NaN when none remains).
    """
    return mean(resolve(measure)(counts, undefined=undefined))


def mean(values: Floats) -> float:
    """Average the values that are not NaN, correctly rounded and so free of their order; NaN where there are none.

    >>> mean(np.array([1.0, np.nan, 0.5]))
    0.75
    """
    kept = values[~np.isnan(values)]
    return math.fsum(kept) / len(kept) if len(kept) else math.nan
