"""Leave-one-out of linear SVMs by the documents near the margin against retraining, and the parts it is made of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.kernels.small_cases import count_cases
from tests.oracles.leave_one_out import retrained

import rubricate as rb
from rubricate.classifiers.svm.leave_one_out import near, solved
from rubricate.classifiers.svm.leave_one_out import leave_one_out_scores
from rubricate.classifiers.svm.leave_one_out.near import STAGES, NearRetraining, suits
from rubricate.classifiers.svm.leave_one_out.pairs import LeftOutPairs
from rubricate.classifiers.svm.leave_one_out.rows import RowRetraining
from rubricate.classifiers.svm.leave_one_out import SolvedSVMs
from rubricate.estimation.leave_one_out import leave_one_out
from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_local import Dual, Search, solve_exactly
from rubricate.kernels.svm_set_removals import LOOK_ALL

BIASES = ("free", "penalised", None)


def _problem(seed, n=120, terms=150, *, twins=0, share=0.4):
    """Sparse documents of two overlapping topics, some of them twice and with opposite labels."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    y[:2] = True, False
    X = rng.random((n, terms)) * (rng.random((n, terms)) < 0.08)
    X[:, 0] += 0.5 * y
    X[:, 1] += 0.5 * ~y
    for k in range(twins):
        X[n - 1 - k] = X[k]
    return sparse.csr_array(X / np.linalg.norm(X, axis=1, keepdims=True)), y


def _machine(X, y, **options):
    labels = sparse.csr_array(y[:, None])
    return SolvedSVMs.of(rb.SVM(**options).fit(X, labels), X, labels)


@pytest.mark.slow
@given(
    st.integers(0, 10_000), st.sampled_from([0.3, 1.0, 5.0]), st.sampled_from(BIASES), st.sampled_from([0, 0, 6]),
    st.sampled_from([0.4, 0.15]),
)  # fmt: skip
@settings(max_examples=12)
def test_scores_are_those_of_retraining(seed, C, bias, twins, share):
    X, y = _problem(seed, twins=twins, share=share)
    machine = _machine(X, y, C=C, bias=bias, tol=1e-4)
    left = leave_one_out_scores(machine, 0, every=True)
    rows = np.random.default_rng(seed).choice(len(y), 20, replace=False)
    scores, _ = retrained(rb.SVM(C=C, bias=bias, tol=1e-9), X, y, rows)
    np.testing.assert_allclose(left.score[rows], scores, atol=3e-3)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("spare", [0, 7, 192])
def test_scores_depend_neither_on_the_order_nor_on_places_kept_free(monkeypatch, bias, spare):
    X, y = _problem(3)
    machine = _machine(X, y, C=1.0, bias=bias, tol=1e-6)
    chosen = np.flatnonzero(machine.alpha.toarray()[:, 0] > 0)
    expected, free = NearRetraining(machine, 0).leave_out(chosen, exact=True)
    order = np.random.default_rng(0).permutation(len(chosen))
    monkeypatch.setattr(near, "SPARE", spare)
    scores, counts = NearRetraining(machine, 0).leave_out(chosen[order], exact=True)
    np.testing.assert_allclose(scores, expected[order], atol=1e-5)
    assert (counts == free[order]).all()


