"""Division with a stated answer for 0/0."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rubricate.errors import UnknownName
from rubricate.types import Floats, Undefined

__all__ = ["ZERO_OVER_ZERO", "ratio", "undefined_value"]

ZERO_OVER_ZERO: dict[str, float] = {"zero": 0.0, "one": 1.0, "omit": math.nan}
"""What 0/0 counts as under each convention; NaN is left out of means."""


def undefined_value(undefined: Undefined) -> float:
    """Return the value of 0/0 under a convention.

    >>> undefined_value("one")
    1.0
    """
    if undefined not in ZERO_OVER_ZERO:
        raise UnknownName("convention for 0/0", str(undefined), ZERO_OVER_ZERO)
    return ZERO_OVER_ZERO[undefined]


def ratio(numerator: Any, denominator: Any, undefined: Undefined) -> Floats:
    """Divide entry by entry; a denominator of 0 gives the value of the convention.

    >>> ratio([1, 0], [2, 0], "one").tolist()
    [0.5, 1.0]
    """
    above, below = np.asarray(numerator, np.float64), np.asarray(denominator, np.float64)
    quotient = np.full(np.broadcast_shapes(above.shape, below.shape), undefined_value(undefined))
    return np.divide(above, below, out=quotient, where=below != 0)
