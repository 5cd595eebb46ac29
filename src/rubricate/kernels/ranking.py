"""Where the true labels stand in rankings by score.

Problem  A ranking orders items by descending score. For each true item: how many items score more (`above`), how
         many score at least as much (`rank`), and how many true items score at least as much (`hits`). Every ranking
         measure follows from these three.
Given    the scores of each ranking one after the other (`starts` delimits them); the number of items that are not
         listed and their common score `floor`; the scores of the true items, delimited by `label_starts`.
Return   (above, rank, hits), one entry a true item, in the order given.
Ties     items of one score stand together: `rank` is the last place of the tie, `above` the place before its first.
         Nothing depends on the order of the items.
Edges    a true item that scores -inf is not ranked: its `hits` is 0 (its `rank` is still the number of items).
         Scores must not be NaN.
Cost     items × labels for up to 128 labels in a ranking (in vector registers), items × log labels beyond.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["label_scores", "places"]

SHORT = 32
"""Stretches of so many columns are counted through, longer ones halved first."""
FEW = 128
"""Up to so many labels, a pass over the scores for each (0.16 ns a comparison) beats one search a score (40 ns)."""


@numba.njit(cache=True, nogil=True)
def label_scores(
    starts: np.ndarray,
    columns: np.ndarray,
    values: np.ndarray,
    label_starts: np.ndarray,
    label_columns: np.ndarray,
    floor: float,
) -> np.ndarray:
    """The score of each label in a sparse matrix of scores, `floor` where none is stored; both with sorted columns.

    Cost: labels × log of the stored scores of a row.
    """
    found = np.full(len(label_columns), floor)
    for row in range(len(starts) - 1):
        start, end = starts[row], starts[row + 1]
        stored = columns[start:end]
        for j in range(label_starts[row], label_starts[row + 1]):
            place = start + _before(stored, label_columns[j])
            if place < end and columns[place] == label_columns[j]:
                found[j] = values[place]
    return found


@numba.njit(cache=True, nogil=True)
def _before(ascending: np.ndarray, target: int) -> int:
    """How many entries are less than the target; short stretches are counted, since that runs in vector registers."""
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
def places(
    starts: np.ndarray,
    values: np.ndarray,
    items: int,
    floor: float,
    label_starts: np.ndarray,
    labels: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(above, rank, hits) of each label; `items` is the length of every ranking, listed or not."""
    above = np.empty(len(labels), np.int64)
    rank = np.empty(len(labels), np.int64)
    hits = np.empty(len(labels), np.int64)
    for row in range(len(starts) - 1):
        begin, end = label_starts[row], label_starts[row + 1]
        if begin == end:
            continue
        listed = values[starts[row] : starts[row + 1]]
        true = labels[begin:end]
        if end - begin <= FEW:
            _compare(listed, true, above[begin:end], rank[begin:end])
        else:
            _bisect(listed, true, above[begin:end], rank[begin:end])
        missing = items - len(listed)
        for j in range(begin, end):
            if missing > 0 and floor >= labels[j]:
                rank[j] += missing
                if floor > labels[j]:
                    above[j] += missing
        _count_hits(true, hits[begin:end])
    return above, rank, hits


@numba.njit(cache=True, nogil=True)
def _compare(listed: np.ndarray, true: np.ndarray, above: np.ndarray, rank: np.ndarray) -> None:
    """One pass over the scores for each label: nothing is sorted, nothing branches."""
    for j in range(len(true)):
        score = true[j]
        more, equal = 0, 0
        for i in range(len(listed)):
            more += listed[i] > score
            equal += listed[i] == score
        above[j], rank[j] = more, more + equal


@numba.njit(cache=True, nogil=True)
def _bisect(listed: np.ndarray, true: np.ndarray, above: np.ndarray, rank: np.ndarray) -> None:
    """Each score is put into its place among the sorted scores of the labels; sums from above give the ranks."""
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
    total, tied = 0, 0
    for j in range(n - 1, -1, -1):
        total += at_least[j + 1]
        tied = equal[j + 1] + (tied if j + 1 < n and ascending[j + 1] == ascending[j] else 0)
        rank[order[j]], above[order[j]] = total, total - tied


@numba.njit(cache=True, nogil=True)
def _count_hits(true: np.ndarray, hits: np.ndarray) -> None:
    """Labels that score at least as much as each label; 0 for one that is not ranked."""
    n = len(true)
    if n <= FEW:
        for j in range(n):
            found = 0
            for i in range(n):
                found += true[i] >= true[j]
            hits[j] = 0 if true[j] == -np.inf else found
        return
    order = np.argsort(true)
    first = 0
    for j in range(n):
        if true[order[j]] != true[order[first]]:
            first = j
        hits[order[j]] = 0 if true[order[j]] == -np.inf else n - first
