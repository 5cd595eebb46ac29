from __future__ import annotations

from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import rules as slow

from rubricate.kernels.rule_choice import Candidates, choose_rules

sets_of_words = st.lists(st.sets(st.integers(0, 2), min_size=1).map(sorted), min_size=1, max_size=6)


@given(slow.worlds(), sets_of_words, st.sampled_from([0.5, 0.75, 1.0]), st.integers(1, 3), st.randoms())
def test_the_choice_is_that_of_the_sets(world, rules, confidence, needed, random):
    documents, positive, weights, words = world
    rules = [[t % words for t in rule] for rule in rules]
    order = list(range(len(rules)))
    random.shuffle(order)
    starts = np.cumsum([0, *map(len, rules)]).astype(np.int64)
    candidates = Candidates(np.array(list(chain(*rules)), np.int64), starts, np.array(order), confidence, needed)
    chosen = choose_rules(slow.as_examples(world), slow.as_holders(documents, words), candidates)
    assert chosen.tolist() == slow.choose(
        rules, order, documents, positive, weights, confidence=confidence, needed=needed
    )
