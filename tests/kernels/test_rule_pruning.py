"""Pruning step by step, against trying every removal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import rules as slow

from rubricate.kernels.rows import Lists
from rubricate.kernels.rule_pruning import prune_rules

RULES = st.lists(st.lists(st.integers(-4, 3), min_size=1, max_size=3, unique=True), max_size=4)


def weakest(rules, documents, positive, counted):
    """The least error added for each condition saved, by trying every removal."""
    before = slow.error(rules, documents, positive, counted)
    added = []
    for r, rule in enumerate(rules):
        added.append((slow.error(rules[:r] + rules[r + 1 :], documents, positive, counted) - before) / len(rule))
        for i in range(len(rule) if len(rule) > 1 else 0):
            left = [*rules[:r], rule[:i] + rule[i + 1 :], *rules[r + 1 :]]
            added.append(slow.error(left, documents, positive, counted) - before)
    return min(added)


@given(slow.worlds(most_words=4), RULES)
@settings(deadline=None)
def test_each_step_of_pruning_is_the_weakest_link(world, rules):
    documents, positive, weights, words = world
    rules = [[c % words if c >= 0 else ~(~c % words) for c in rule] for rule in rules]
    held = np.arange(len(documents)) % 2.0
    lists = Lists(np.cumsum([0, *map(len, rules)]), np.array([c for rule in rules for c in rule], np.int64))
    examples, holders = slow.as_examples(world, absent=True), slow.as_holders(documents, words)
    worth = np.where(positive, weights, -weights).astype(float), held
    added, which, places, errors = prune_rules(examples, holders, lists, worth)
    left = dict(enumerate(rules))
    assert errors[0] == slow.error(rules, documents, positive, held)
    for step in range(len(added)):
        now = list(left.values())
        assert added[step] == pytest.approx(weakest(now, documents, positive, weights))
        rule, place = int(which[step]), int(places[step])
        before = slow.error(now, documents, positive, weights)
        saved = len(left[rule]) if place < 0 else 1
        if place < 0:
            del left[rule]
        else:
            assert len(left[rule]) > 1
            left[rule] = left[rule][:place] + left[rule][place + 1 :]
        after = slow.error(list(left.values()), documents, positive, weights)
        assert added[step] == pytest.approx((after - before) / saved)
        assert errors[step + 1] == slow.error(list(left.values()), documents, positive, held)
    assert not left
