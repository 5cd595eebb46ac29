"""The number of stories per category: the skew of the corpus."""

from __future__ import annotations

import numpy as np

from rubricate.types import Floats, Ints

__all__ = ["quotas"]

_BEND = 1.25


def quotas(stories: int, categories: int) -> Ints:
    """Return the number of stories by rank of the category; they sum to `stories`.

    n_r is proportional to 1 / (r · (1 + (1.25 r/m)⁴)) for rank r of m: Zipf's law, bent down in the tail like the
    frequencies of Reuters-21578. Each category gets at least one where there are as many stories as categories.
    Only sums, products and quotients, so that the numbers are the same on every platform.
    """
    rank = np.arange(1, categories + 1, dtype=np.float64)
    bend = _BEND * rank / categories
    weight = 1.0 / (rank * (1.0 + bend * bend * bend * bend))
    least = 1 if stories >= categories else 0
    low, high = 0, 32 * (stories + 1)
    while high - low > 1:
        scale = (low + high) // 2
        low, high = (scale, high) if _rounded(weight, scale, least).sum() <= stories else (low, scale)
    shares = _rounded(weight, low, least)
    shares[0] += stories - shares.sum()
    return shares


def _rounded(weight: Floats, scale: int, least: int) -> Ints:
    return np.maximum(np.floor(weight * (scale / 16.0) + 0.5), least).astype(np.int64)
