"""Number the phrases whose terms follow each other with gaps, within a window.

Given  as `kernels.phrases`, and the window: the terms of a phrase lie among so many consecutive terms.
Return as `kernels.phrases`: at each position the phrases that begin there, a phrase before those that extend it, the
       nearer extension first. A phrase counts once for every choice of places.
Cost   for each occurrence Σ_n C(window − 1, n − 1) phrases, n up to the longest: 8 for four terms among four.
Edges  as `kernels.phrases`. A phrase of n terms extends one of n − 1; where the gaps were is not kept.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numba
import numpy as np

from rubricate.kernels.phrases import FREE, Numbered, Numbering, PhraseTable, add_phrase, find_slot
from rubricate.kernels.rows import Lists

__all__ = ["sparse_phrases"]


class _Task(NamedTuple):
    """The numbering, the window, and the most phrases that there can be."""

    numbering: Numbering
    window: int
    most: int


def sparse_phrases(texts: Lists, table: PhraseTable, numbering: Numbering, *, window: int) -> Numbered:
    """Number all phrases of terms that lie within a window."""
    most = sum(comb(window - 1, n - 1) for n in range(1, numbering.longest + 1)) * len(texts.items)
    return _number(texts, table, _Task(numbering, window, most))


@numba.njit(cache=True, nogil=True)
def _number(texts: Lists, table: PhraseTable, task: _Task) -> Numbered:
    """Number the phrases, those that begin at each place depth first."""
    starts, ids = texts
    shortest, longest, free = task.numbering
    numbers, number_starts = np.empty(task.most, np.int32), np.zeros(len(starts), np.int64)
    pairs = np.empty((task.most, 2), np.int32)
    # made[n] is the phrase of n + 1 terms at hand, following[n] the next place of a term that may extend it.
    made, following = np.empty(longest, np.int32), np.empty(longest, np.int64)
    k = new = 0
    for d in range(len(starts) - 1):
        for i in range(starts[d], starts[d + 1]):
            end = min(i + task.window, starts[d + 1])
            made[0], following[0], depth = ids[i], i + 1, 0
            if shortest == 1:
                numbers[k] = ids[i]
                k += 1
            while depth >= 0:
                j = following[depth]
                if j >= end or depth + 1 == longest:
                    depth -= 1
                    continue
                # When the search comes back to this depth, it goes on behind the term taken now.
                following[depth] = j + 1
                key = np.int64(made[depth]) << 32 | np.int64(ids[j])
                p = find_slot(table.keys, key)
                phrase = table.numbers[p]
                if table.keys[p] == FREE:
                    pairs[new, 0], pairs[new, 1] = made[depth], ids[j]
                    phrase = np.int32(free + new)
                    table = add_phrase(table, key, phrase)
                    new += 1
                depth += 1
                made[depth], following[depth] = phrase, j + 1
                if depth + 1 >= shortest:
                    numbers[k] = made[depth]
                    k += 1
        number_starts[d + 1] = k
    return Numbered(Lists(number_starts, numbers[:k].copy()), table, pairs[:new].copy())
