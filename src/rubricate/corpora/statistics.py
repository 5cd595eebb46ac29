"""Statistics of a corpus: documents, categories and labels, and how unevenly the labels are spread.

The histogram is that of yangliu1999, figure 1: how many categories have how many training documents, in steps of
1, 2, 5, 10, 20, 50, … A mean over no documents is 0.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import count, pairwise
from typing import Any

import numpy as np

from rubricate.corpora.duplicates import Duplicates
from rubricate.corpora.sources import Source
from rubricate.types import Bools, Corpus, Documents, Ints

__all__ = ["Bin", "Half", "Statistics", "describe", "gini", "histogram", "summary"]


@dataclass(frozen=True)
class Half:
    """One of the two sets: documents, those without a label, labels per document (mean and most)."""

    documents: int
    unlabelled: int
    labels_per_document: float
    most_labels: int


@dataclass(frozen=True)
class Bin:
    """Number of categories that have from `low` to `high` training documents."""

    low: int
    high: int
    categories: int


@dataclass(frozen=True)
class Statistics:
    """A corpus in numbers; frequencies are (category, training documents, test documents), the largest first."""

    train: Half
    test: Half
    categories: int
    labels_per_document: float
    frequencies: tuple[tuple[str, int, int], ...]
    under_10: float
    under_100: float
    gini: float
    only_in_test: int
    only_in_train: int
    histogram: tuple[Bin, ...]


def describe(corpus: Corpus) -> Statistics:
    """Compute the statistics of a corpus; cost O(documents + labels)."""
    train, test = _per_category(corpus.train), _per_category(corpus.test)
    order = sorted(range(len(corpus.categories)), key=lambda c: (-train[c], -test[c], corpus.categories[c]))
    return Statistics(
        train=_half(corpus.train),
        test=_half(corpus.test),
        categories=len(corpus.categories),
        labels_per_document=_mean(np.concatenate([_per_document(corpus.train), _per_document(corpus.test)])),
        frequencies=tuple((corpus.categories[c], int(train[c]), int(test[c])) for c in order),
        under_10=_mean(train < 10),
        under_100=_mean(train < 100),
        gini=gini(train),
        only_in_test=int(((train == 0) & (test > 0)).sum()),
        only_in_train=int(((train > 0) & (test == 0)).sum()),
        histogram=histogram(train),
    )


def _per_document(documents: Documents) -> Ints:
    return np.diff(documents.labels.indptr).astype(np.int64)


def _per_category(documents: Documents) -> Ints:
    return np.bincount(documents.labels.indices, minlength=len(documents.categories))


def _mean(values: Ints | Bools) -> float:
    return float(np.mean(values)) if len(values) else 0.0


def _half(documents: Documents) -> Half:
    labels = _per_document(documents)
    return Half(len(documents), int((labels == 0).sum()), _mean(labels), int(labels.max(initial=0)))


def gini(frequencies: Ints) -> float:
    """Return the Gini coefficient of category frequencies, Σᵢ (2i − m − 1) xᵢ / (m Σ x), x ascending, i from 1.

    0 when all m categories are equally frequent (and when there are none), near 1 when one has everything.

    >>> gini(np.array([5, 5])), gini(np.array([0, 0, 0, 8]))
    (0.0, 0.75)
    """
    m, total = len(frequencies), int(frequencies.sum())
    if total == 0:
        return 0.0
    return float(np.sum((2 * np.arange(1, m + 1) - m - 1) * np.sort(frequencies)) / (m * total))


def histogram(frequencies: Ints) -> tuple[Bin, ...]:
    """Count the categories between the steps 0, 1, 2, 5, 10, 20, 50, …; empty steps at both ends are left out.

    >>> [(b.low, b.high, b.categories) for b in histogram(np.array([1, 3, 4, 7]))]
    [(1, 1, 1), (2, 4, 2), (5, 9, 1)]
    """
    edges = [0]
    for step in (digit * 10**power for power in count() for digit in (1, 2, 5)):
        edges.append(step)
        if step > frequencies.max(initial=0):
            break
    numbers, _ = np.histogram(frequencies, bins=edges)
    bins = [Bin(low, high - 1, int(n)) for (low, high), n in zip(pairwise(edges), numbers, strict=True)]
    filled = [position for position, each in enumerate(bins) if each.categories]
    return tuple(bins[filled[0] : filled[-1] + 1]) if filled else ()


def summary(corpus: Corpus, *, source: Source | None = None, duplicates: Duplicates | None = None) -> dict[str, Any]:
    """Return counts, skew, histogram, duplicates where they were looked for, and what is known of the source."""
    numbers = describe(corpus)
    return {
        "name": corpus.name,
        "split": corpus.split,
        "synthetic": corpus.synthetic,
        "documents": {"train": numbers.train.documents, "test": numbers.test.documents},
        "categories": numbers.categories,
        "labels_per_document": numbers.labels_per_document,
        "taxonomy_links": None if corpus.taxonomy is None else len(corpus.taxonomy),
        "train": asdict(numbers.train),
        "test": asdict(numbers.test),
        "skew": _skew(numbers),
        "histogram": [asdict(each) for each in numbers.histogram],
        "frequencies": [{"category": c, "train": train, "test": test} for c, train, test in numbers.frequencies],
        "duplicates": None if duplicates is None else asdict(duplicates),
        "published": _published(source, corpus.split),
        "licence": corpus.licence or (source.licence if source else ""),
    }


def _skew(numbers: Statistics) -> dict[str, Any]:
    largest = numbers.frequencies[0] if numbers.frequencies else ("", 0, 0)
    return {
        "largest": largest[0],
        "largest_train": largest[1],
        "under_10": numbers.under_10,
        "under_100": numbers.under_100,
        "gini": numbers.gini,
        "only_in_train": numbers.only_in_train,
        "only_in_test": numbers.only_in_test,
    }


def _published(source: Source | None, split: str) -> dict[str, Any] | None:
    expected = source.counts.get(split) if source else None
    return {**expected.published, "note": expected.note} if expected and expected.published else None
