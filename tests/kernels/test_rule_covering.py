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
def test_positives_with_a_word_of_their_own_are_all_covered_and_nothing_else(world):
    """Such a word makes any rule better that covers its document and a negative one, so none ends with a mistake."""
    documents, positive, weights, words = world
    own = [d | {words + i} if positive[i] else d for i, d in enumerate(documents)]
    rules = grown((own, positive, weights, words + len(own)))
    covered = [any(slow.covers(rule, document) for rule in rules) for document in own]
    if positive.all() or not positive.any():
        assert rules == []  # nothing to tell apart
    else:
        assert covered == positive.tolist()


def test_documents_that_no_single_change_tells_apart_stay_without_a_rule():
    """Exclusive or: every condition leaves as many negative documents as positive ones."""
    documents = [{0, 1}, set(), {0}, {1}]
    assert grown((documents, np.array([True, True, False, False]), np.ones(4), 2)) == []