@given(seed=st.integers(0, 10_000), C=st.sampled_from([0.3, 1.0, 5.0]), bias=st.sampled_from(["penalised", None]))
def test_scores_of_few_documents_are_those_of_retraining(seed, C, bias):
    """Each support of a few documents left out of the full solution, and of the problem before it is solved."""
    X, y = _problem(seed, n=14, terms=12)
    machine = _machine(X, y, C=C, bias=bias, tol=1e-6)
    alpha = machine.alpha.toarray()[:, 0]
    chosen = np.flatnonzero(alpha > 0)
    if not ((alpha > 0) & (alpha < C)).any():  # `suits` asks for many more
        count_cases(0)
        return
    left, free = NearRetraining(machine, 0).leave_out(chosen, exact=True)
    rows, dense = Rows(X.indptr.astype(np.int64), X.indices.astype(np.uint32), X.data), X.toarray()
    for r, score in zip(chosen[free >= 0], left[free >= 0], strict=True):
        cap = np.where(np.arange(14) == r, 0.0, C)
        dual = Dual(2.0 * y - 1, cap, (dense**2).sum(axis=1), np.zeros(14), np.zeros(12), np.zeros(1))
        # Two problems in 10⁵ need more than 50,000 sweeps by coordinate descent: near twins.
        solve_exactly(rows, dual, Search(1.0 if bias else np.inf, 1e-7, 2_000_000, 0))
        # Violations below the level may add up to a gap of C · n · level. ½ |Δ(w, b)|² is at most the gap, the primal
        # being strongly convex: a score is off by √(2 gap (|x|² + 1)) at most, without a bias √(2 gap |x|²).
        gap = C * 14 * near.SCORES[-1]
        furthest = (2 * gap * (dense[r] @ dense[r] + (bias is not None))) ** 0.5
        np.testing.assert_allclose(score, dense[r] @ dual.w + dual.bias[0], atol=furthest)
    count_cases(int((free >= 0).sum()))


@pytest.mark.slow
@pytest.mark.parametrize("bias", BIASES)
def test_near_documents_and_rows_agree_on_every_document_in_doubt(bias):
    X, y = _problem(3, n=400, terms=300)
    machine = _machine(X, y, bias=bias, tol=1e-5)
    assert suits(machine)[0]
    chosen = np.flatnonzero(machine.alpha.toarray()[:, 0] > 0)
    nearby, free = NearRetraining(machine, 0).leave_out(chosen)
    by_rows, _ = RowRetraining(machine, 0).leave_out(chosen)
    np.testing.assert_array_equal(nearby > 0, by_rows > 0)
    assert (free > 0).all()


def test_a_document_outside_the_working_set_holds_up_its_twin():
    """Without the twin left out, the other one, so far beyond its margin, carries the decision."""
    X, y = _problem(5, n=300, terms=200, twins=40)
    machine = _machine(X, y, C=1.0, tol=1e-6)
    chosen = np.flatnonzero(machine.alpha.toarray()[:, 0] > 0)
    scores, _ = NearRetraining(machine, 0).leave_out(chosen, exact=True)
    want, _ = retrained(rb.SVM(tol=1e-8), X, y, chosen[:60])
    np.testing.assert_allclose(scores[:60], want, atol=3e-3)


def test_growing_the_working_set_gives_the_same_as_having_it_from_the_start(monkeypatch):
    X, y = _problem(7, n=400, terms=300)
    machine = _machine(X, y, tol=1e-5)
    chosen = np.flatnonzero(machine.alpha.toarray()[:, 0] > 0)
    found = []
    for band in (0.0, 0.02, 5.0):
        monkeypatch.setattr(near, "BAND", band)
        found.append(NearRetraining(machine, 0).leave_out(chosen, exact=True)[0])
    np.testing.assert_allclose(found[0], found[2], atol=2e-3)
    np.testing.assert_allclose(found[1], found[2], atol=2e-3)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("kind", ["counts", "scaled", "short"])
def test_vectors_of_other_lengths_are_left_to_the_rows_and_decided_as_by_retraining(bias, kind):
    """Tolerances of this way are of vectors of length 1: with counts they gave wrong signs."""
    X, y = _problem(4, n=120, terms=150, twins=20)
    rng = np.random.default_rng(4)
    dense = X.toarray()
    dense = {"counts": np.ceil(8 * dense), "scaled": dense * rng.lognormal(0, 0.8, (120, 1)), "short": dense / 9}[kind]
    X, C = sparse.csr_array(dense), 0.3 / float((dense**2).sum(axis=1).mean())
    machine = _machine(X, y, C=C, bias=bias)
    assert not suits(machine)[0]
    left, every = (leave_one_out_scores(machine, 0, every=every) for every in (False, True))
    close = np.argsort(np.abs(every.score))[:15]
    scores, _ = retrained(rb.SVM(C=C, bias=bias, tol=1e-9), X, y, close)
    sure = np.abs(scores) > 1e-4
    np.testing.assert_array_equal((left.score[close] > 0)[sure], (scores > 0)[sure])
    np.testing.assert_allclose(every.score[close], scores, atol=0.02)


