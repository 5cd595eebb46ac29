"""Where the true labels stand in each ranking: all that ranking measures need to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rubricate.measures.rankings.scores import By, rankings
from rubricate.native.measures import rank_labels
from rubricate.types import Bools, Floats, Ints, Sparse

__all__ = ["Ranks", "ranks"]


@dataclass(frozen=True, eq=False)
class Ranks:
    """The places of the true labels of ranking r: entries `starts[r]` to `starts[r + 1]` of the three arrays.

    `above` items score more than the label, `rank` at least as much, `hits` of those are true. Items of one score
    stand together, at the last place of the tie: no threshold can part them. A label that scores -inf is not
    ranked; its `hits` is 0. `items` is the length of a ranking.
    """

    starts: Ints
    above: Ints
    rank: Ints
    hits: Ints
    items: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def labels(self) -> Ints:
        """Return the number of true labels of each ranking."""
        return np.diff(self.starts)

    @property
    def row(self) -> Ints:
        """Return the ranking that each entry belongs to."""
        return np.repeat(np.arange(len(self)), self.labels)

    def ranked(self, limit: int | None = None) -> Bools:
        """Tell which labels are ranked at all, and at place `limit` or before."""
        ranked = self.hits > 0
        return ranked if limit is None else ranked & (self.rank <= limit)

    def mean(self, values: Floats) -> Floats:
        """Average the labels' values in each ranking; NaN where it has no label."""
        n = self.labels
        sums = np.bincount(self.row, weights=values, minlength=len(self))
        return np.divide(sums, n, out=np.full(len(self), np.nan), where=n > 0)


def ranks(scores: Any, truth: Sparse, *, by: By = "document") -> Ranks:
    """Rank the labels among the categories of each document, or among the documents of each category.

    Cost: stored scores × labels of a ranking, up to 128; × log labels beyond. Dense scores are read in blocks.

    >>> from rubricate.labels import indicator
    >>> places = ranks([[0.9, 0.2, 0.5]], indicator([[1, 1, 0]]))
    >>> places.rank.tolist(), places.hits.tolist()
    ([1, 3], [1, 2])
    """
    sizes, parts, items = [np.zeros(1, np.int64)], [], 0
    for block in rankings(scores, truth, by):
        items = block.items
        sizes.append(np.diff(block.label_starts).astype(np.int64))
        parts.append(rank_labels(block))
    columns = zip(*parts, strict=True) if parts else ([np.zeros(0, np.int64)] for _ in range(3))
    above, rank, hits = (np.concatenate(column) for column in columns)
    return Ranks(np.cumsum(np.concatenate(sizes)), above, rank, hits, items)
