"""Counts by partitions of the documents, each counted by a task with words of its own; for clusters.

The columns of the counts are in the order of the sorted vocabulary, whatever order words were met in, so that the
result is that of one process to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np

from rubricate.engines import Engine, stream_tasks
from rubricate.scratch import stored
from rubricate.text.analysis import Analysis
from rubricate.text.counts import Chunk, chunk
from rubricate.text.texts import Texts, blocks

__all__ = ["count_by_partitions"]

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
