from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles import rules as slow

from rubricate.classifiers.classic.ripper import (
    GROWING,
    PATIENCE,
    RIPPER,
    RipperSearch,
    RuleSet,
    exception_bits,
    rule_bits,
    subset_bits,
)
from rubricate.classifiers.classic.rule_tables import Cases, Words


def cases_from(documents, positive, weights, words):
    X = np.array([[float(t in d) for t in range(words)] for d in documents]).reshape(-1, words)
    return Cases.of(Words.of(X, weights), positive, None, absent=True)


def test_bits_by_hand():
    # Which 1 of 4, expected with chance 1/4: log2 4 + 3 log2 4/3 = 2 + 1.24511.
    assert subset_bits(4, 1, 0.25) == pytest.approx(3.24511, abs=1e-5)
    # 2 conditions of 8: ½ (log2 2 + 2 log2 log2 2 + 2 log2 4 + 6 log2 4/3) = ½ (1 + 0 + 4 + 2.49022).
    assert rule_bits(2, 8) == pytest.approx(3.74511, abs=1e-5)
    # 3 of 10 covered, 1 wrong, 1 of 7 uncovered wrong: log2 11 + S(3, 1, 1/3) + S(7, 1, 2 / 14).
    found = exception_bits(covered=3, uncovered=7, false_positives=1, false_negatives=1)
    assert found == pytest.approx(math.log2(11) + math.log2(27 / 4) + math.log2(7) + 6 * math.log2(7 / 6), abs=1e-9)
    # The same with more covered than not: the roles change.
    found = exception_bits(covered=7, uncovered=3, false_positives=1, false_negatives=1)
    assert found == pytest.approx(math.log2(11) + math.log2(27 / 4) + math.log2(7) + 6 * math.log2(7 / 6), abs=1e-9)


@given(st.integers(0, 20), st.integers(0, 20), st.data())
def test_bits_are_finite_and_no_error_is_cheapest(c, u, data):
    fp, fn = data.draw(st.integers(0, c)), data.draw(st.integers(0, u))
    bits = exception_bits(covered=c, uncovered=u, false_positives=fp, false_negatives=fn)
    none = exception_bits(covered=c, uncovered=u, false_positives=0, false_negatives=0)
    assert none == math.log2(c + u + 1)
    assert none <= bits < math.inf


