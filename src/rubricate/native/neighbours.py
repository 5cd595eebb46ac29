"""Search by inner products: best items of sparse queries, nearest of dense vectors, votes, related documents.

The algorithms, their costs, ties and edge cases are described in native/neighbours.c.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rubricate.native.library import Buffer, check_lengths, core
from rubricate.native.sparse import Lists, Rows

__all__ = [
    "Estimates", "ItemIndex", "add_votes", "best_items", "check_indices", "check_rows", "count_related", "index_items",
    "nearest_rows",
]  # fmt: skip

BLOCK_WIDTH = 8192
"""Items whose sums are computed together (64 KB). Smaller blocks are faster to add up but slower to select from."""
DENSE_SHARE = 0.25
"""A term with weights for this share of the items has a dense row, where a place costs a quarter of one in a list."""


class ItemIndex(NamedTuple):
    """Weights of items by term, as rows or lists; made by `index_items`. Fields: see rb_index in native/rubricate.h."""

    length: int
    width: int
    rows: np.ndarray
    dense: np.ndarray
    starts: np.ndarray
    items: np.ndarray
    weights: np.ndarray
    offsets: np.ndarray | None

    @property
    def row_count(self) -> int:
        """Return the number of dense rows."""
        return int(self.dense.shape[1])


class Estimates(NamedTuple):
    """Similarities (float32, queries × documents), each off by `error` at most, and the vectors of the queries."""

    estimates: np.ndarray
    error: float
    vectors: np.ndarray


def check_indices(name: str, indices: np.ndarray, end: int) -> None:
    """Raise ValueError unless all indices are from 0 to end − 1."""
    if len(indices) and (indices.min() < 0 or indices.max() >= end):
        raise ValueError(f"{name} must be from 0 to {end - 1}, got {indices.min()} to {indices.max()}")


def check_rows(rows: Rows, columns: int) -> None:
    """Raise ValueError unless rows and terms lie within their arrays."""
    starts = rows.starts
    if len(starts) == 0 or starts[0] < 0 or starts[-1] > len(rows.terms) or (starts[1:] < starts[:-1]).any():
        raise ValueError("starts must ascend from 0 to the number of terms")
    check_lengths(len(rows.terms), values=rows.values)
    check_indices("terms", rows.terms, columns)


def index_items(
    by_term: Rows,
    items: int,
    *,
    offsets: np.ndarray | None = None,
    dense_share: float = DENSE_SHARE,
    width: int = BLOCK_WIDTH,
) -> ItemIndex:
    """Return the index of weights by term (terms × items, ascending within a term); cost: one pass."""
    check_rows(by_term, items)
    lengths = np.diff(by_term.starts)
    terms = np.repeat(np.arange(len(lengths)), lengths)
    if ((np.diff(by_term.terms) <= 0) & (np.diff(terms) == 0)).any():
        raise ValueError("items must ascend within each term")
    if offsets is not None:
        check_lengths(items, offsets=offsets)
    width = max(1, min(width, items))
    is_dense = (lengths >= dense_share * items) & (lengths > 0)
    rows = np.where(is_dense, np.cumsum(is_dense) - 1, -1).astype(np.int32)
    dense = np.zeros((max(1, -(-items // width)), int(is_dense.sum()), width))
    in_row = is_dense[terms]
    own = by_term.terms[in_row]
    dense[own // width, rows[terms[in_row]], own % width] = by_term.values[in_row]
    starts = np.concatenate([[0], np.cumsum(np.where(is_dense, 0, lengths))]).astype(np.int64)
    return ItemIndex(items, width, rows, dense, starts, by_term.terms[~in_row], by_term.values[~in_row], offsets)


def best_items(
    queries: Rows, index: ItemIndex, k: int, factors: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the k best items of each query and their scores, queries × k, best first; equal ones by number."""
    check_rows(queries, len(index.rows))
    if not 0 <= k <= index.length:
        raise ValueError(f"k must be from 0 to {index.length}, the number of items, got {k}")
    if index.offsets is not None:
        factors = np.ones(queries.length) if factors is None else factors
        check_lengths(queries.length, factors=factors)
    items, scores = np.empty((queries.length, k), np.int64), np.empty((queries.length, k))
    if k:
        core.rb_best_items(queries, factors, index, k, items, scores)
    return items, scores


def nearest_rows(given: Estimates, vectors: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the k nearest of the vectors (float64) for each query and their similarities, queries × k."""
    (queries, documents), width = given.estimates.shape, vectors.shape[1]
    if given.vectors.shape != (queries, width) or len(vectors) != documents or not 1 <= k <= documents:
        raise ValueError(f"{k} of {vectors.shape} do not fit {queries} × {documents}, {given.vectors.shape}")
    nearest, similarities = np.empty((queries, k), np.int64), np.empty((queries, k))
    core.rb_nearest_rows(queries, documents, width, k, given, vectors, nearest, similarities)
    return nearest, similarities


def add_votes(documents: np.ndarray, weights: np.ndarray, labels: Lists, *, categories: int) -> np.ndarray:
    """Return the sum of the weights of the neighbours (queries × k) that have each category, queries × categories."""
    check_rows(Rows(labels.starts, labels.items, labels.items), categories)
    check_indices("documents", documents.ravel(), labels.length)
    check_lengths(documents.size, weights=weights.ravel())
    scores = np.zeros((len(documents), categories))
    core.rb_add_votes(*documents.shape, documents, weights, labels, categories, scores)
    return scores


def count_related(
    rows: Rows, by_term: Rows, bins: int, *, least: int = 0, with_pairs: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Return a histogram of the cosines of ordered pairs of documents, bins + 1 long, and those pairs if asked for.

    Only pairs whose bin is at least `least` are counted.
    """
    check_rows(rows, by_term.length)
    check_rows(by_term, rows.length)
    histogram, pairs = np.zeros(bins + 1, np.int64), Buffer()
    core.run_stoppable(
        "rb_related_documents", rows, by_term, bins, histogram, max(0, least), pairs if with_pairs else None
    )
    return histogram, pairs.take(np.int64).reshape(-1, 2)
