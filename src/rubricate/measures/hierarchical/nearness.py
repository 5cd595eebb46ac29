"""What a category contributes to another one it stands in for: 1 for the same, 0 for indifferent, less for far off.

| kind       | contribution of c' to c            | source                        |
|------------|------------------------------------|-------------------------------|
| similarity | (CS(c', c) − ACS) / (1 − ACS)      | sunlim2001, equations 12, 13  |
| distance   | 1 − dis(c', c) / disθ              | sunlim2001, equations 25, 26  |

A category outside the hierarchy (or without a similarity) contributes nothing and receives nothing. Where all
categories are alike (ACS = 1) the first is 0/0 and counts as 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from rubricate.errors import InvalidInput
from rubricate.hierarchy import Hierarchy, distances
from rubricate.measures.hierarchical.placed import Placed, placed
from rubricate.measures.hierarchical.similarity import Similarity
from rubricate.types import Floats, Ints

__all__ = ["ByDistance", "BySimilarity", "Nearness", "by_distance", "by_similarity"]


class Nearness(Protocol):
    """Contributions between the categories of a run, given by their columns."""

    categories: tuple[str, ...]

    def between(self, a: Ints, b: Ints) -> Floats:
        """Return the contribution between columns a[i] and b[i], which is the same both ways."""
        ...


class ByDistance:
    """Nearness by links: 1 − dis(c', c)/disθ."""

    def __init__(self, where: Placed, acceptable: float) -> None:
        self.where, self.acceptable, self.categories = where, acceptable, where.categories

    def between(self, a: Ints, b: Ints) -> Floats:
        """Return the contributions; the cost is that of `hierarchy.distances`."""
        known = (self.where.nodes[a] >= 0) & (self.where.nodes[b] >= 0)
        contributions = np.zeros(len(a))
        far = distances(self.where.hierarchy, self.where.nodes[a[known]], self.where.nodes[b[known]])
        contributions[known] = 1 - far / self.acceptable
        return contributions


class BySimilarity:
    """Nearness by similarity: (CS(c', c) − ACS)/(1 − ACS)."""

    def __init__(self, similarity: Similarity, categories: Sequence[str]) -> None:
        self.similarity, self.categories = similarity, tuple(categories)
        rows = {name: row for row, name in enumerate(similarity.categories)}
        self.rows = np.array([rows.get(name, -1) for name in self.categories], np.int64)

    def between(self, a: Ints, b: Ints) -> Floats:
        """Return the contributions; the cost is that of `Similarity.pairs`."""
        known = (self.rows[a] >= 0) & (self.rows[b] >= 0)
        contributions, average = np.zeros(len(a)), self.similarity.average
        if 1 - average > 1e-12:
            alike = self.similarity.pairs(self.rows[a[known]], self.rows[b[known]])
            contributions[known] = (alike - average) / (1 - average)
        return contributions


def by_distance(
    hierarchy: Hierarchy, categories: Sequence[str], *, acceptable: float = 2.0, required: bool = True
) -> ByDistance:
    """Measure nearness by links; `acceptable` is disθ, the distance that contributes nothing (2 in the paper).

    Where no category is in the hierarchy, that is an error if one is `required`; else nothing contributes.
    """
    if not (acceptable > 0 and math.isfinite(acceptable)):
        raise InvalidInput(f"an acceptable distance of {acceptable}; give a number of links above 0, as 2")
    return ByDistance(placed(hierarchy, categories, required=required), float(acceptable))


def by_similarity(
    similarity: Similarity, categories: Sequence[str], *, hierarchy: Hierarchy | None = None, required: bool = True
) -> BySimilarity:
    """Measure nearness by similarity; ACS is that of the categories of the hierarchy, where one is given."""
    known = similarity if hierarchy is None else similarity.within(hierarchy.names)
    if required and len(categories) and not set(known.categories) & set(categories):
        raise InvalidInput("no category of the run has a similarity; give those of the same categories")
    return BySimilarity(known, categories)
