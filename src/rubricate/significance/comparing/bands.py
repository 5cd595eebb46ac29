"""Bands of training frequency: the categories split by how many training documents they have."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.types import Bools, Ints

__all__ = ["bands"]


def bands(train_counts: Ints, how: int | Sequence[int]) -> list[tuple[str, Bools]]:
    """Return label and categories of each band that has any, rarest first. yangliu1999, section 6, figures 4 and 5.

    A number asks for that many intervals of equal width from 1 to the largest frequency, widths being whole numbers
    of documents, so that the last may end beyond it; a list of edges e₀ < e₁ < … for the bands e₀+1 … e₁, e₁+1 … e₂,
    and so on. Categories outside the bands, such as those without a training document, belong to none.

    >>> [(label, chosen.tolist()) for label, chosen in bands(np.array([3, 60, 100]), [0, 60, 120])]
    [('1–60', [True, True, False]), ('61–120', [False, False, True])]
    >>> [label for label, _ in bands(np.array([1, 2, 40]), 2)]
    ['1–20', '21–40']
    """
    banded = []
    for low, high in pairwise(_edges(np.asarray(train_counts), how)):
        chosen = (train_counts > low) & (train_counts <= high)
        if chosen.any():
            banded.append((f"{low + 1}–{high}", chosen))
    if not banded:
        raise InvalidInput("no category has a training frequency within the bands; give other edges")
    return banded


def _edges(train_counts: Ints, how: int | Sequence[int]) -> list[int]:
    if isinstance(how, (int, np.integer)):
        if how < 1:
            raise InvalidInput(f"{how} bands of training frequency; give 1 or more")
        most = max(int(train_counts.max(initial=1)), 1)
        width = -(-most // int(how))
        return list(range(0, most + width, width))
    edges = [int(edge) for edge in how]
    if len(edges) < 2 or edges != sorted(set(edges)) or edges[0] < 0:
        raise InvalidInput(f"edges of training frequency must rise from 0 or more, got {list(how)}")
    return edges
