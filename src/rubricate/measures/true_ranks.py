"""Where the true labels stand in each ranking: all that ranking measures need to know."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import sparse

from rubricate.errors import InvalidInput, UnknownName
from rubricate.matrices import check_sparse_indices
from rubricate.measures.tables import canonical
from rubricate.native.measures import Rankings, as_lists, as_rows, rank_labels, scores_at
from rubricate.types import Bools, Floats, Ints, Scores, Sparse

__all__ = ["BLOCK", "By", "Rankings", "Ranks", "rankings", "ranks", "score_values"]


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


By: TypeAlias = Literal["document", "category"]
BLOCK = 1 << 21
"""Dense scores are copied in blocks of this many at most: 16 MB."""


def score_values(scores: Any) -> tuple[Any, float]:
    """Return the matrix of scores (dense, or sparse with sorted rows) and the score of what it does not store.

    A bare sparse matrix has the floor 0; `Scores` say theirs. NaN is an error.
    """
    values, floor = (scores.values, float(scores.floor)) if isinstance(scores, Scores) else (scores, 0.0)
    if sparse.issparse(check_sparse_indices(values)):
        values = values if isinstance(values, sparse.csr_array) else sparse.csr_array(values)
        if not values.has_canonical_format:
            values = values.copy()
            values.sum_duplicates()
    else:
        values = np.asarray(values)
    if values.ndim != 2 or values.dtype.kind not in "fiub":
        raise InvalidInput("scores must be a matrix of numbers, documents × categories")
    stored: Any = values.data if sparse.issparse(values) else values
    if np.isnan(floor) or (stored.size and np.isnan(stored.min())):  # the least of some numbers and a NaN is NaN
        raise InvalidInput("the scores hold NaN; leave the pair out, or give -inf where a category is not ranked")
    return values, floor


def rankings(scores: Any, truth: Sparse, by: By) -> Iterator[Rankings]:
    """Yield blocks of rankings: of the categories for each document, or of the documents for each category."""
    values, floor = score_values(scores)
    true = canonical(truth)
    if tuple(values.shape) != tuple(true.shape):
        raise InvalidInput(
            f"scores are {values.shape[0]} × {values.shape[1]}, the truth {true.shape[0]} × {true.shape[1]}"
        )
    if by not in ("document", "category"):
        raise UnknownName("kind of ranking", by, ("document", "category"))
    if by == "category":
        values, true = values.T, sparse.csr_array(true.T)
    if sparse.issparse(values):
        yield _sparse_block(sparse.csr_array(values), true, floor)
    else:
        yield from _dense_blocks(values, true)


def _sparse_block(values: Sparse, true: Sparse, floor: float) -> Rankings:
    rows, labels = as_rows(values), as_lists(true)
    at_labels = scores_at(rows, labels, floor)
    return Rankings(rows.starts, rows.values, values.shape[1], floor, labels.starts, at_labels)


def _dense_blocks(values: Any, true: Sparse) -> Iterator[Rankings]:
    rows, items = values.shape
    step = max(BLOCK // max(items, 1), 1)
    for first in range(0, rows, step):
        part, labels = np.ascontiguousarray(values[first : first + step], np.float64), true[first : first + step]
        row = np.repeat(np.arange(len(part)), np.diff(labels.indptr))
        starts = np.arange(len(part) + 1, dtype=np.int64) * items
        label_starts = labels.indptr.astype(np.int64, copy=False)
        yield Rankings(starts, part.ravel(), items, -np.inf, label_starts, part[row, labels.indices])
