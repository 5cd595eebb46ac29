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


@given(table=tables(least=2))
def test_the_floor_is_the_best_of_all_floors(table):
    scores, truth = table
    truth[0], truth[1, 0] = False, True  # one document that belongs nowhere, and one that belongs somewhere
    inside = truth.any(axis=1)

    def worth(floor: float) -> float:
        cut = Refuse()
        cut.floor_ = floor
        decided = cut.decide(scores).toarray()
        right = (decided & truth).any(axis=1)
        return right[inside].mean() + (~decided[~inside].any(axis=1)).mean()

    floors = [*np.unique(scores.max(axis=1)), np.inf]
    fitted = Refuse().fit(scores, truth)
    best = max(map(worth, floors))
    assert worth(fitted.floor_) == pytest.approx(best) if fitted.sharpness_ is None else _worth(fitted, table) >= best


def _worth(cut, table):
    scores, truth = table
    inside, decided = truth.any(axis=1), cut.decide(scores).toarray()
    return (decided & truth).any(axis=1)[inside].mean() + (~decided[~inside].any(axis=1)).mean() + 1e-12


def test_chances_tell_a_document_between_two_categories_from_one_inside():
    """The best scores are the same; what is second tells them apart."""
    inside = np.array([[0.5, -1.0, -1.0], [-1.0, 0.5, -1.0], [-1.0, -1.0, 0.5]] * 4)
    between = np.array([[0.5, 0.49, -1.0], [-1.0, 0.5, 0.49]])
    truth = np.vstack([np.eye(3, dtype=bool)] * 4 + [np.zeros((2, 3), bool)])
    cut = Refuse().fit(np.vstack([inside, between]), truth)
    assert cut.sharpness_ is not None
    assert cut.decide(between).nnz == 0
    assert cut.decide(inside).nnz == len(inside)
    assert Refuse().merge([cut, cut]).decide(between).nnz == 0


def test_shorthand_and_a_share_that_is_none():
    assert resolve("refuse:0.1").share == 0.1
    for share in (-0.1, 1.0):
        with pytest.raises(InvalidInput, match="share must be"):
            Refuse(share=share).fit([[0.0]], [[True]])
