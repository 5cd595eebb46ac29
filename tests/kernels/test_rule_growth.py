from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import rules as slow

from rubricate.kernels.rule_growth import foil_growth


def grow(world, absent):
    return foil_growth(slow.as_examples(world, absent=absent), np.arange(len(world[0]))).tolist()


@given(slow.worlds(), st.booleans())
def test_every_condition_has_the_highest_gain_and_growth_ends_where_none_is_left(world, absent):
    documents, positive, weights, words = world
    rule: list[int] = []
    grown = grow(world, absent)
    for chosen in [*grown, None]:
        before = slow.weigh(slow.cover(rule, documents), positive, weights)
        gains = [0.0]
        if all(before):
            gains += [
                slow.foil_gain(before, slow.weigh(slow.cover([*rule, c], documents), positive, weights))
                for c in slow.all_conditions(words, absent)
            ]
        if chosen is None:
            assert max(gains) <= 1e-12
            return
        after = slow.weigh(slow.cover([*rule, chosen], documents), positive, weights)
        assert slow.foil_gain(before, after) == pytest.approx(max(gains), abs=1e-12)
        assert max(gains) > 0
        rule.append(chosen)


def test_the_gain_by_hand():
    # Word 0: 2 of 2 documents positive, gain 2 (log2 1 - log2 3/5) = 1.47.
    # Word 1: 3 of 4, gain 3 (log2 3/4 - log2 3/5) = .97.
    world = [{0, 1}, {0, 1}, {1}, {1}, set()], np.array([1, 1, 1, 0, 0], bool), np.ones(5), 2
    assert grow(world, False) == [0]
    assert slow.foil_gain((3, 2), (2, 0)) == pytest.approx(1.4739, abs=1e-4)
    assert slow.foil_gain((3, 2), (3, 1)) == pytest.approx(0.9658, abs=1e-4)


def test_ties_go_to_the_smaller_word_and_presence():
    positive = np.array([True, True, False, False])
    assert grow(([{1, 2}, {1, 2}, {0}, {0}], positive, np.ones(4), 3), True) == [~0]
    assert grow(([{1, 2}, {1, 2}, set(), set()], positive, np.ones(4), 3), True) == [1]


@pytest.mark.parametrize("truth", [True, False])
def test_nothing_grows_without_both_kinds(truth):
    assert grow(([{0}, {1}], np.full(2, truth), np.ones(2), 2), True) == []


def test_twins_with_opposite_labels_end_the_growth():
    assert grow(([{0, 1}, {0, 1}], np.array([True, False]), np.ones(2), 2), True) == []
