"""Leave-one-out of one category of an SVM against retraining, and the parts it is made of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.native.small_cases import count_cases
from tests.oracles.leave_one_out import retrained

import rubricate as rb
from rubricate.classifiers import svm_leave_one_out as module
from rubricate.classifiers.svm_leave_one_out import CategorySolution, Demand, SolvedSVMs, leave_one_out_scores
from rubricate.estimation.leave_one_out import leave_one_out

pytestmark = pytest.mark.slow

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


def _support(machine):
    return np.flatnonzero(machine.alpha.toarray()[:, 0] > 0)


def _exact(count, **options):
    return Demand(np.zeros(count), accuracy=0.0, **options)


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


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("bias", BIASES)
def test_no_score_is_off_by_more_than_its_deviation(bias, kernel):
    """The bound that decides when a score is certain, at every round of steps."""
    X, y = _problem(8, n=150, twins=20)
    options = {"C": 2.0, "bias": bias, "kernel": kernel, "gamma": 1.0, "coef0": 1.0}
    machine = _machine(X, y, **options)
    solution = CategorySolution(machine, 0)
    chosen = _support(machine)[:30]
    want, _ = retrained(rb.SVM(**options, tol=1e-10), X, y, chosen)
    for finest in (1.0, 0.3, 0.1, 0.03, 0.01, 1e-3):
        score, deviation, _ = solution.leave_out(chosen, _exact(len(chosen), finest=finest))
        assert (deviation <= finest).all()
        assert (np.abs(score - want) <= deviation + 1e-4).all()


@pytest.mark.parametrize("bias", BIASES)
def test_scores_do_not_depend_on_the_order(bias):
    X, y = _problem(3)
    machine = _machine(X, y, C=1.0, bias=bias, tol=1e-6)
    chosen = _support(machine)
    expected, _, free = CategorySolution(machine, 0).leave_out(chosen, _exact(len(chosen)))
    order = np.random.default_rng(0).permutation(len(chosen))
    scores, _, counts = CategorySolution(machine, 0).leave_out(chosen[order], _exact(len(chosen)))
    np.testing.assert_allclose(scores, expected[order], atol=2e-4)
    assert (counts == free[order]).mean() > 0.95


@given(seed=st.integers(0, 10_000), C=st.sampled_from([0.3, 1.0, 5.0]), bias=st.sampled_from(BIASES))
def test_scores_of_few_documents_are_those_of_retraining(seed, C, bias):
    X, y = _problem(seed, n=14, terms=12)
    machine = _machine(X, y, C=C, bias=bias, tol=1e-6)
    left = leave_one_out_scores(machine, 0, every=True)
    chosen = np.flatnonzero(left.solved)
    scores, _ = retrained(rb.SVM(C=C, bias=bias, tol=1e-10), X, y, chosen)
    np.testing.assert_allclose(left.score[chosen], scores, atol=1e-3)
    count_cases(len(chosen))


def test_a_document_outside_the_margin_set_holds_up_its_twin():
    """Without the twin left out, the other one, beyond its margin before, carries the decision."""
    X, y = _problem(5, n=300, terms=200, twins=40)
    machine = _machine(X, y, C=1.0, tol=1e-6)
    chosen = _support(machine)[:60]
    scores, _, _ = CategorySolution(machine, 0).leave_out(chosen, _exact(60))
    want, _ = retrained(rb.SVM(tol=1e-8), X, y, chosen)
    np.testing.assert_allclose(scores, want, atol=1e-3)


@pytest.mark.parametrize("band", [0.0, 1e-3, 5.0])
def test_growing_the_margin_set_gives_the_same_as_having_it_from_the_start(band, monkeypatch):
    X, y = _problem(7, n=250, terms=200)
    machine = _machine(X, y, tol=1e-5)
    chosen = _support(machine)
    expected, _, _ = CategorySolution(machine, 0).leave_out(chosen, _exact(len(chosen)))
    monkeypatch.setattr(module, "BAND", band)
    monkeypatch.setattr(module, "NEARBY", 10.0)
    scores, _, _ = CategorySolution(machine, 0).leave_out(chosen, _exact(len(chosen)))
    np.testing.assert_allclose(scores, expected, atol=3e-4)


@pytest.mark.parametrize("values", [1 << 10, 1 << 23])
def test_the_size_of_chunks_does_not_matter(values, monkeypatch):
    X, y = _problem(7, n=200)
    machine = _machine(X, y, kernel="rbf", gamma=1.0)
    expected = leave_one_out_scores(machine, 0, every=True).score
    monkeypatch.setattr(module, "MAX_VALUES", values)
    np.testing.assert_allclose(leave_one_out_scores(machine, 0, every=True).score, expected, atol=0.02)


def test_shared_kernel_values_are_the_same():
    X, y = _problem(7, n=200)
    machine, other = (_machine(X, y) for _ in range(2))
    expected = leave_one_out_scores(machine, 0, every=True).score
    other.share_kernel()
    monkey = machine.alpha.nnz
    assert ("_kernel" in vars(other)) == (monkey**2 >= 200**2)
    vars(other)["_kernel"] = other.kernel_values(np.arange(200), np.arange(200))
    np.testing.assert_allclose(leave_one_out_scores(other, 0, every=True).score, expected, atol=2e-3)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("most", [0, 100])
def test_beyond_the_largest_margin_set_the_svm_is_trained_anew(most, bias, monkeypatch):
    X, y = _problem(9, n=90, terms=60)
    machine = _machine(X, y, bias=bias, class_weight="balanced")
    expected = leave_one_out_scores(machine, 0)
    monkeypatch.setattr(module, "MAX_MARGIN_SET", most)
    found = leave_one_out_scores(machine, 0)
    sure = np.abs(expected.score) > 1e-3
    np.testing.assert_array_equal((found.score > 0)[sure], (expected.score > 0)[sure])


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("kind", ["counts", "scaled", "short"])
def test_vectors_of_other_lengths_are_decided_as_by_retraining(bias, kind):
    X, y = _problem(4, n=120, terms=150, twins=20)
    rng = np.random.default_rng(4)
    dense = X.toarray()
    dense = {"counts": np.ceil(8 * dense), "scaled": dense * rng.lognormal(0, 0.8, (120, 1)), "short": dense / 9}[kind]
    X, C = sparse.csr_array(dense), 0.3 / float((dense**2).sum(axis=1).mean())
    machine = _machine(X, y, C=C, bias=bias)
    left, every = (leave_one_out_scores(machine, 0, every=every) for every in (False, True))
    close = np.argsort(np.abs(every.score))[:15]
    scores, _ = retrained(rb.SVM(C=C, bias=bias, tol=1e-9), X, y, close)
    sure = np.abs(scores) > 1e-4
    np.testing.assert_array_equal((left.score[close] > 0)[sure], (scores > 0)[sure])
    np.testing.assert_allclose(every.score[close], scores, atol=0.02)


def test_facts_add_up():
    X, y = _problem(2, n=300, terms=200)
    found = leave_one_out(rb.SVM(C=0.5), X, sparse.csr_array(np.column_stack([y, ~y])))
    facts = found.facts
    assert facts["candidates"] == facts["settled"] + facts["solves"] > 0
    assert facts["short"] == 0
    assert facts["steps"] > 0
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


@pytest.fixture(scope="module", params=BIASES)
def solved(request):
    """A solution, the documents that it rests on, and their exact scores."""
    X, y = _problem(5, n=250, terms=200, twins=10)
    machine = _machine(X, y, C=1.0, bias=request.param, tol=1e-6)
    chosen = _support(machine)
    solution = CategorySolution(machine, 0)
    return solution, chosen, solution.leave_out(chosen, _exact(len(chosen)))[0]


@pytest.mark.parametrize("bar", [-np.inf, -0.3, 0.2, np.inf])
def test_scores_below_a_bar_are_below_it_and_others_are_exact(solved, bar):
    solution, chosen, exact = solved
    demand = Demand(np.full(len(chosen), bar), finest=0.01, one_sided=True)
    scores, deviation, _ = solution.leave_out(chosen, demand)
    sure = np.abs(exact - bar) > 0.02
    np.testing.assert_array_equal((scores < bar)[sure], (exact < bar)[sure])
    np.testing.assert_allclose(scores[exact >= bar], exact[exact >= bar], atol=0.01)
    assert ((deviation <= 0.01) | (scores + deviation < bar)).all()


@pytest.mark.parametrize("bias", BIASES)
def test_a_solution_answers_twice(bias):
    X, y = _problem(6)
    machine = _machine(X, y, C=1.0, bias=bias, tol=1e-6)
    chosen = _support(machine)
    whole, _, _ = CategorySolution(machine, 0).leave_out(chosen, _exact(len(chosen)))
    solution = CategorySolution(machine, 0)
    halves = [solution.leave_out(half, _exact(len(half)))[0] for half in (chosen[::2], chosen[1::2])]
    np.testing.assert_allclose(halves[0], whole[::2], atol=1e-3)
    np.testing.assert_allclose(halves[1], whole[1::2], atol=1e-3)