@given(
    slow.worlds(), st.lists(st.tuples(st.booleans(), st.lists(st.integers(-6, 5), min_size=1, max_size=3)), max_size=8)
)
def test_a_set_that_was_changed_counts_as_one_made_anew(world, steps):
    documents, positive, weights, words = world
    cases = cases_from(*world)
    found = RuleSet(cases, weights)
    for remove, rule in steps:
        if remove and found.rules:
            found.delete(len(rule) % len(found.rules))
        else:
            found.insert(len(found.rules) // 2, np.array([c % words if c >= 0 else ~(~c % words) for c in rule]))
    rules = [rule.tolist() for rule in found.rules]
    inside = [d for d, document in enumerate(documents) if any(slow.covers(rule, document) for rule in rules)]
    right, wrong = slow.weigh(inside, positive, weights)
    wanted = sum(rule_bits(len(rule), cases.choices) for rule in rules) + exception_bits(
        covered=right + wrong,
        uncovered=weights.sum() - right - wrong,
        false_positives=wrong,
        false_negatives=weights[positive].sum() - right,
    )
    assert found.length() == pytest.approx(wanted)
    assert np.flatnonzero(~found.free()).tolist() == inside
    before = found.length()
    found.simplify()
    assert found.length() <= before + 1e-9
    for place in range(len(found.rules)):
        fewer = found.copy()
        fewer.delete(place)
        assert len(fewer.rules) == len(found.rules) - 1 == len(fewer.covers)
        assert fewer.times.sum() == found.times.sum() - len(found.covers[place])


def search(world, seed=0):
    cases = cases_from(*world)
    return RipperSearch(cases, RuleSet(cases, cases.weights), max_error=0.5, rng=np.random.default_rng(seed))


@given(slow.worlds(), st.lists(st.integers(-6, 5), min_size=1, max_size=4), st.booleans())
def test_pruning_leaves_the_best_beginning_the_shortest_of_equals(world, rule, by_precision):
    documents, positive, weights, words = world
    rule = [c % words if c >= 0 else ~(~c % words) for c in rule]
    left = search(world)._prune(np.array(rule), np.arange(len(documents)), by_precision=by_precision)
    values = []
    for size in range(1, len(rule) + 1):
        p, n = slow.weigh(slow.cover(rule[:size], documents), positive, weights)
        values.append(((p - n) / (p + n) if p + n else 0.0) if by_precision else p - n)
    assert left.tolist() == rule[: values.index(max(values)) + 1]


@given(slow.worlds(), st.integers(0, 9))
def test_two_thirds_of_either_kind_are_for_growing(world, seed):
    _, positive, _, _ = world
    growing, pruning = search(world, seed)._parts(np.ones(len(positive), bool))
    assert sorted([*growing, *pruning]) == list(range(len(positive)))
    for part in (positive, ~positive):
        assert part[growing].sum() == math.ceil(GROWING * part.sum())
    assert PATIENCE == 64  # cohen1995


def test_recovers_a_rule_of_two_conjunctions_from_noise():
    rng = np.random.default_rng(1)
    X = (rng.random((900, 30)) < 0.3).astype(float)
    truth = ((X[:, 3] > 0) & (X[:, 7] > 0)) | ((X[:, 11] > 0) & (X[:, 5] == 0) & (X[:, 20] > 0))
    noisy = truth[:600] ^ (rng.random(600) < 0.03)
    model = RIPPER().fit(X[:600], sparse.csr_array(noisy[:, None]))
    found = model.predict(X[600:]).toarray()[:, 0]
    assert (found == truth[600:]).mean() > 0.97
    rules = {
        frozenset(model.conditions_[a:b].tolist())
        for a, b in zip(model.rule_starts_, model.rule_starts_[1:], strict=False)
    }
    assert frozenset({3, 7}) in rules


def test_a_higher_loss_ratio_assigns_more():
    rng = np.random.default_rng(2)
    X = (rng.random((500, 20)) < 0.3).astype(float)
    labels = sparse.csr_array(((X[:, :3].sum(axis=1) + rng.normal(0, 0.7, 500)) > 1.2)[:, None])
    assigned = [RIPPER(loss_ratio=r).fit(X, labels).predict(X).sum() for r in (0.2, 1.0, 5.0)]
    assert assigned[0] < assigned[1] < assigned[2]


def test_without_absent_no_rule_asks_for_absence_and_the_dictionary_bounds_the_words():
    rng = np.random.default_rng(2)
    X = (rng.random((200, 20)) < 0.3).astype(float)
    labels = sparse.csr_array((X[:, :2].sum(axis=1) > 0)[:, None] ^ (rng.random((200, 1)) < 0.1))
    assert (RIPPER(absent=False).fit(X, labels).conditions_ >= 0).all()
    few = RIPPER(words=3).fit(X, labels).conditions_
    inside = X[labels.toarray()[:, 0]].sum(axis=0)
    assert set(np.where(few < 0, ~few, few)) <= set(np.argsort(-inside, kind="stable")[:3])


def test_max_error_stops_early():
    rng = np.random.default_rng(5)
    X = (rng.random((400, 40)) < 0.2).astype(float)
    labels = sparse.csr_array(rng.random((400, 1)) < 0.15)  # nothing to learn
    strict = RIPPER(max_error=0.2).fit(X, labels)
    loose = RIPPER(max_error=None).fit(X, labels)
    assert strict.predict(X).sum() <= loose.predict(X).sum()
    assert len(strict.positives_) <= 2


def test_the_seed_decides_the_parts():
    rng = np.random.default_rng(5)
    X = (rng.random((300, 40)) < 0.2).astype(float)
    labels = sparse.csr_array((X[:, :3].sum(axis=1) + rng.normal(0, 0.5, 300) > 0.9)[:, None])
    one, same, other = (RIPPER(seed=s).fit(X, labels).conditions_.tolist() for s in (1, 1, 2))
    assert one == same
    assert one != other
