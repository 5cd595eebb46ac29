"""Results by how often a category occurs in training. yangliu1999, section 6, figures 4 and 5."""

from __future__ import annotations

from dataclasses import dataclass

from rubricate.errors import InvalidInput
from rubricate.measures.counting.averages import mean
from rubricate.types import Floats, Ints

__all__ = ["Band", "by_frequency"]


@dataclass(frozen=True)
class Band:
    """The categories with `low` to `high` training documents (both included), and the mean of their values."""

    low: int
    high: int
    categories: int
    value: float


def by_frequency(
    values: Floats, train_counts: Ints, *, bands: int = 10, low: int = 1, high: int | None = None
) -> list[Band]:
    """Average a measure over the categories in each of `bands` intervals of equal width from `low` to `high`.

    yangliu1999 draw two such curves: `high=60`, and the full range (`high=None`: the largest training count). Widths
    are whole numbers of documents, so the last interval may end beyond `high`; categories outside are left out. The
    mean of an empty interval, or of one where the measure is undefined throughout, is NaN.

    >>> import numpy as np
    >>> by_frequency(np.array([0.2, 0.4, 0.9]), np.array([1, 2, 40]), bands=2, high=40)
    [Band(low=1, high=20, categories=2, value=0.30000000000000004), Band(low=21, high=40, categories=1, value=0.9)]
    """
    if len(values) != len(train_counts):
        raise InvalidInput(
            f"{len(values)} values for {len(train_counts)} training counts; give one of each per category"
        )
    top = int(train_counts.max(initial=low)) if high is None else high
    if bands < 1 or top < low:
        raise InvalidInput(f"{bands} intervals from {low} to {top} training documents; give at least one, low to high")
    width = -(-(top - low + 1) // bands)
    edges = range(low, top + 1, width)
    inside = [(train_counts >= edge) & (train_counts < edge + width) for edge in edges]
    return [
        Band(edge, edge + width - 1, int(chosen.sum()), mean(values[chosen]))
        for edge, chosen in zip(edges, inside, strict=True)
    ]
