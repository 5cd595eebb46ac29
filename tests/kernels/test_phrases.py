"""The phrase table beyond its first size, and words that meet in every order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from tests.kernels.small_cases import SEEDS

from rubricate.kernels.phrases import Numbering, empty_phrases, phrases
from rubricate.kernels.rows import Lists


def test_numbers_stay_the_same_while_the_table_grows() -> None:
    rng = np.random.default_rng(1)
    ids = rng.integers(0, 300, 20_000).astype(np.int32)
    starts = np.array([0, 7, 7, 20_000])
    texts, table, pairs = phrases(Lists(starts, ids), empty_phrases(), Numbering(2, 2, 300))
    known: dict[tuple[int, int], int] = {}
    expected = []
    for a, b in pairwise(starts):
        for left, right in zip(ids[a:b].tolist(), ids[a + 1 : b].tolist(), strict=False):
            expected.append(known.setdefault((left, right), 300 + len(known)))
    assert texts.items.tolist() == expected
    assert texts.starts.tolist() == [0, 6, 6, 6 + 19_992]
    assert [tuple(pair) for pair in pairs.tolist()] == list(known)
    again, _, new = phrases(Lists(starts, ids), table, Numbering(2, 2, 300 + len(known)))
    assert again.items.tolist() == expected
    assert len(new) == 0


@given(SEEDS)
def test_phrases_are_those_that_begin_at_each_place(seed):
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 6, 3))]).astype(np.int64)
    ids, longest = rng.integers(0, 3, starts[-1]).astype(np.int32), int(rng.integers(2, 4))
    texts, _, pairs = phrases(Lists(starts, ids), empty_phrases(), Numbering(1, longest, 3))
    spelled: list[tuple[int, ...]] = [(word,) for word in range(3)]
    for start, last in pairs.tolist():
        spelled.append((*spelled[start], last))
    assert len({*spelled}) == len(spelled)
    for (a, b), (first, stop) in zip(pairwise(starts.tolist()), pairwise(texts.starts.tolist()), strict=True):
        words = tuple(ids[a:b].tolist())
        wanted = [words[i : i + n] for i in range(len(words)) for n in range(1, min(longest, len(words) - i) + 1)]
        assert [spelled[number] for number in texts.items[first:stop].tolist()] == wanted
