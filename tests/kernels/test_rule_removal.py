from __future__ import annotations

from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import rules as slow

from rubricate.kernels.rule_removal import Removals, covers_without, removal_costs

sets_of_rules = st.lists(st.lists(st.integers(-4, 3), min_size=2, max_size=3, unique=True), min_size=1, max_size=4)


@given(slow.worlds(most_words=4), sets_of_rules)
def test_the_cost_is_the_difference_of_the_errors(world, rules):
    documents, positive, weights, _ = world
    times = np.array([sum(slow.covers(rule, d) for rule in rules) for d in documents])
    gains = np.where(positive, weights, -weights)
    before = slow.error(rules, documents, positive, weights)
    for r, rule in enumerate(rules):
        left = [rules[:r] + rules[r + 1 :]]
        left += [[*rules[:r], rule[:i] + rule[i + 1 :], *rules[r + 1 :]] for i in range(len(rule))]
        concerned = [slow.cover(rule, documents)]
        concerned += [slow.cover(rule[:i] + rule[i + 1 :], documents) for i in range(len(rule))]
        starts = np.cumsum([0, *map(len, concerned)])
        whole = np.arange(len(concerned)) == 0
        removals = Removals(starts, np.array(list(chain(*concerned)), np.int64), whole)
        costs = removal_costs(removals, times, gains)
        assert costs.tolist() == [slow.error(each, documents, positive, weights) - before for each in left]


@given(slow.worlds(most_words=4), st.lists(st.integers(-4, 3), max_size=4, unique=True))
def test_covers_without_each_condition_are_those_of_trying_everything(world, rule):
    documents, _, _, words = world
    rule = [condition for condition in rule if (condition if condition >= 0 else ~condition) < words]
    examples, holders = slow.as_examples(world, absent=True), slow.as_holders(documents, words)
    lengths, found = covers_without(examples, holders, np.array(rule, np.int64))
    expected = [slow.cover(rule, documents)]
    expected += [slow.cover(rule[:i] + rule[i + 1 :], documents) for i in range(len(rule) if len(rule) > 1 else 0)]
    assert lengths.tolist() == [len(part) for part in expected]
    assert found.tolist() == list(chain(*expected))
