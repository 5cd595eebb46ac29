"""Values brought near 1, so that their squares neither overflow nor vanish."""

from __future__ import annotations

import numpy as np

from rubricate.types import Floats

__all__ = ["binary_scale"]


def binary_scale(values: Floats) -> float:
    """The power of two at or just below the largest absolute value: dividing by it changes no digit. 1 for zeros.

    >>> binary_scale(np.array([3.0, -5.0])), binary_scale(np.zeros(2))
    (4.0, 1.0)
    """
    largest = float(np.abs(values).max(initial=0.0))
    return 2.0 ** (int(np.frexp(largest)[1]) - 1) if largest > 0 else 1.0
