from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import rules as slow

from rubricate.kernels.rule_closure import Limits, descriptions


def found(world, support, confidence, longest):
    listed, begins, p, n = descriptions(slow.as_examples(world), Limits(support, confidence, longest))
    return [tuple(listed[a:b].tolist()) for a, b in pairwise(begins)], p, n


@given(slow.worlds(), st.integers(0, 3), st.sampled_from([0.25, 0.5, 0.75, 1.0]), st.integers(1, 4))
def test_the_list_is_that_of_trying_all_sets(world, support, confidence, longest):
    documents, positive, weights, words = world
    rules, p, n = found(world, float(support), confidence, longest)
    assert rules == slow.descriptions(
        documents, positive, weights, words, support=support, confidence=confidence, longest=longest
    )
    assert list(zip(p, n, strict=True)) == [slow.weigh(slow.cover(r, documents), positive, weights) for r in rules]


def test_a_word_of_the_closure_is_not_added():
    # Word 1 stands in every document that has word 0: {0, 1} covers what {0} covers and is never listed.
    documents = [{0, 1, 2}, {0, 1}, {1, 2}, {0, 1, 2}, {2}]
    positive = [True, False, False, True, False]
    rules, _, _ = found((documents, np.array(positive), np.ones(5), 3), 1.0, 0.9, 3)
    assert rules == [(0, 2)]


def test_many_descriptions_outgrow_the_first_room():
    pairs = [(a, b) for a in range(20) for b in range(20, 40)]
    positive = np.array([a % 2 == b % 2 == 0 for a, b in pairs])
    rules, p, n = found((list(map(set, pairs)), positive, np.ones(400), 40), 1.0, 1.0, 2)
    assert rules == [pair for pair, truth in zip(pairs, positive, strict=True) if truth]
    assert len(rules) == p.sum() == 100
    assert not n.any()
