"""The phrase table beyond its first size, and words that meet in every order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

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
