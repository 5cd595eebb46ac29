"""Documents that occur more than once: inside the training set, inside the test set, and across the two.

Three degrees: `exact` (every part of the text equal: title, body, and the fields dateline and author where the corpus
keeps them), `same_text` (title and body equal) and `near` (`shingles`: Jaccard similarity at least a threshold).
A document counts when an earlier one of the same set is like it; across, when a training document is like a test
document. So three equal documents count two, whatever their order. Where most texts follow one pattern, nearly all
pairs are near and comparing them would take hours: beyond `MOST` candidates `near` is None.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from rubricate.corpora.statistics.shingles import TooManyPairs, similar_pairs
from rubricate.types import Bools, Corpus, Documents, Ints

__all__ = ["DuplicateCount", "Duplicates", "find_duplicates"]

MOST = 20_000_000
"""Most candidate pairs that are compared; ApteMod has a few hundred."""

_TEXT_FIELDS = ("dateline", "author")


@dataclass(frozen=True)
class DuplicateCount:
    """Numbers of documents with an earlier twin: within train, within test, and in test with a twin in train."""

    train: int
    test: int
    across: int


@dataclass(frozen=True)
class Duplicates:
    """The three degrees, and what `near` means: Jaccard similarity of runs of `width` words >= `threshold`."""

    exact: DuplicateCount
    same_text: DuplicateCount
    near: DuplicateCount | None
    threshold: float
    width: int


def find_duplicates(corpus: Corpus, *, threshold: float = 0.8, width: int = 3) -> Duplicates:
    """Count the duplicates of a corpus; cost as `similar_pairs` of its distinct texts."""
    texts = [*corpus.train.texts, *corpus.test.texts]
    split = len(corpus.train)
    same = _groups(texts)
    _, first = np.unique(same, return_index=True)
    try:
        i, j, _ = similar_pairs([texts[row] for row in first], threshold=threshold, width=width, most=MOST)
        near = _count(same, split, (i, j))
    except TooManyPairs:
        near = None
    return Duplicates(
        exact=_count(_groups([*_parts(corpus.train), *_parts(corpus.test)]), split),
        same_text=_count(same, split),
        near=near,
        threshold=threshold,
        width=width,
    )


def _parts(documents: Documents) -> list[tuple[str, ...]]:
    extra = [documents.fields[name] for name in _TEXT_FIELDS if name in documents.fields]
    titles = documents.titles if documents.titles is not None else [""] * len(documents)
    return list(zip(titles, documents.bodies, *extra, strict=True))


def _groups(keys: Sequence[Hashable]) -> Ints:
    """Number the keys in order of first occurrence; equal keys have equal numbers."""
    numbers: dict[Hashable, int] = {}
    return np.fromiter((numbers.setdefault(key, len(numbers)) for key in keys), np.int64, len(keys))


_NONE = (np.empty(0, np.int64), np.empty(0, np.int64))


def _count(groups: Ints, split: int, pairs: tuple[Ints, Ints] = _NONE) -> DuplicateCount:
    """Count documents with an earlier twin: in their own group, or in a group paired with it."""
    train, test = groups[:split], groups[split:]
    number = int(groups.max(initial=-1)) + 1
    trained = np.zeros(number, bool)
    trained[train] = True
    return DuplicateCount(
        train=int(_has_earlier(train, pairs, number).sum()),
        test=int(_has_earlier(test, pairs, number).sum()),
        across=int(_spread(trained, pairs, np.logical_or)[test].sum()),
    )


def _has_earlier(groups: Ints, pairs: tuple[Ints, Ints], number: int) -> Bools:
    rows = np.arange(len(groups))
    first = np.full(number, len(groups))
    np.minimum.at(first, groups, rows)
    return _spread(first, pairs, np.minimum)[groups] < rows


def _spread(values: Ints | Bools, pairs: tuple[Ints, Ints], join: np.ufunc) -> Ints | Bools:
    """Join the value of each group with those of the groups paired with it."""
    i, j = pairs
    joined = values.copy()
    join.at(joined, i, values[j])
    join.at(joined, j, values[i])
    return joined
