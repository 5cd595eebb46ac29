from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import rules as slow

from rubricate.kernels.rule_cover import TermSums, count_terms
from rubricate.kernels.rule_swap import swap_growth


def swap(world, absent):
    holders, examples = slow.as_holders(world[0], world[3]), slow.as_examples(world, absent=absent)
    everything, totals = np.arange(len(world[0])), TermSums(np.empty(world[3]), np.empty(world[3]))
    count_terms(examples, everything, totals)
    return swap_growth(examples, holders, everything, totals).tolist()


@given(slow.worlds(), st.booleans())
def test_the_rule_is_that_of_trying_everything(world, absent):
    assert swap(world, absent) == slow.swap_growth(*world, absent)


def test_exchanges_make_other_rules_than_additions_alone():
    rng = np.random.default_rng(3)
    changed = 0
    for _ in range(40):
        documents = [set(np.flatnonzero(rng.random(6) < 0.5)) for _ in range(40)]
        positive = np.array([{0, 1} <= d or {2, 3} <= d for d in documents]) ^ (rng.random(40) < 0.1)
        world = documents, positive, np.ones(40), 6
        changed += swap(world, False) != slow.swap_growth(*world, False, exchange=False)
    assert changed > 4


def test_the_rule_makes_no_error_where_that_is_possible():
    rng = np.random.default_rng(0)
    documents = [set(np.flatnonzero(rng.random(8) < 0.5)) for _ in range(60)]
    positive = np.array([{1, 2} <= d and 3 not in d for d in documents])
    rule = swap((documents, positive, np.ones(60), 8), True)
    assert positive[slow.cover(rule, documents)].all()
    assert len(slow.cover(rule, documents)) > 0


def test_weights_of_any_size_come_to_an_end_with_a_rule_that_covers_something():
    """What is left after a subtraction may be rounding; no rule may be built on it."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        documents = [set(np.flatnonzero(rng.random(6) < 0.4)) for _ in range(30)]
        positive, weights = rng.random(30) < 0.4, rng.random(30) * 10.0 ** rng.integers(-12, 4, 30)
        rule = swap((documents, positive, weights, 6), True)
        covered = [all((c in d) if c >= 0 else (~c not in d) for c in rule) for d in documents]
        assert not positive.any() or (covered & positive).any()
