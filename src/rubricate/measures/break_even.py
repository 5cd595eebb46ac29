"""The break-even point: where precision equals recall."""

from __future__ import annotations

import numpy as np

from rubricate.measures.definition.measure import measure
from rubricate.measures.rankings.break_even_point import break_even_point
from rubricate.types import Counts, Floats, Undefined

__all__ = ["break_even"]


@measure("cuts", "BEP")
def break_even(cuts: Counts, *, undefined: Undefined = "zero") -> Floats:
    """Return P = R among the cuts of a family, else the mean of the nearest pair. yang1999, section 3.3.

    `measures.break_even_point` states the rules, and says which of the two it is and at which cut.
    """
    return np.array([break_even_point(cuts, undefined=undefined).value])
