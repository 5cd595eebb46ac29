"""Rules on few documents: covering, growing, pruning, choosing, firing, against sets of words and trying everything."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.native.small_cases import count_cases
from tests.oracles import rules as slow

from rubricate.classifiers.classic.rule_tables import SLIGHT, RuleTable
from rubricate.native.rules import (
    Rules,
    choose_rules,
    find_covered,
    grow_rule,
    grow_rule_set,
    list_descriptions,
    prune_rule_set,
    weigh_prefixes,
)

NOTHING = np.zeros(0, np.int64)
CONDITIONS = st.integers(-6, 5)


def rules_of(rules):
    """Lists of conditions end to end."""
    return Rules(np.cumsum([0, *map(len, rules)]).astype(np.int64), np.array(list(chain(*rules)), np.int64))


def known(conditions, words):
    """The conditions, of words that exist."""
    return [c % words if c >= 0 else ~(~c % words) for c in conditions]


# What rules cover


@given(slow.worlds(), st.lists(CONDITIONS, max_size=4))
def test_covers_are_those_of_the_sets(world, rule):
    documents = world[0]
    covered = find_covered(slow.as_rows(documents), np.arange(len(documents)), np.array(rule, np.int64))
    assert covered.tolist() == slow.cover(rule, documents)
    count_cases(len(documents))


def test_only_the_documents_asked_about_in_their_order():
    rows = slow.as_rows([{0}, {0, 1}, {1}, {0}])
    assert find_covered(rows, np.array([3, 2, 0]), np.array([0])).tolist() == [3, 0]
    assert find_covered(rows, np.array([3, 2, 0]), np.array([~0])).tolist() == [2]
    assert find_covered(rows, np.array([1]), NOTHING).tolist() == [1]
    assert find_covered(rows, NOTHING, np.array([0])).tolist() == []


@given(slow.worlds(), st.lists(CONDITIONS, max_size=4))
def test_prefixes_cover_what_the_sets_do(world, rule):
    documents, positive, weights, words = world
    every = np.arange(len(documents))
    p, n = weigh_prefixes(slow.as_examples(world), every, np.array(known(rule, words), np.int64), weights)
    beginnings = [known(rule, words)[: k + 1] for k in range(len(rule))]
    wanted = [slow.weigh(slow.cover(each, documents), positive, weights) for each in beginnings]
    assert list(zip(p, n, strict=True)) == wanted
    count_cases(max(len(rule), 1))


# RIPPER


def grown_by_gain(world, absent, start=()):
    examples = slow.as_examples(world, absent=absent)
    return grow_rule(examples, np.arange(len(world[0])), np.array(start, np.int64)).tolist()


@given(slow.worlds(), st.booleans(), st.lists(CONDITIONS, max_size=1))
def test_every_condition_has_the_highest_gain_and_growth_ends_if_none_is_left(world, absent, start):
    documents, positive, weights, words = world
    rule = known(start, words)
    grown = grown_by_gain(world, absent, rule)
    assert grown[: len(rule)] == rule
    for chosen in [*grown[len(rule) :], None]:
        before = slow.weigh(slow.cover(rule, documents), positive, weights)
        gains = [0.0]
        if all(before):
            gains += [
                slow.foil_gain(before, slow.weigh(slow.cover([*rule, c], documents), positive, weights))
                for c in slow.all_conditions(words, absent)
            ]
        if chosen is None:
            assert max(gains) <= 1e-12
            break
        after = slow.weigh(slow.cover([*rule, chosen], documents), positive, weights)
        assert slow.foil_gain(before, after) == pytest.approx(max(gains), abs=1e-12)
        assert max(gains) > 0
        rule.append(chosen)
    count_cases(1 + len(grown))


def test_the_gain_by_hand():
    # Word 0: 2 of 2 documents positive, gain 2 (log2 1 - log2 3/5) = 1.47.
    # Word 1: 3 of 4, gain 3 (log2 3/4 - log2 3/5) = .97.
    world = [{0, 1}, {0, 1}, {1}, {1}, set()], np.array([1, 1, 1, 0, 0], bool), np.ones(5), 2
    assert grown_by_gain(world, False) == [0]
    assert slow.foil_gain((3, 2), (2, 0)) == pytest.approx(1.4739, abs=1e-4)
    assert slow.foil_gain((3, 2), (3, 1)) == pytest.approx(0.9658, abs=1e-4)


def test_ties_of_gains_go_to_the_smaller_word_and_presence():
    positive = np.array([True, True, False, False])
    assert grown_by_gain(([{1, 2}, {1, 2}, {0}, {0}], positive, np.ones(4), 3), True) == [~0]
    assert grown_by_gain(([{1, 2}, {1, 2}, set(), set()], positive, np.ones(4), 3), True) == [1]


@pytest.mark.parametrize("truth", [True, False])
def test_nothing_grows_without_both_kinds(truth):
    world = [{0}, {1}], np.full(2, truth), np.ones(2), 2
    assert grown_by_gain(world, True) == []
    assert grown_by_swaps(world, True) == []


def test_twins_with_opposite_labels_end_the_growth():
    assert grown_by_gain(([{0, 1}, {0, 1}], np.array([True, False]), np.ones(2), 2), True) == []


# SWAP-1


def grown_by_swaps(world, absent):
    documents, _, _, words = world
    examples, holders = slow.as_examples(world, absent=absent), slow.as_holders(documents, words)
    rules = grow_rule_set(examples, holders, np.arange(len(documents)))
    return [rule.tolist() for rule in rules.split()]


def slow_rule_set(world, absent, exchange=True):
    """Rules grown one by one, by trying everything, on the documents left."""
    documents, positive, weights, words = world
    left, rules = list(range(len(documents))), []
    while left:
        own = [documents[d] for d in left], positive[left], weights[left], words
        rule = slow.swap_growth(*own, absent, exchange)
        if not rule:
            break
        new = [left[i] for i in slow.cover(rule, own[0])]
        right, wrong = slow.weigh(new, positive, weights)
        if right > wrong:
            rules.append(rule)
        left = [d for d in left if d not in new]
    return rules


@given(slow.worlds(), st.booleans())
@settings(deadline=None)
def test_the_rules_are_those_of_trying_everything(world, absent):
    assert grown_by_swaps(world, absent) == slow_rule_set(world, absent)
    count_cases(1)


@given(slow.worlds())
@settings(deadline=None)
def test_positives_with_a_word_of_their_own_are_all_covered_and_nothing_else(world):
    """Such a word makes any rule better that covers its document and a negative one, so none ends with a mistake."""
    documents, positive, weights, words = world
    own = [d | {words + i} if positive[i] else d for i, d in enumerate(documents)]
    rules = grown_by_swaps((own, positive, weights, words + len(own)), True)
    covered = [any(slow.covers(rule, document) for rule in rules) for document in own]
    if positive.all() or not positive.any():
        assert rules == []  # nothing to tell apart
    else:
        assert covered == positive.tolist()
    count_cases(1)


def test_documents_that_no_single_change_tells_apart_stay_without_a_rule():
    """Exclusive or: every condition leaves as many negative documents as positive ones."""
    documents = [{0, 1}, set(), {0}, {1}]
    assert grown_by_swaps((documents, np.array([True, True, False, False]), np.ones(4), 2), True) == []


@pytest.mark.slow
def test_exchanges_make_other_rules_than_additions_alone():
    rng = np.random.default_rng(3)
    changed = 0
    for _ in range(40):
        documents = [set(np.flatnonzero(rng.random(6) < 0.5)) for _ in range(40)]
        positive = np.array([{0, 1} <= d or {2, 3} <= d for d in documents]) ^ (rng.random(40) < 0.1)
        world = documents, positive, np.ones(40), 6
        changed += grown_by_swaps(world, False) != slow_rule_set(world, False, exchange=False)
    assert changed > 4


def test_the_rule_makes_no_error_if_that_is_possible():
    rng = np.random.default_rng(0)
    documents = [set(np.flatnonzero(rng.random(8) < 0.5)) for _ in range(60)]
    positive = np.array([{1, 2} <= d and 3 not in d for d in documents])
    rule = grown_by_swaps((documents, positive, np.ones(60), 8), True)[0]
    assert positive[slow.cover(rule, documents)].all()
    assert len(slow.cover(rule, documents)) > 0


def test_weights_of_any_size_come_to_an_end_with_rules_that_cover_something():
    """What is left after a subtraction may be rounding; no rule may be built on it."""
    rng = np.random.default_rng(0)
    grown = 0
    for _ in range(200):
        documents = [set(np.flatnonzero(rng.random(6) < 0.4)) for _ in range(30)]
        positive, weights = rng.random(30) < 0.4, rng.random(30) * 10.0 ** rng.integers(-12, 4, 30)
        for rule in grown_by_swaps((documents, positive, weights, 6), True):
            covered = slow.cover(rule, documents)
            assert positive[covered].any()
            assert len(rule) <= 6
            grown += 1
    assert grown > 400


# Pruning


def weakest(rules, documents, positive, counted):
    """The least error added for each condition saved, by trying every removal."""
    before = slow.error(rules, documents, positive, counted)
    added = []
    for r, rule in enumerate(rules):
        without = slow.error(rules[:r] + rules[r + 1 :], documents, positive, counted)
        added.append((without - before) / max(len(rule), 1))
        for i in range(len(rule) if len(rule) > 1 else 0):
            left = [*rules[:r], rule[:i] + rule[i + 1 :], *rules[r + 1 :]]
            added.append(slow.error(left, documents, positive, counted) - before)
    return min(added)


@given(slow.worlds(most_words=4), st.lists(st.lists(CONDITIONS, max_size=3), max_size=4), st.sampled_from([1, 10]))
@settings(deadline=None)
def test_each_step_of_pruning_is_the_weakest_link(world, rules, parts):
    documents, positive, weights, words = world
    rules, weights = [known(rule, words) for rule in rules], weights / parts
    held = np.arange(len(documents)) % 2.0
    examples, holders = slow.as_examples(world, absent=True), slow.as_holders(documents, words)
    counts = np.where(positive, weights, -weights)
    steps = prune_rule_set(examples, holders, rules_of(rules), counts=counts, held_out=held)
    left = dict(enumerate(rules))
    assert steps.errors[0] == slow.error(rules, documents, positive, held)
    assert len(steps.errors) == len(steps.added) + 1
    made = zip(steps.added, steps.rules.tolist(), steps.places, steps.errors[1:], strict=True)
    for added, rule, place, error in made:
        now = list(left.values())
        assert added == pytest.approx(weakest(now, documents, positive, weights))
        before = slow.error(now, documents, positive, weights)
        saved = max(len(left[rule]), 1) if place < 0 else 1
        if place < 0:
            del left[rule]
        else:
            assert len(left[rule]) > 1
            left[rule] = left[rule][:place] + left[rule][place + 1 :]
        after = slow.error(list(left.values()), documents, positive, weights)
        assert added == pytest.approx((after - before) / saved)
        assert error == slow.error(list(left.values()), documents, positive, held)
    assert not left
    count_cases(1 + len(steps.added))


def test_of_equal_steps_the_one_that_saves_most_then_the_first_goes():
    examples = slow.as_examples(([{0, 1}], np.array([True]), np.ones(1), 2))
    holders = slow.as_holders([{0, 1}], 2)
    rules = rules_of([[0], [0, 1], [1]])
    steps = prune_rule_set(examples, holders, rules, counts=np.zeros(1), held_out=np.ones(1))
    assert list(zip(steps.rules, steps.places, strict=True)) == [(1, -1), (0, -1), (2, -1)]
    assert steps.errors.tolist() == [0, 0, 0, 1]


# CHARADE


def listed(world, support, confidence, longest):
    examples = slow.as_examples(world)
    rules, covers = list_descriptions(examples, support=support, confidence=confidence, max_terms=longest)
    return [tuple(rule.tolist()) for rule in rules.split()], covers


@given(slow.worlds(), st.integers(0, 3), st.sampled_from([0.25, 0.5, 0.75, 1.0]), st.integers(1, 4))
def test_the_list_is_that_of_trying_all_sets(world, support, confidence, longest):
    documents, positive, weights, words = world
    rules, covers = listed(world, float(support), confidence, longest)
    assert rules == slow.descriptions(
        documents, positive, weights, words, support=support, confidence=confidence, longest=longest
    )
    assert covers.tolist() == [list(slow.weigh(slow.cover(r, documents), positive, weights)) for r in rules]
    count_cases(1 + len(rules))


def test_a_word_of_the_closure_is_not_added():
    # Word 1 stands in every document that has word 0: {0, 1} covers what {0} covers and is never listed.
    documents = [{0, 1, 2}, {0, 1}, {1, 2}, {0, 1, 2}, {2}]
    positive = [True, False, False, True, False]
    rules, _ = listed((documents, np.array(positive), np.ones(5), 3), 1.0, 0.9, 3)
    assert rules == [(0, 2)]


def test_many_descriptions_outgrow_the_first_buffer():
    pairs = [(a, b) for a in range(20) for b in range(20, 40)]
    positive = np.array([a % 2 == b % 2 == 0 for a, b in pairs])
    rules, covers = listed((list(map(set, pairs)), positive, np.ones(400), 40), 1.0, 1.0, 2)
    assert rules == [pair for pair, truth in zip(pairs, positive, strict=True) if truth]
    assert len(rules) == covers[:, 0].sum() == 100
    assert not covers[:, 1].any()


sets_of_words = st.lists(st.sets(st.integers(0, 2)).map(sorted), min_size=1, max_size=6)


@given(slow.worlds(), sets_of_words, st.sampled_from([0.5, 0.75, 1.0]), st.integers(1, 3), st.randoms())
def test_the_choice_is_that_of_the_sets(world, rules, confidence, needed, random):
    documents, positive, weights, words = world
    rules = [known(rule, words) for rule in rules]
    order = list(range(len(rules)))
    random.shuffle(order)
    examples, holders = slow.as_examples(world), slow.as_holders(documents, words)
    chosen = choose_rules(
        examples, holders, rules_of(rules), order=np.array(order), confidence=confidence, needed=needed
    )
    some = [r for r in order if rules[r]]
    assert chosen.tolist() == slow.choose(
        rules, some, documents, positive, weights, confidence=confidence, needed=needed
    )
    count_cases(len(rules))


# Firing

WORDS = 5
a_rule = st.tuples(
    st.lists(st.integers(-WORDS, WORDS - 1), max_size=3), st.integers(0, 2), st.integers(0, 9), st.integers(0, 9)
)


def table(rules):
    """A table of (conditions, category of three, right, wrong)."""
    rules = sorted(rules, key=lambda rule: rule[1])
    return RuleTable(
        np.array([c for rule in rules for c in rule[0]], np.int64),
        np.cumsum([0, *(len(rule[0]) for rule in rules)]).astype(np.int64),
        np.searchsorted([rule[1] for rule in rules], np.arange(4)).astype(np.int64),
        np.array([rule[2] for rule in rules], float),
        np.array([rule[3] for rule in rules], float),
    ), rules


@given(st.lists(st.sets(st.integers(0, WORDS - 1)), min_size=1, max_size=6), st.lists(a_rule, max_size=8))
def test_the_score_is_that_of_the_sets(documents, rules):
    learned, rules = table(rules)
    X = np.array([[float(t in d) for t in range(WORDS)] for d in documents])
    strengths = [(p + 1) / (p + n + 2) for _, _, p, n in rules]
    wanted = [
        [slow.score([r[0] for r in rules], strengths, [r[1] for r in rules], d, c, SLIGHT) for c in range(3)]
        for d in documents
    ]
    np.testing.assert_allclose(learned.scores(X), wanted, rtol=1e-12)
    np.testing.assert_array_equal(learned.scores(sparse.csr_array(X)), learned.scores(X))
    count_cases(3 * len(documents))


def test_a_tie_is_broken_by_the_other_rules_but_a_better_rule_stays_ahead():
    learned, _ = table([([0], 0, 8, 0), ([1], 0, 8, 0), ([2], 0, 9, 0)])
    one, two, better = learned.scores(np.array([[1.0, 0, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 1, 0, 0]]))[:, 0]
    assert one == pytest.approx(0.9)
    assert two == pytest.approx(0.9 + 0.001 * 0.1 * 0.9)
    assert one < two < better


def test_absent_is_whatever_is_not_above_zero():
    learned, _ = table([([~0], 0, 3, 0), ([0], 1, 3, 0)])
    scores = learned.scores(np.array([[-1.0, 0, 0, 0, 0], [0.0, 0, 0, 0, 0], [0.1, 0, 0, 0, 0]]))
    assert (scores[:, :2] > 0).tolist() == [[True, False], [True, False], [False, True]]


# Arguments


def test_arguments_that_do_not_fit_are_refused():
    documents = [{0}, {1}]
    examples = slow.as_examples((documents, np.array([True, False]), np.ones(2), 2))
    examples.check()
    with pytest.raises(ValueError, match="terms must be from 0 to 0"):
        examples._replace(columns=1).check()
    with pytest.raises(ValueError, match="positive has 1 values"):
        examples._replace(positive=examples.positive[:1]).check()
    holders = slow.as_holders(documents, 2)
    with pytest.raises(ValueError, match="order has 1 values"):
        choose_rules(examples, holders, rules_of([[0], [1]]), order=np.zeros(1, int), confidence=1, needed=1)
    with pytest.raises(ValueError, match="documents must be from 0 to 1"):
        grow_rule(examples, np.array([2]), NOTHING)
    with pytest.raises(ValueError, match="documents must be from 0 to 1"):
        grow_rule_set(examples, holders, np.array([-1]))
    with pytest.raises(ValueError, match="max_terms must be 1 or more"):
        list_descriptions(examples, support=1.0, confidence=0.5, max_terms=0)
    with pytest.raises(TypeError, match="int64"):
        find_covered(examples.rows, np.zeros(1, np.int32), NOTHING)


def test_without_documents_nothing_is_grown_listed_or_chosen():
    world = [], np.zeros(0, bool), np.zeros(0), 3
    examples, holders = slow.as_examples(world), slow.as_holders([], 3)
    examples.check()
    assert grow_rule(examples, NOTHING, NOTHING).tolist() == []
    assert grow_rule_set(examples, holders, NOTHING).length == 0
    assert listed(world, 0.0, 0.5, 2)[0] == []
    nothing = np.zeros(0)
    assert len(prune_rule_set(examples, holders, rules_of([]), counts=nothing, held_out=nothing).added) == 0
    assert choose_rules(examples, holders, rules_of([[0]]), order=np.zeros(1, int), confidence=1, needed=1).size == 0


CODE = """
import numpy as np
from tests.native.test_rules import grow_rule, grow_rule_set, prune_rule_set, slow, NOTHING
rng = np.random.default_rng(0)
for _ in range(20):
    documents = [set(np.flatnonzero(rng.random(30) < 0.3)) for _ in range(200)]
    world = documents, rng.random(200) < 0.3, rng.random(200), 30
    examples, holders = slow.as_examples(world, absent=True), slow.as_holders(documents, 30)
    rules = grow_rule_set(examples, holders, np.arange(200))
    counts = np.where(world[1], world[2], -world[2])
    steps = prune_rule_set(examples, holders, rules, counts=counts, held_out=world[2])
    print(*(part.tobytes().hex() for part in (*rules, *steps)))
    print(grow_rule(examples, np.arange(200), NOTHING).tolist())
"""


def test_both_variants_grow_and_prune_the_same_rules(print_in_both):
    ours, theirs = print_in_both(CODE)
    assert ours == theirs
    assert len(ours) > 10_000
