"""Rules that cover all positive documents, against growing them one by one on the documents left."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import rules as slow

from rubricate.kernels.rule_cover import TermSums, count_terms
from rubricate.kernels.rule_covering import grow_covering_rules
from rubricate.kernels.rule_swap import swap_growth


def grown(world, absent=True):
    documents, _, _, words = world
    examples, holders = slow.as_examples(world, absent=absent), slow.as_holders(documents, words)
    lists = grow_covering_rules(examples, holders, np.arange(len(documents)))
    return [lists.items[a:b].tolist() for a, b in pairwise(lists.starts.tolist())]


@given(slow.worlds(), st.booleans())
@settings(deadline=None)
def test_the_rules_are_those_grown_one_by_one(world, absent):
    documents, positive, weights, words = world
    examples, holders = slow.as_examples(world, absent=absent), slow.as_holders(documents, words)
    free, rules = list(range(len(documents))), []
    while any(positive[d] for d in free):
        sums = TermSums(np.zeros(words), np.zeros(words))
        count_terms(examples, np.array(free), sums)
        rule = swap_growth(examples, holders, np.array(free), sums).tolist()
        if not rule:
            break
        new = [d for d in free if slow.covers(rule, documents[d])]
        if sum(weights[d] for d in new if positive[d]) > sum(weights[d] for d in new) / 2:
            rules.append(rule)
        free = [d for d in free if d not in new]
    assert grown(world, absent) == rules


@given(slow.worlds())
@settings(deadline=None)
def test_the_covering_set_covers_every_positive_that_words_can_tell(world):
    documents, positive, _, _ = world
    rules = grown(world)
    if positive.all() or not positive.any():
        assert rules == []  # nothing to tell apart
        return
    for d, document in enumerate(documents):
        twins = [positive[e] for e, other in enumerate(documents) if other == document]
        if all(twins):
            assert any(slow.covers(rule, document) for rule in rules), d
        elif not any(twins):
            assert not any(slow.covers(rule, document) for rule in rules) or _has_torn_twins(world)


def _has_torn_twins(world):
    """Whether two documents of the same words have different labels: no rule can then be right for both."""
    documents, positive, _, _ = world
    return any(a == b and positive[i] != positive[j] for i, a in enumerate(documents) for j, b in enumerate(documents))
