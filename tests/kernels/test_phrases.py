"""The phrase table beyond its first size, and words that meet in every order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from rubricate.kernels.phrases import empty_phrases, phrases


def test_numbers_stay_the_same_while_the_table_grows() -> None:
    rng = np.random.default_rng(1)
    ids = rng.integers(0, 300, 20_000).astype(np.int32)
    starts = np.array([0, 7, 7, 20_000])
    found, bounds, table, pairs = phrases(ids, starts, 2, 2, empty_phrases(), 300)
    known: dict[tuple[int, int], int] = {}
    expected = []
    for a, b in pairwise(starts):
        for left, right in zip(ids[a:b].tolist(), ids[a + 1 : b].tolist(), strict=False):
            expected.append(known.setdefault((left, right), 300 + len(known)))
    assert found.tolist() == expected
    assert bounds.tolist() == [0, 6, 6, 6 + 19_992]
    assert [tuple(pair) for pair in pairs.tolist()] == list(known)
    again, _, _, new = phrases(ids, starts, 2, 2, table, 300 + len(known))
    assert again.tolist() == expected
    assert len(new) == 0
