from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import rules as slow

from rubricate.kernels.rule_cover import TermRows, covered, depths

some_rules = st.lists(st.integers(-6, 5), max_size=4)


@given(slow.worlds(), some_rules)
def test_depths_and_covers_are_those_of_the_sets(world, rule):
    documents = world[0]
    rows = TermRows(*slow.as_rows(documents))
    conditions, every = np.array(rule, np.int64), np.arange(len(documents))
    assert depths(rows, every, conditions).tolist() == [slow.depth(rule, d) for d in documents]
    assert covered(rows, every, conditions).tolist() == slow.cover(rule, documents)


def test_only_the_documents_asked_about_in_their_order():
    rows = TermRows(*slow.as_rows([{0}, {0, 1}, {1}, {0}]))
    assert covered(rows, np.array([3, 2, 0]), np.array([0])).tolist() == [3, 0]
    assert covered(rows, np.array([3, 2, 0]), np.array([~0])).tolist() == [2]
    assert covered(rows, np.array([1]), np.zeros(0, np.int64)).tolist() == [1]
