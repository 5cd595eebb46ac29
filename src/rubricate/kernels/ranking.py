"""Where the true labels stand in rankings by score.

Problem  A ranking orders items by descending score. For each true item: how many items score more (`above`), how
         many score at least as much (`rank`), and how many true items score at least as much (`hits`). Every ranking
         measure follows from these three.
Given    the scores of each ranking one after the other (`starts` delimits them); the number of items that are not
         listed and their common score `floor`; the scores of the true items, delimited by `label_starts`.
Return   (above, rank, hits), one entry per true item, in the order given.
Ties     items of one score stand together: `rank` is the last place of the tie, `above` the place before its first.
         Nothing depends on the order of the items.
Edges    a true item that scores -inf is not ranked: its `hits` is 0 (its `rank` is still the number of items).
         Scores must not be NaN.
Cost     items × labels for up to 128 labels in a ranking (in vector registers), items × log labels beyond.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.rows import Lists, Rows

__all__ = ["Rankings", "label_scores", "places"]

SHORT = 32
"""Stretches of so many columns are counted through, longer ones halved first."""
FEW = 128
"""Up to so many labels, a pass over the scores per label (0.16 ns per comparison) beats a search per score (40 ns)."""


class Rankings(NamedTuple):
    """Some rankings: their listed scores, their length, the score of items not listed, the scores of true labels."""

    starts: np.ndarray
    values: np.ndarray
    items: int
    floor: float
    label_starts: np.ndarray
    labels: np.ndarray


@numba.njit(cache=True, nogil=True)
def label_scores(scores: Rows, labels: Lists, floor: float) -> np.ndarray:
    """Return the score of each label, `floor` where none is stored; both matrices have sorted columns.

    Cost: labels × log of the stored scores of a row.
    """
    at_labels = np.full(len(labels.items), floor)
    for row in range(len(scores.starts) - 1):
        start, end = scores.starts[row], scores.starts[row + 1]
        stored = scores.terms[start:end]
        for j in range(labels.starts[row], labels.starts[row + 1]):
            place = start + _before(stored, labels.items[j])
            if place < end and scores.terms[place] == labels.items[j]:
                at_labels[j] = scores.values[place]
    return at_labels


@numba.njit(cache=True, nogil=True)
def _before(ascending: np.ndarray, target: int) -> int:
    """Count the entries less than the target; short stretches are counted through, which runs in vector registers."""
    low, size = 0, len(ascending)
    while size > SHORT:
        half = size >> 1
        low += half * (ascending[low + half - 1] < target)
        size -= half
    rest = ascending[low : low + size]
    less = 0
    for i in range(len(rest)):
        less += rest[i] < target
    return low + less


@numba.njit(cache=True, nogil=True)
def places(rankings: Rankings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (above, rank, hits) of each label."""
    labels, floor = rankings.labels, rankings.floor
    above = np.empty(len(labels), np.int64)
    rank = np.empty(len(labels), np.int64)
    hits = np.empty(len(labels), np.int64)
    for row in range(len(rankings.starts) - 1):
        begin, end = rankings.label_starts[row], rankings.label_starts[row + 1]
        if begin == end:
            continue
        listed = rankings.values[rankings.starts[row] : rankings.starts[row + 1]]
        true = labels[begin:end]
        if end - begin <= FEW:
            _compare(listed, true, (above[begin:end], rank[begin:end]))
        else:
            _bisect(listed, true, (above[begin:end], rank[begin:end]))
        # Items that are not listed tie at the floor, so they are added all at once.
        missing = rankings.items - len(listed)
        for j in range(begin, end):
            if missing > 0 and floor >= labels[j]:
                rank[j] += missing
                if floor > labels[j]:
                    above[j] += missing
        _count_hits(true, hits[begin:end])
    return above, rank, hits


@numba.njit(cache=True, nogil=True)
def _compare(listed: np.ndarray, true: np.ndarray, filled: tuple[np.ndarray, np.ndarray]) -> None:
    """Fill `above` and `rank` by one pass over the scores for each label: nothing is sorted, nothing branches."""
    above, rank = filled
    for j in range(len(true)):
        score = true[j]
        more, equal = 0, 0
        for i in range(len(listed)):
            more += listed[i] > score
            equal += listed[i] == score
        above[j], rank[j] = more, more + equal


@numba.njit(cache=True, nogil=True)
def _bisect(listed: np.ndarray, true: np.ndarray, filled: tuple[np.ndarray, np.ndarray]) -> None:
    """Fill `above` and `rank` by putting each score into its place among the sorted scores of the labels."""
    above, rank = filled
    order = np.argsort(true)
    ascending = true[order]
    n = len(ascending)
    at_least = np.zeros(n + 1, np.int64)
    equal = np.zeros(n + 1, np.int64)
    for i in range(len(listed)):
        s, low, size = listed[i], 0, n
        while size > 1:
            half = size >> 1
            low += half * (ascending[low + half - 1] <= s)
            size -= half
        low += ascending[low] <= s
        at_least[low] += 1
        if low > 0 and ascending[low - 1] == s:
            equal[low] += 1
    # Sums from above: what scores at least label j is what lies between the labels from j on.
    total, tied = 0, 0
    for j in range(n - 1, -1, -1):
        total += at_least[j + 1]
        tied = equal[j + 1] + (tied if j + 1 < n and ascending[j + 1] == ascending[j] else 0)
        rank[order[j]], above[order[j]] = total, total - tied


@numba.njit(cache=True, nogil=True)
def _count_hits(true: np.ndarray, hits: np.ndarray) -> None:
    """Fill in how many labels score at least as much as each label; 0 for a label that is not ranked."""
    n = len(true)
    if n <= FEW:
        for j in range(n):
            at_least = 0
            for i in range(n):
                at_least += true[i] >= true[j]
            hits[j] = 0 if true[j] == -np.inf else at_least
        return
    order = np.argsort(true)
    first = 0
    for j in range(n):
        if true[order[j]] != true[order[first]]:
            first = j
        hits[order[j]] = 0 if true[order[j]] == -np.inf else n - first
