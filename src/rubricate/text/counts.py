"""Terms → counts: a sparse matrix documents × terms, its columns in the order of the sorted vocabulary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from numbers import Integral

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.errors import InvalidInput
from rubricate.kernels.counting import count, settle
from rubricate.kernels.rows import Rows
from rubricate.scratch import empty, stored
from rubricate.types import Ints, Sparse, Terms

__all__ = ["Chunk", "chunk", "counts", "frequent", "gather"]

LARGEST = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class Chunk:
    """Counts of some documents, rows in order, columns still numbered as the words are."""

    starts: Ints
    columns: NDArray[np.int32]
    counts: NDArray[np.int32]


def chunk(terms: Terms) -> Chunk:
    """Count the terms of each document; cost: one pass."""
    starts, columns, counts = count(terms.ids, terms.starts, len(terms.words))
    return Chunk(starts, stored(columns), stored(counts))


def counts(terms: Terms, vocabulary: Sequence[str] | None = None, *, min_df: int = 1) -> tuple[Sparse, tuple[str, ...]]:
    """Count how often each term occurs in each document (int32); return the vocabulary too, in column order.

    Without a vocabulary: the terms of at least `min_df` documents, sorted by code point. With one: its terms in its
    order, whether they occur or not; other terms are left out, and `min_df` does not matter.

    >>> terms = Terms(["wheat", "corn"], np.array([0, 1, 0, 1], np.int32), np.array([0, 3, 4]))
    >>> matrix, vocabulary = counts(terms)
    >>> vocabulary, matrix.toarray().tolist()
    (('corn', 'wheat'), [[1, 2], [1, 0]])
    """
    parts = [chunk(terms)]
    columns = frequent(parts, terms.words, min_df) if vocabulary is None else _positions(vocabulary)
    return gather(parts, terms.words, columns), tuple(columns)


def frequent(chunks: Sequence[Chunk], words: Sequence[str], min_df: int) -> dict[str, int]:
    """Map each word that at least `min_df` documents have to its column: words are sorted by code point."""
    if isinstance(min_df, bool) or not isinstance(min_df, Integral) or min_df < 1:
        raise InvalidInput(f"min_df must be a whole number of documents, 1 or more, got {min_df!r}")
    frequency = np.zeros(len(words), np.int64)
    for part in chunks:
        frequency += np.bincount(part.columns, minlength=len(words))
    chosen = sorted(words[i] for i in np.flatnonzero(frequency >= min_df).tolist())
    return dict(zip(chosen, range(len(chosen)), strict=True))


def gather(chunks: list[Chunk], words: Sequence[str], columns: Mapping[str, int]) -> Sparse:
    """Join chunks, in the order of their rows and numbered as `words`, to one matrix; `columns` maps words to columns.

    Words without a column are left out. Empties `chunks` as it goes, so that the counts are not held twice.
    """
    new = np.fromiter(map(columns.get, words, repeat(-1)), np.int32, len(words))
    return _rows(chunks, new, len(columns))


def _positions(vocabulary: Sequence[str]) -> dict[str, int]:
    position = {term: i for i, term in enumerate(vocabulary)}
    if len(position) < len(vocabulary):
        twice = next(term for i, term in enumerate(vocabulary) if position[term] != i)
        raise InvalidInput(f"the vocabulary has {twice!r} twice; give each term once")
    return position


def _rows(chunks: list[Chunk], columns: NDArray[np.int32], width: int) -> Sparse:
    entries = sum(int(np.count_nonzero(columns[part.columns] >= 0)) for part in chunks)
    indices, data = empty(entries, np.int32), empty(entries, np.int32)
    lengths, at = [np.zeros(1, np.int64)], 0
    chunks.reverse()
    while chunks:
        part = chunks.pop()
        lengths.append(settle(Rows(part.starts, part.columns, part.counts), columns, (indices[at:], data[at:])))
        at += int(lengths[-1].sum())
    starts = np.concatenate(lengths).cumsum()
    if entries <= LARGEST:
        starts = starts.astype(np.int32)
    matrix = sparse.csr_array((data, indices, starts), shape=(len(starts) - 1, width))
    matrix.has_canonical_format = True
    return matrix
