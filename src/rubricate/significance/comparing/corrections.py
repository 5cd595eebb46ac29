"""Corrections for many tests at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rubricate.errors import InvalidInput, UnknownName
from rubricate.types import Floats

__all__ = ["ADJUSTMENTS", "adjusted", "benjamini_hochberg", "holm"]


def _checked(p_values: Sequence[float] | Floats) -> Floats:
    p = np.asarray(p_values, np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise InvalidInput("p-values must be a flat sequence of numbers from 0 to 1")
    return p


def holm(p_values: Sequence[float] | Floats) -> Floats:
    """Step down: the i-th smallest of m p-values times m − i + 1, never falling, at most 1. holm1979.

    Controls the chance of one false rejection or more, whatever the dependence.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return _back(np.minimum(stepped, 1.0), order)


def benjamini_hochberg(p_values: Sequence[float] | Floats) -> Floats:
    """Step up: the i-th smallest of m p-values times m/i, never rising towards the small ones. benjamini1995.

    Controls the expected share of false rejections among the rejections, for independent or positively dependent
    tests.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.04, 0.04]
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    stepped = p[order] * len(p) / np.arange(1, len(p) + 1)
    return _back(np.minimum(np.minimum.accumulate(stepped[::-1])[::-1], 1.0), order)


def _back(values: Floats, order: np.ndarray) -> Floats:
    restored = np.empty_like(values)
    restored[order] = values
    return restored


ADJUSTMENTS: dict[str, Callable[[Sequence[float] | Floats], Floats]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "none": _checked,
}


def adjusted(p_values: Sequence[float] | Floats, how: str) -> Floats:
    """Correct p-values by `holm`, `bh`, or `none`."""
    if how not in ADJUSTMENTS:
        raise UnknownName("correction", how, ADJUSTMENTS)
    return ADJUSTMENTS[how](p_values)
