"""Find pairs of texts that are nearly the same: an exact join on the Jaccard similarity of their word shingles.

A text is the set of its runs of `width` consecutive words, lower case; two texts are near duplicates when
|A ∩ B| / |A ∪ B| >= `threshold` (broder1997, resemblance). Nothing is sampled: candidates come from prefix filtering
(bayardo2007). With shingles ordered by document frequency, two sets of similarity t must share one of the first
|A| − ⌈t|A|⌉ + 1 shingles of each; since almost all of those are rare, few candidates are left to be counted.

Cost: O(words log words) and the candidates; memory O(words). A text shorter than `width` is one shingle, an empty
text is like nothing.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rubricate.types import Bools, Corpus, Documents, Floats, Ints

__all__ = ["DuplicateCount", "Duplicates", "TooManyPairs", "find_duplicates", "similar_pairs"]

_WORD = re.compile(r"\w+")
_SLACK = 1e-9  # t·n is not exact in floating point; a prefix one too long is harmless
_CANDIDATES = 2_000_000
_COUNTED = 20_000


class TooManyPairs(Exception):
    """More candidates than the caller wants compared: most of the texts follow one pattern."""


def similar_pairs(
    texts: Sequence[str], *, threshold: float = 0.8, width: int = 3, most: float = np.inf
) -> tuple[Ints, Ints, Floats]:
    """Return all pairs i < j of texts with similarity at least `threshold`, sorted, and their similarities.

    Raises TooManyPairs, before any is compared, where there are more than `most` candidates.

    >>> i, j, similarity = similar_pairs(["a b c d e f", "a b c d e g", "x y z"], threshold=0.5)
    >>> i.tolist(), j.tolist(), similarity.tolist()
    ([0], [1], [0.6])
    """
    sets = _sets(texts, width)
    sizes = np.diff(sets.indptr).astype(np.int64)
    blocks = _candidates(sets, sizes, threshold, most=most)
    similar = [_counted(sets, sizes, pairs, threshold=threshold) for pairs in blocks]
    if not similar:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
    pairs, similarity = (np.concatenate(parts) for parts in zip(*similar, strict=True))
    pairs, first = np.unique(pairs, return_index=True)
    return pairs // len(texts), pairs % len(texts), similarity[first]


def _sets(texts: Sequence[str], width: int) -> sparse.csr_array:
    """Return texts × shingles, 0/1; columns by ascending document frequency, so each row starts with its rarest."""
    numbers: dict[str, int] = {}
    words = array("q")
    lengths = np.zeros(len(texts), np.int64)
    for row, text in enumerate(texts):
        numbered = [numbers.setdefault(word, len(numbers) + 1) for word in _WORD.findall(text.lower())]
        if 0 < len(numbered) < width:
            numbered += [0] * (width - len(numbered))
        words.extend(numbered)
        lengths[row] = len(numbered)
    codes, rows = _windows(np.frombuffer(words, np.int64), lengths, width=width, distinct=len(numbers) + 1)
    unique, columns = np.unique(codes, return_inverse=True)
    matrix = sparse.csr_array((np.ones(len(rows), np.int32), (rows, columns)), shape=(len(texts), max(len(unique), 1)))
    matrix.data[:] = 1  # the constructor adds up repeated shingles
    frequency = np.bincount(matrix.indices, minlength=matrix.shape[1])
    rank = np.empty(matrix.shape[1], matrix.indices.dtype)
    rank[np.argsort(frequency, kind="stable")] = np.arange(matrix.shape[1])
    matrix.indices = rank[matrix.indices]
    matrix.has_sorted_indices = False
    matrix.sort_indices()
    return matrix


def _windows(words: Ints, lengths: Ints, *, width: int, distinct: int) -> tuple[Ints, Ints]:
    """Number each run of words inside a text (equal runs, equal numbers); return the numbers and their rows."""
    rows = np.repeat(np.arange(len(lengths)), np.maximum(lengths - width + 1, 0))
    before = np.cumsum(lengths) - lengths
    windows_before = np.cumsum(np.maximum(lengths - width + 1, 0)) - np.maximum(lengths - width + 1, 0)
    at = np.arange(len(rows)) - windows_before[rows] + before[rows]
    codes = words[at]
    for step in range(1, width):
        _, codes = np.unique(codes, return_inverse=True)  # small again, so that the product fits in 63 bits
        codes = codes * distinct + words[at + step]
    return codes, rows


def _candidates(sets: sparse.csr_array, sizes: Ints, threshold: float, *, most: float) -> Iterator[Ints]:
    """Yield blocks of pairs that share a shingle of their prefixes and are similar in size, as i·n + j with i < j."""
    rows, columns = _prefixes(sets, sizes, threshold)
    span = int(sizes.max(initial=0)) + 1
    order = np.lexsort((sizes[rows], columns))
    rows, columns = rows[order], columns[order]
    key = columns * span + sizes[rows]
    largest = np.minimum(np.floor(sizes[rows] / threshold + _SLACK).astype(np.int64), span - 1)
    partners = np.searchsorted(key, columns * span + largest, side="right") - np.arange(len(rows)) - 1
    if partners.sum() > most:
        raise TooManyPairs
    for start, stop in _blocks(partners):
        first = np.repeat(np.arange(start, stop), partners[start:stop])
        offset = np.arange(len(first)) - np.repeat(
            np.cumsum(partners[start:stop]) - partners[start:stop], partners[start:stop]
        )
        i, j = rows[first], rows[first + offset + 1]
        yield np.unique(np.minimum(i, j) * len(sizes) + np.maximum(i, j))


def _prefixes(sets: sparse.csr_array, sizes: Ints, threshold: float) -> tuple[Ints, Ints]:
    """Return the (row, column) entries that can reveal a pair: each row's prefix, without shingles of one text."""
    length = sizes - np.ceil(threshold * sizes - _SLACK).astype(np.int64) + 1
    rows = np.repeat(np.arange(len(sizes)), sizes)
    position = np.arange(sets.nnz) - sets.indptr[:-1].astype(np.int64)[rows]
    frequency = np.bincount(sets.indices, minlength=sets.shape[1])
    kept = (position < length[rows]) & (frequency[sets.indices] > 1)
    return rows[kept], sets.indices[kept].astype(np.int64)


def _blocks(partners: Ints) -> Iterator[tuple[int, int]]:
    """Yield runs of entries with about `_CANDIDATES` pairs in total, at least one entry each."""
    total = np.cumsum(partners)
    start, done = 0, 0
    while start < len(partners) and done < total[-1]:
        stop = max(int(np.searchsorted(total, done + _CANDIDATES, side="right")), start + 1)
        yield start, stop
        start, done = stop, int(total[stop - 1])


def _counted(
    sets: sparse.csr_array, sizes: Ints, pairs: Ints, *, threshold: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the candidate pairs that are similar enough, and their similarities."""
    shared = np.empty(len(pairs), np.int64)
    i, j = pairs // len(sizes), pairs % len(sizes)
    for start in range(0, len(pairs), _COUNTED):
        block = slice(start, start + _COUNTED)
        shared[block] = sets[i[block]].multiply(sets[j[block]]).sum(axis=1)
    similarity = shared / (sizes[i] + sizes[j] - shared)
    kept = similarity >= threshold - _SLACK
    return pairs[kept], similarity[kept]


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
