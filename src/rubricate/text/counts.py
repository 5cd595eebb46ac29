"""Terms → counts: a sparse matrix documents × terms, its columns in the order of the sorted vocabulary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, repeat
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.engines import Engine, stream_tasks
from rubricate.errors import InvalidInput
from rubricate.native.sparse import Lists
from rubricate.native.text import count_terms, sort_counts
from rubricate.scratch import empty, rest, stored
from rubricate.text.analysis import Analysis
from rubricate.text.texts import Texts, blocks
from rubricate.types import Ints, Sparse, Terms

__all__ = ["Chunk", "Columns", "chunk", "columns_of", "count_by_partitions", "counts", "frequent", "gather"]

Columns: TypeAlias = NDArray[np.int32]
"""The column of each word by its number, −1 for words without one."""
LARGEST = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class Chunk:
    """Counts of some documents, rows in order, columns still numbered as the words are."""

    starts: Ints
    columns: NDArray[np.int32]
    counts: NDArray[np.int32]


def chunk(terms: Terms) -> Chunk:
    """Count the terms of each document; cost: one pass."""
    starts, columns, counts = count_terms(Lists(terms.starts, terms.ids), len(terms.words))
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
    if vocabulary is None:
        vocabulary, columns = frequent(parts, terms.words, min_df)
    else:
        columns = columns_of(terms.words, _positions(vocabulary))
    return gather(parts, columns, len(vocabulary)), tuple(vocabulary)


def frequent(chunks: Sequence[Chunk], words: Sequence[str], min_df: int) -> tuple[tuple[str, ...], Columns]:
    """Return the words that at least `min_df` documents have, sorted by code point, and the column of each number."""
    if isinstance(min_df, bool) or not isinstance(min_df, Integral) or min_df < 1:
        raise InvalidInput(f"min_df must be a whole number of documents, 1 or more, got {min_df!r}")
    frequency = np.zeros(len(words), np.int64)
    for part in chunks:
        frequency += np.bincount(part.columns, minlength=len(words))
    kept = np.flatnonzero(frequency >= min_df)
    names = [words[i] for i in kept.tolist()]
    chosen = sorted(names)
    columns = np.full(len(words), -1, np.int32)
    columns[kept] = columns_of(names, {name: column for column, name in enumerate(chosen)})
    return tuple(chosen), columns


def columns_of(words: Sequence[str], columns: Mapping[str, int]) -> Columns:
    """Return the column of each word, −1 for those that have none."""
    return np.fromiter(map(columns.get, words, repeat(-1)), np.int32, len(words))


def gather(chunks: list[Chunk], columns: Columns, width: int) -> Sparse:
    """Join chunks, in the order of their rows, to one matrix of so many columns; `columns` are those of each word.

    Words without a column are left out. Empties `chunks` as it goes, so that the counts are not held twice.
    """
    entries = sum(int(np.count_nonzero(columns[part.columns] >= 0)) for part in chunks)
    indices, data = empty(entries, np.int32), empty(entries, np.int32)
    lengths, at = [np.zeros(1, np.int64)], 0
    chunks.reverse()
    while chunks:
        part = chunks.pop()
        rows = Lists(part.starts, part.columns)
        lengths.append(sort_counts(rows, part.counts, columns, (indices[at:], data[at:])))
        at += int(lengths[-1].sum())
    starts = np.concatenate(lengths).cumsum()
    if entries <= LARGEST:
        starts = starts.astype(np.int32)
    matrix = sparse.csr_array((data, indices, starts), shape=(len(starts) - 1, width))
    matrix.has_canonical_format = True
    rest()
    return matrix


def _positions(vocabulary: Sequence[str]) -> dict[str, int]:
    position = {term: i for i, term in enumerate(vocabulary)}
    if len(position) < len(vocabulary):
        twice = next(term for i, term in enumerate(vocabulary) if position[term] != i)
        raise InvalidInput(f"the vocabulary has {twice!r} twice; give each term once")
    return position


PARTITION = 1 << 22
"""Characters of a task."""


@dataclass(frozen=True)
class _Counter:
    """Count the terms of a partition."""

    analyzer: Analysis
    stop: frozenset[str]

    def __call__(self, texts: Texts) -> tuple[list[str], list[Chunk]]:
        """Return the words, and the counts of the documents by the numbers of the words."""
        batches = list(self.analyzer.batches(texts, threads=1, stop=self.stop))
        return list(batches[-1].words), [chunk(terms) for terms in batches]


def count_by_partitions(
    analyzer: Analysis, X: Any, stop: frozenset[str], engine: Engine | str
) -> tuple[list[Chunk], list[str]]:
    """Return the counts of documents in order, by the numbers of words, and the words.

    A single partition is counted here.
    """
    counter, partitions = _Counter(analyzer, stop), blocks(X, PARTITION)
    begun = list(islice(partitions, 2))
    results: Iterator[tuple[list[str], list[Chunk]]] = map(counter, begun)
    if len(begun) > 1:
        results = stream_tasks(counter, chain(begun, partitions), engine=engine)
    numbers: dict[str, int] = {}
    chunks: list[Chunk] = []
    for words, parts in results:
        number = np.fromiter((numbers.setdefault(word, len(numbers)) for word in words), np.int32, len(words))
        chunks += [Chunk(part.starts, stored(number[part.columns]), stored(part.counts)) for part in parts]
    return chunks, list(numbers)
