"""Micro and macro averages, written once for all measures of counts; the mean of per-item values."""

from __future__ import annotations

import math

import numpy as np

from rubricate import registry
from rubricate.errors import InvalidInput
from rubricate.measures._measure import Measure, bind
from rubricate.measures._tables import total
from rubricate.types import Counts, Floats, Undefined

__all__ = ["macro", "mean", "micro", "resolve"]


def resolve(name: str | Measure[...]) -> Measure[...]:
    """A measure by name, `f_beta` and `e_beta` with their β behind a colon; a measure is returned as it is.

    >>> resolve("f_beta:2").symbol, resolve("error").greater_is_better
    ('F2', False)
    """
    if not isinstance(name, str):
        return name
    stem, argument = registry.parse(name)
    found: Measure[...] = registry.load("measures", stem)
    if argument is None:
        return found
    if stem not in ("f_beta", "e_beta"):
        raise InvalidInput(f"measure {stem!r} takes no argument, got {argument!r}; write {stem!r}")
    try:
        beta = float(argument)
    except ValueError:
        raise InvalidInput(f"{name!r}: β must be a number, as in '{stem}:0.5'") from None
    return bind(found, f"{found.symbol[0]}{argument}", beta=beta)


def micro(measure: str | Measure[...], counts: Counts, *, undefined: Undefined = "zero") -> float:
    """The measure of the summed table: every decision weighs the same. yang1999, section 3.2.

    NaN when the measure is 0/0 of the sum and `undefined="omit"`.
    """
    return float(resolve(measure)(total(counts), undefined=undefined)[0])


def macro(measure: str | Measure[...], counts: Counts, *, undefined: Undefined = "zero") -> float:
    """The mean of the measure over the categories: every category weighs the same. yang1999, section 3.2.

    `undefined="omit"` leaves the categories out where the measure is 0/0 (NaN when none remains).
    """
    return mean(resolve(measure)(counts, undefined=undefined))


def mean(values: Floats) -> float:
    """The mean of the values that are not NaN, correctly rounded and so free of their order; NaN when there are none.

    >>> mean(np.array([1.0, np.nan, 0.5]))
    0.75
    """
    kept = values[~np.isnan(values)]
    return math.fsum(kept) / len(kept) if len(kept) else math.nan
