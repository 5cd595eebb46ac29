from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import rules as slow

from rubricate.kernels.rule_cover import TermRows, covered, covered_by_beginnings, depths, failures

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


@given(slow.worlds(most_words=4), st.lists(st.integers(-4, 3), max_size=4))
def test_failures_and_beginnings_are_those_of_the_sets(world, rule):
    documents, positive, weights, words = world
    rule = [condition for condition in rule if (condition if condition >= 0 else ~condition) < words]
    failing = [[i for i, c in enumerate(rule) if not slow.covers([c], d)] for d in documents]
    failed, places = failures(slow.as_holders(documents, words), np.array(rule, np.int64), len(documents))
    assert failed.tolist() == [len(places) for places in failing]
    assert places.tolist() == [sum(places) for places in failing]
    examples, every = slow.as_examples(world, absent=True), np.arange(len(documents))
    sums = covered_by_beginnings(examples, every, np.array(rule, np.int64), weights.astype(float))
    for k in range(len(rule)):
        met = [slow.covers(rule[: k + 1], d) for d in documents]
        assert sums.inside[k] == sum(w for w, m, p in zip(weights, met, positive, strict=True) if m and p)
        assert sums.outside[k] == sum(w for w, m, p in zip(weights, met, positive, strict=True) if m and not p)
