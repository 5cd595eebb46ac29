"""A corpus as one JSON value: what `rubricate corpus show --json` prints."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rubricate.corpora.catalogue.source import Source
from rubricate.corpora.statistics.duplicates import Duplicates
from rubricate.corpora.statistics.statistics import Statistics, describe
from rubricate.types import Corpus

__all__ = ["summary"]


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
