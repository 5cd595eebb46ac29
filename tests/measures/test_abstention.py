"""Coverage against error: ties together, and the best category of each document."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.measures.strategies import scored, sparsified
from tests.oracles import measures as oracle

from rubricate.errors import InvalidInput
from rubricate.labels import indicator
from rubricate.measures import abstention, abstention_curve

items = st.lists(st.tuples(st.sampled_from([0.1, 0.5, 0.9, 1.0]), st.integers(0, 1)), min_size=1, max_size=12)


@given(items, st.randoms(use_true_random=False))
def test_the_curve_agrees_with_its_twin_in_any_order(pairs, random):
    slow = oracle.abstention(*zip(*pairs, strict=True))
    random.shuffle(pairs)
    found = abstention_curve(*(np.array(part) for part in zip(*pairs, strict=True)))
    assert np.c_[found.confidence, found.coverage, found.error] == pytest.approx(np.array(slow))
    assert found.coverage[-1] == 1.0
    steps = np.diff([0.0, *(row[1] for row in slow)])
    assert found.area == pytest.approx(sum(step * row[2] for step, row in zip(steps, slow, strict=True)))


@given(scored())
def test_the_best_category_is_wrong_by_the_share_of_its_tie(pair):
    scores, truth = pair
    wrong = []
    for row, true in zip(scores, truth, strict=True):
        best = [t for s, t in zip(row, true, strict=True) if s == row.max()]
        wrong.append(1 - sum(best) / len(best))
    slow = oracle.abstention(scores.max(axis=1).tolist(), wrong)
    found = abstention(scores, indicator(truth))
    assert np.c_[found.coverage, found.error] == pytest.approx(np.array([row[1:] for row in slow]))
    again = abstention(sparsified(scores, -np.inf), indicator(truth))
    assert again.error == pytest.approx(found.error)


def test_a_sure_system_errs_less_where_it_answers_less():
    found = abstention_curve(np.array([0.9, 0.8, 0.6, 0.4]), np.array([0, 0, 1, 1]))
    assert found.error.tolist() == [0.0, 0.0, 1 / 3, 0.5]


def test_edges_and_errors():
    assert np.isnan(abstention_curve(np.zeros(0), np.zeros(0)).area)
    with pytest.raises(InvalidInput, match="same length"):
        abstention_curve(np.zeros(2), np.zeros(3))
    with pytest.raises(InvalidInput, match="without NaN"):
        abstention_curve(np.array([np.nan]), np.zeros(1))
