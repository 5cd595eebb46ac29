"""Checks of parameters that many classifiers have: an error names the classifier, the parameter and what it got."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from rubricate.errors import InvalidInput

__all__ = ["require_flag", "require_number", "require_whole"]


def require_whole(owner: Any, name: str, least: int, *, or_none: bool = False) -> None:
    """Raise InvalidInput unless a parameter is a whole number from `least` on (or None)."""
    value = getattr(owner, name)
    if or_none and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        what = f"a whole number from {least} on" + (", or None" if or_none else "")
        raise InvalidInput(f"{type(owner).__name__}: {name} must be {what}; got {value!r}")


def require_number(owner: Any, name: str, *, most: float = np.inf) -> None:
    """Raise InvalidInput unless a parameter is a finite number above 0 and at most `most`."""
    value = getattr(owner, name)
    if not (isinstance(value, Real) and 0 < float(value) <= most and float(value) < np.inf):
        limit = "" if most == np.inf else f" and at most {most:g}"
        raise InvalidInput(f"{type(owner).__name__}: {name} must be a number above 0{limit}; got {value!r}")


def require_flag(owner: Any, name: str) -> None:
    """Raise InvalidInput unless a parameter is True or False."""
    value = getattr(owner, name)
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidInput(f"{type(owner).__name__}: {name} must be True or False; got {value!r}")
