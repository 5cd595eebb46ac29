"""Pairs of a category and a document that is left out of it, and what is found of their scores."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rubricate.types import Bools, Floats, Ints

__all__ = ["LeftOutPairs", "Narrowed"]


class LeftOutPairs(NamedTuple):
    """Categories, in order, and documents; a score needs no more than to be certain to lie below its bar or above its
    roof."""

    categories: Ints
    documents: Ints
    bars: Floats
    roofs: Floats

    def take(self, chosen: Ints | Bools) -> LeftOutPairs:
        """Return some of the pairs."""
        return LeftOutPairs(self.categories[chosen], self.documents[chosen], self.bars[chosen], self.roofs[chosen])

    def by_category(self) -> list[LeftOutPairs]:
        """Return the pairs of each category that has any."""
        _, firsts = np.unique(self.categories, return_index=True)
        edges = [*firsts, len(self.categories)]
        return [self.take(np.arange(first, end)) for first, end in pairwise(edges)]


class Narrowed(NamedTuple):
    """Scores of documents left out, between which bounds they lie, how many others are then free (−1: unknown), and
    whether the document had a part in the solution at all."""

    scores: Floats
    low: Floats
    high: Floats
    free: Ints
    removed: Bools

    @classmethod
    def unknown(cls, count: int) -> Narrowed:
        """Return room for so many pairs, of which nothing is known."""
        scores, low, high = np.zeros((3, count))
        return cls(scores, low, high, np.full(count, -1, np.int64), np.ones(count, np.bool_))

    def put(self, chosen: Ints, part: Narrowed) -> None:
        """Set what was found for some of the pairs."""
        for whole, own in zip(self, part, strict=True):
            whole[chosen] = own
