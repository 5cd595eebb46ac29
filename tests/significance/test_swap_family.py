"""The permutation test of all pairs: equal to plain resampling and to exact counts, level under true nulls."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse, stats

from rubricate.significance import compare, holm
from rubricate.significance.permutation import permutation
from rubricate.significance.permutation_family import SwapFamily, holm_lines
from rubricate.significance.system import System


def single(rng, documents, quality, *, truth=None, classes=6):
    """Truth and answers of one class each; a share `quality` of the answers is right."""
    true = rng.integers(0, classes, documents) if truth is None else truth
    answers = np.where(rng.random(documents) < quality, true, rng.integers(0, classes, documents))
    eye = np.eye(classes, dtype=bool)
    return true, sparse.csr_array(eye[true]), sparse.csr_array(eye[answers])


def system(name, truth, decided):
    return System(name, tuple(f"c{i}" for i in range(truth.shape[1])), range(truth.shape[0]), truth, decided)


def pair(rng, documents, qualities, **options):
    true, truth, first = single(rng, documents, qualities[0], **options)
    _, _, second = single(rng, documents, qualities[1], truth=true, **options)
    return system("a", truth, first), system("b", truth, second)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["macro_f1", "micro_f1"])
@pytest.mark.parametrize("qualities", [(0.60, 0.63), (0.6, 0.6)])
def test_tails_agree_with_plain_resampling(measure, qualities):
    a, b = pair(np.random.default_rng(3), 800, qualities)
    plain = permutation(a, b, measure=measure, samples=40_000)
    tail = permutation(a, b, measure=measure)
    error = 5 * math.sqrt(plain.p_value / 40_000) + 0.1 * plain.p_value
    assert tail.p_value == pytest.approx(plain.p_value, abs=error)
    assert tail.effect == pytest.approx(plain.effect, abs=1e-12)


@pytest.mark.slow
def test_multi_label_tails_agree_with_plain_resampling():
    rng = np.random.default_rng(5)
    truth = rng.random((600, 5)) < 0.3
    a, b = (
        system(n, sparse.csr_array(truth), sparse.csr_array(truth ^ (rng.random(truth.shape) < e)))
        for n, e in zip("ab", (0.10, 0.12), strict=True)
    )
    for measure in ("macro_f1", "micro_f1"):
        plain, tail = permutation(a, b, measure=measure, samples=40_000), permutation(a, b, measure=measure)
        assert tail.p_value == pytest.approx(plain.p_value, rel=0.12, abs=2e-3)


def test_few_documents_are_counted_out():
    a, b = pair(np.random.default_rng(2), 14, (0.9, 0.3), classes=2)
    exact = permutation(a, b, measure="macro_f1", samples=10**7)
    assert exact.method == "all swaps"
    assert permutation(a, b, measure="macro_f1").p_value == pytest.approx(exact.p_value, abs=1e-12)


def test_accuracy_is_the_exact_binomial_of_scipy():
    a, b = pair(np.random.default_rng(4), 500, (0.6, 0.66))
    right = [np.asarray((s.truth.multiply(s.decided)).sum(axis=1)).ravel() > 0 for s in (a, b)]
    wins, losses = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())
    outcome = permutation(a, b, measure="accuracy")
    assert outcome.p_value == pytest.approx(stats.binomtest(wins, wins + losses).pvalue)
    assert (outcome.n, outcome.method) == (wins + losses, "exact binomial")


def test_exchanging_the_systems_mirrors_the_result():
    a, b = pair(np.random.default_rng(6), 400, (0.6, 0.7))
    for measure in ("macro_f1", "micro_f1", "accuracy"):
        one, other = permutation(a, b, measure=measure), permutation(b, a, measure=measure)
        assert one.p_value == other.p_value
        assert one.effect == pytest.approx(-other.effect)


def test_p_values_reach_what_holm_asks_for():
    """48 systems: 9,999 plain draws times 1,128 pairs are never below .113."""
    rng = np.random.default_rng(1)
    true, truth, _ = single(rng, 3000, 0.5)
    decided = [single(rng, 3000, q, truth=true)[2] for q in (0.5, 0.5, 0.62, 0.75)]
    family = SwapFamily(truth, decided, measure="macro_f1", known=6)
    p = [outcome.p_value for outcome in family.test([(0, 1), (0, 2), (2, 3)])]
    assert p[0] > 0.01
    assert max(p[1:]) * 1128 < 0.05


@pytest.mark.proof
def test_level_under_true_nulls():
    """Answers exchanged at random: about 5 % of the p-values are below .05 (400 nulls, standard error 1.1 %)."""
    rng, low = np.random.default_rng(9), 0
    true, truth, first = single(rng, 300, 0.55)
    second = single(rng, 300, 0.65, truth=true)[2]
    for _ in range(400):
        swap = sparse.csr_array((rng.random((300, 1)) < 0.5) * np.ones((1, 6)), dtype=bool)
        keep = sparse.csr_array(~swap.toarray())
        mixed = [
            sparse.csr_array(x.multiply(swap) + y.multiply(keep), dtype=bool)
            for x, y in ((first, second), (second, first))
        ]
        low += SwapFamily(truth, mixed, measure="macro_f1", known=6).test([(0, 1)])[0].p_value <= 0.05
    assert 0.02 <= low / 400 <= 0.09


def test_compare_tells_different_groups_apart_and_equal_ones_not():
    """Twelve systems of three qualities: between the groups all pairs are different, within them none is."""
    rng = np.random.default_rng(8)
    true, truth, _ = single(rng, 2000, 0.5)
    runs = [system(f"{q}-{i}", truth, single(rng, 2000, q, truth=true)[2]) for q in (0.5, 0.62, 0.74) for i in range(4)]
    comparison = compare(runs, tests="permutation:macro_f1")
    for result in comparison:
        assert (result.better is not None) == (result.a[:4] != result.b[:4]), result


def test_default_tests_are_those_that_hold():
    a, b = pair(np.random.default_rng(2), 60, (0.6, 0.7))
    single_label = compare([a, b])
    assert [(r.test, r.measure) for r in single_label] == [("permutation", "accuracy"), ("permutation", "macro_f1")]
    assert "--tests paper" in single_label.notes[0]
    assert {r.test for r in compare([a, b], tests="paper")} == {"s", "S", "T", "T'", "p"}


@pytest.mark.parametrize("measure", ["macro_f1", "micro_f1"])
def test_patterns_of_a_pair_are_those_of_its_documents(measure):
    """The effects of all patterns, by orientation, sum to what the systems differ in, document by document."""
    rng = np.random.default_rng(12)
    truth = sparse.csr_array(rng.random((400, 5)) < 0.3)
    decided = [sparse.csr_array(rng.random((400, 5)) < share) for share in (0.2, 0.3, 0.4)]
    family = SwapFamily(truth, decided, measure=measure, known=4)
    for a, b in ((0, 1), (2, 0)):
        found = family.pair(a, b)
        answers = [decided[s].toarray()[:, : 5 if measure == "micro_f1" else 4].astype(int) for s in (a, b)]
        true = truth.toarray()[:, : answers[0].shape[1]]
        changes = [answers[0] - answers[1], true * (answers[0] - answers[1])]
        if measure == "micro_f1":
            changes = [change.sum(axis=1, keepdims=True) for change in changes]
        signed = np.column_stack(changes)
        both = {tuple(max((row, -row), key=lambda one: one.tolist())) for row in signed if row.any()}
        rows = np.column_stack([found.effects.assigned.toarray(), found.effects.tp.toarray()]).astype(int)
        listed = [tuple(max((row, -row), key=lambda one: one.tolist())) for row in rows if row.any()]
        assert sorted(listed) == sorted(both), "each pattern once"
        assert ((2 * found.k - found.n) @ rows).tolist() == signed.sum(axis=0).tolist()
        for row, n in zip(rows, found.n, strict=True):
            alike = (signed == row).all(axis=1) | (signed == -row).all(axis=1)
            assert n == alike.sum() or not row.any()


def test_patterns_hold_what_the_systems_differ_in():
    """From the midpoint the observed deviations give back the difference of both systems."""
    rng = np.random.default_rng(13)
    truth = sparse.csr_array(rng.random((300, 6)) < 0.3)
    decided = [sparse.csr_array(rng.random((300, 6)) < 0.3) for _ in range(2)]
    for measure in ("macro_f1", "micro_f1"):
        family = SwapFamily(truth, decided, measure=measure, known=6)
        pair = family.pair(0, 1)
        assert pair.differences(pair.k)[0] == pytest.approx(family.value(0) - family.value(1), abs=1e-12)


@pytest.mark.parametrize("undefined", ["zero", "one"])
def test_systems_that_are_wrong_in_other_ways_disagree(undefined):
    """Equal numbers of right and wrong labels, but not the same labels: micro-F1 is equal, the answers are not."""
    truth = sparse.csr_array(np.array([[False, False, True]]))
    a, b = (system(n, truth, sparse.csr_array(np.eye(3, dtype=bool)[[k]])) for n, k in (("a", 0), ("b", 1)))
    outcome = permutation(a, b, measure="micro_f1", undefined=undefined)
    assert (outcome.n, outcome.p_value, outcome.effect, outcome.method) == (1, 1.0, 0.0, "all swaps")


def test_pairs_of_two_collections_are_each_tested_on_their_own():
    rng = np.random.default_rng(21)
    first, second = pair(rng, 80, (0.5, 0.9)), pair(rng, 50, (0.9, 0.4))
    second = tuple(replace(each, name=f"{each.name}2", collection="other") for each in second)
    together = compare([*first, *second], tests="permutation:macro_f1", adjust="none")
    alone = [compare(part, tests="permutation:macro_f1", adjust="none").results[0] for part in (first, second)]
    assert [(r.a, r.b, r.p_value) for r in together] == [(r.a, r.b, r.p_value) for r in alone]


def test_the_lines_are_those_of_holm():
    p = np.array([0.02, 0.001, 0.9, 0.0126])
    assert ((holm(p) <= 0.05) == (p <= holm_lines(p))).all()


@pytest.mark.proof
def test_forty_eight_systems_of_known_quality():
    """Four qualities, twelve systems each, 20 worlds: groups differ, and a false alarm comes in at most 5 % of worlds.

    Twenty worlds with a chance of .05 each have more than four alarms once in 400 times.
    """
    alarms, missed, between = 0, 0, 0
    for world in range(20):
        rng = np.random.default_rng(world)
        true, truth, _ = single(rng, 3000, 0.5)
        quality = np.repeat([0.45, 0.55, 0.65, 0.75], 12)
        decided = [single(rng, 3000, q, truth=true)[2] for q in quality]
        pairs = [(i, j) for i in range(48) for j in range(i + 1, 48)]
        outcomes = SwapFamily(truth, decided, measure="macro_f1", known=6).test(pairs)
        different = holm([outcome.p_value for outcome in outcomes]) <= 0.05
        equal = np.array([quality[i] == quality[j] for i, j in pairs])
        alarms += bool((different & equal).any())
        missed += int((~different & ~equal).sum())
        between += int((~equal).sum())
    assert alarms <= 4
    assert missed / between < 0.01
