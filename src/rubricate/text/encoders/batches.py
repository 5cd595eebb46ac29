"""Texts of like length together, so that little is computed for padding, and memory stays bounded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["TOKENS", "batches", "padded"]

TOKENS = 1024
"""Tokens of a batch with padding: 512 to 1,024 was fastest; with 2,048 the numbers of a layer leave the cache."""


def batches(lengths: NDArray[np.int64], tokens: int = TOKENS) -> Iterator[NDArray[np.int64]]:
    """Yield the places of texts, longest first, in batches of at most so many tokens; a longer text is alone.

    Longest first, so that memory is claimed at once and the last batches, which end a bar, are short.

    >>> [batch.tolist() for batch in batches(np.array([2, 9, 3, 3]), tokens=9)]
    [[1], [2, 3, 0]]
    """
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < len(order):
        count = max(1, tokens // int(lengths[order[start]]))
        yield order[start : start + count]
        start += count


def padded(rows: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows of numbers as one matrix, filled with 0, and their lengths.

    >>> padded([[5, 6], [7]])[0].tolist()
    [[5, 6], [7, 0]]
    """
    lengths = np.array([len(row) for row in rows], np.int64)
    matrix = np.zeros((len(rows), int(lengths.max(initial=0))), np.int64)
    for place, row in enumerate(rows):
        matrix[place, : len(row)] = row
    return matrix, lengths