def test_few_free_documents_and_a_huge_cost_are_left_to_the_rows():
    X, y = _problem(1, n=40, terms=30)
    for machine in (_machine(X, y, C=1e6, tol=1e-3, max_sweeps=50), _machine(X, y, C=1e-4)):
        assert not suits(machine)[0]


def test_all_is_solved_by_rows_where_no_solution_is_found(monkeypatch):
    X, y = _problem(9, n=300, terms=200)
    machine = _machine(X, y)
    expected = leave_one_out_scores(machine, 0)
    monkeypatch.setattr(near, "GROWTH", 0)
    np.testing.assert_array_equal(leave_one_out_scores(machine, 0).score > 0, expected.score > 0)


@pytest.mark.parametrize("most", [40, 130])
def test_a_working_set_that_would_grow_too_large_is_left_to_the_rows(most, monkeypatch):
    X, y = _problem(9, n=300, terms=200)
    machine = _machine(X, y)
    expected = leave_one_out_scores(machine, 0)
    made = NearRetraining(machine, 0)
    monkeypatch.setattr(near, "MOST", most)
    chosen = np.flatnonzero(expected.solved)
    np.testing.assert_array_equal(made.leave_out(chosen)[0] > 0, expected.score[chosen] > 0)


def test_facts_add_up():
    X, y = _problem(2, n=300, terms=200)
    found = leave_one_out(rb.SVM(C=0.5), X, sparse.csr_array(np.column_stack([y, ~y])))
    facts = found.facts
    assert facts["candidates"] == facts["settled"] + facts["solves"] > 0
    assert facts["short"] == 0
    assert facts["steps"] > facts["solves"]
    assert f"settled: {facts['settled']}" in str(found)


@pytest.mark.proof
def test_ten_categories_of_reuters_equal_retraining(reuters_folder):
    """600 documents of the ten largest categories: every document in doubt, and a sample of the rest, by retraining."""
    corpus = rb.load("reuters21578", split="r10")
    order = np.random.default_rng(1).permutation(len(corpus.train.texts))[:600]
    X = rb.text.Vectors(weights="ntc", min_df=2).fit_transform([corpus.train.texts[i] for i in order])
    labels = corpus.train.labels[order]
    found = leave_one_out(rb.SVM(C=0.5), X, labels, engine="serial")
    exact = leave_one_out(rb.SVM(C=0.5), X, labels, engine="serial", every=True)
    np.testing.assert_array_equal(found.scores > 0, exact.scores > 0)
    for i in np.flatnonzero(np.abs(exact.scores).min(axis=1) < 0.25)[:40]:
        kept = np.delete(np.arange(600), i)
        scores = rb.SVM(C=0.5, tol=1e-6).fit(X[kept], labels[kept]).decision_function(X[[i]])[0]
        np.testing.assert_allclose(exact.scores[i], scores, atol=5e-3)
        sure = np.abs(scores) > 1e-3
        np.testing.assert_array_equal((found.scores[i] > 0)[sure], (scores > 0)[sure])


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("made", [NearRetraining, RowRetraining])
@pytest.mark.parametrize("bar", [-np.inf, -0.3, 0.2, np.inf])
def test_scores_below_a_bar_are_below_it_and_others_are_exact(bias, made, bar):
    X, y = _problem(5, n=250, terms=200, twins=10)
    machine = _machine(X, y, C=1.0, bias=bias, tol=1e-6)
    chosen = np.flatnonzero(machine.alpha.toarray()[:, 0] > 0)
    exact, _ = made(machine, 0).leave_out(chosen, exact=True)
    scores, _ = made(machine, 0).leave_out(chosen, exact=True, bars=np.full(len(chosen), bar))
    sure = np.abs(exact - bar) > 0.01
    np.testing.assert_array_equal((scores < bar)[sure], (exact < bar)[sure])
    np.testing.assert_allclose(scores[exact >= bar], exact[exact >= bar], atol=0.01)


