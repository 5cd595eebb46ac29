"""Whether a pool of sleeping experts read from a file can be used: a ValueError says what does not fit."""

from __future__ import annotations

import numpy as np

from rubricate.kernels.experts import Pool

__all__ = ["check_pool"]


def check_pool(pool: Pool, *, columns: int, categories: int) -> None:
    """Arrays that would lead a loop astray, or a sum of weights to 0 or beyond all numbers, are refused."""
    _check_shapes(pool, columns)
    _check_places(pool, categories)
    _check_weights(pool)


def _check_shapes(pool: Pool, columns: int) -> None:
    seen, first, length, room, category, favour, against, size = pool
    if any(part.shape != (columns,) for part in (seen, first, length, room)):
        raise ValueError(f"seen_, first_, length_ and room_ must have one entry for each of {columns}")
    if category.ndim != 1 or any(part.shape != category.shape for part in (favour, against)) or size.shape != (1,):
        raise ValueError("category_, favour_ and against_ must have one entry an expert, size_ one in all")
    if any(part.dtype != np.int64 for part in (first, length, room, size)) or category.dtype != np.int32:
        raise ValueError("places must be 64-bit and categories 32-bit whole numbers")
    if any(part.dtype != np.float64 or not (np.isfinite(part) & (part >= 0)).all() for part in (seen, favour, against)):
        raise ValueError("seen_, favour_ and against_ must be finite numbers from 0")


def _check_places(pool: Pool, categories: int) -> None:
    _, first, length, room, category, _, _, size = pool
    taken = int(size[0])
    if not 0 <= taken <= len(category) or np.any((first < 0) | (length < 0) | (room < length) | (first > taken - room)):
        raise ValueError("a block of experts leaves the places taken")
    if np.any((category < 0) | (category >= categories)):
        raise ValueError(f"an expert for a category beyond the {categories}")


def _check_weights(pool: Pool) -> None:
    _, first, length, _, category, favour, against, _ = pool
    steps = np.zeros(len(category) + 1, np.int64)
    np.add.at(steps, first, length > 0)
    np.add.at(steps, first + length, -(length > 0).astype(np.int64))
    owners = np.cumsum(steps[:-1])
    if np.any(owners > 1):
        raise ValueError("two phrases share an expert")
    if np.any(np.minimum(favour, against)[owners == 1] <= 0):
        raise ValueError("an expert has a weight of 0")
    with np.errstate(over="ignore"):
        if not np.isfinite(favour.sum() + against.sum()):
            raise ValueError("the weights of the experts are too large to be added up")
