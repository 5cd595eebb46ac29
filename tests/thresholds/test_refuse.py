"""Refuse: the floor by a share, by documents known to be outside, and what both refuse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.thresholds.strategies import tables

from rubricate.errors import InvalidInput
from rubricate.thresholds import resolve
from rubricate.thresholds.refuse import Refuse


@given(best=st.lists(st.floats(-5, 5), min_size=1, max_size=40), share=st.floats(0, 0.99))
def test_at_most_the_share_is_refused(best, share):
    scores = np.column_stack([best, np.full(len(best), -9.0)])
    cut = Refuse(share=share).fit(scores, np.tile([True, False], (len(best), 1)))
    assert (np.diff(cut.decide(scores).indptr) == 0).sum() <= share * len(best)


@given(table=tables(least=1))
def test_the_floor_is_the_best_of_all_floors(table):
    scores, truth = table
    inside = truth.any(axis=1)
    if inside.all() or not inside.any():
        return

    def worth(floor: float) -> float:
        cut = Refuse()
        cut.floor_ = floor
        decided = cut.decide(scores).toarray()
        right = (decided & truth).any(axis=1)
        return right[inside].mean() + (~decided[~inside].any(axis=1)).mean()

    floors = [*np.unique(scores.max(axis=1)), np.inf]
    assert worth(Refuse().fit(scores, truth).floor_) == pytest.approx(max(map(worth, floors)))


def test_shorthand_and_a_share_that_is_none():
    assert resolve("refuse:0.1").share == 0.1
    for share in (-0.1, 1.0):
        with pytest.raises(InvalidInput, match="share must be"):
            Refuse(share=share).fit([[0.0]], [[True]])