@pytest.mark.parametrize("bias", BIASES)
def test_a_matrix_answers_twice(bias):
    X, y = _problem(6)
    machine = _machine(X, y, C=1.0, bias=bias, tol=1e-6)
    chosen = np.flatnonzero(machine.alpha.toarray()[:, 0] > 0)
    whole, _ = NearRetraining(machine, 0).leave_out(chosen, exact=True)
    way = NearRetraining(machine, 0)
    halves = [way.leave_out(half, exact=True)[0] for half in (chosen[::2], chosen[1::2])]
    np.testing.assert_allclose(halves[0], whole[::2], atol=1e-3)
    np.testing.assert_allclose(halves[1], whole[1::2], atol=1e-3)


@pytest.mark.parametrize("shared", [0, 1 << 28])
@pytest.mark.parametrize("bias", BIASES)
def test_every_stage_holds_the_score_between_its_bounds(bias, shared, monkeypatch):
    """With and without the products of all documents; twins outside the working set are what makes bounds fail."""
    monkeypatch.setattr(solved, "SHARED", shared)
    monkeypatch.setattr(solved, "REPEATED", 0.0)
    X, y = _problem(8, n=300, terms=200, twins=40)
    machine = _machine(X, y, C=1.0, bias=bias, tol=1e-6)
    assert machine.products.shared == bool(shared)
    chosen = np.flatnonzero(machine.alpha.toarray()[:, 0] > 0)[:50]
    want, _ = retrained(rb.SVM(bias=bias, tol=1e-8), X, y, chosen)
    way, nowhere, widths = NearRetraining(machine, 0), np.full(len(chosen), np.inf), []
    for stage in range(len(STAGES)):
        found = way.narrow(chosen, stage, -nowhere, nowhere)
        assert (found.low <= want + 2e-3).all()
        assert (want <= found.high + 2e-3).all()
        # Where documents outside are still to enter, one side is open.
        widths.append(float(np.median(found.high - found.low)))
    assert widths[-1] == 0.0
    assert widths[-2] < 0.1 * widths[1]
    np.testing.assert_allclose(found.scores, want, atol=2e-3)


def test_bars_and_roofs_end_a_removal_early_and_on_their_side():
    X, y = _problem(5, n=250, terms=200)
    machine = _machine(X, y, C=1.0, tol=1e-6)
    chosen = np.flatnonzero(machine.alpha.toarray()[:, 0] > 0)
    exact, _ = NearRetraining(machine, 0).leave_out(chosen, exact=True)
    way, nowhere = NearRetraining(machine, 0), np.full(len(chosen), np.inf)
    way.narrow(chosen, 3, -nowhere, nowhere)
    whole, before = way.steps, way.steps
    below = way.narrow(chosen, 3, exact + 0.5, nowhere)
    above = way.narrow(chosen, 3, -nowhere, exact - 0.5)
    assert way.steps - before < whole
    assert (below.high < exact + 0.5).all()
    assert (above.low > exact - 0.5).all()


def test_documents_that_wait_to_enter_enter_once(monkeypatch):
    """A stage finds documents outside; whoever takes them in, the working set has each of them once."""
    monkeypatch.setattr(near, "BAND", 0.0)
    X, y = _problem(5, n=300, terms=200, twins=40)
    machine = _machine(X, y, C=1.0, tol=1e-6)
    chosen = np.flatnonzero(machine.alpha.toarray()[:, 0] > 0)
    way, nowhere = NearRetraining(machine, 0), np.full(len(chosen), np.inf)
    way.sets._look_once(LeftOutPairs(np.zeros_like(chosen), chosen, -nowhere, nowhere), STAGES[3], np.array([LOOK_ALL]))
    assert way.sets.solutions.waiting.any()
    way.leave_out(chosen, exact=True)
    way.narrow(chosen, 3, -nowhere, nowhere)
    rows = way.sets.sets.rows[: way.sets.sets.counts[0]]
    assert len(np.unique(rows)) == len(rows)
