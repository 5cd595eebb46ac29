"""One label per document: the best category is judged, by every method, and accuracy is what comes out."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from typer.testing import CliRunner

import rubricate as rb
from rubricate.classifiers.svm_leave_one_out import SolvedSVMs
from rubricate.cli import build
from rubricate.estimation.leave_one_out import best_categories, leave_one_out, may_be_best, score_bounds
from rubricate.estimation.xi_alpha import xi_alpha

pytestmark = pytest.mark.slow


def _problem(seed, n=24, classes=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    y[:classes] = np.arange(classes)
    X = rng.normal(size=(n, classes + 2))
    X[np.arange(n), y] += 1.3
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    labels = np.zeros((n, classes), bool)
    labels[np.arange(n), y] = True
    return sparse.csr_array(X), sparse.csr_array(labels), y


def _retrained(svm, X, labels):
    """Return the best category of each document by SVMs trained without it."""
    n = X.shape[0]
    best = []
    for i in range(n):
        kept = np.arange(n) != i
        best.append(int(np.argmax(clone(svm).fit(X[kept], labels[kept]).decision_function(X[[i]])[0])))
    return np.array(best)


@given(st.integers(0, 10_000), st.sampled_from([0.1, 1.0, 5.0]), st.sampled_from(["free", "penalised", None]))
@settings(max_examples=6, deadline=None)
def test_leave_one_out_is_that_of_retraining(seed, C, bias):
    X, labels, y = _problem(seed)
    svm = rb.SVM(C=C, bias=bias, tol=1e-7)
    estimate = leave_one_out(svm, X, labels, single=True)
    assert estimate.accuracy == pytest.approx(np.mean(_retrained(svm, X, labels) == y), abs=1e-12)
    exact = leave_one_out(svm, X, labels, single=True, every=True)
    assert exact.accuracy == estimate.accuracy
    assert estimate.facts["solves"] <= exact.facts["solves"]


@pytest.mark.parametrize("bias", ["free", "penalised", None])
@pytest.mark.parametrize("seed", range(4))
def test_categories_that_are_passed_over_would_not_have_been_best(bias, seed):
    X, labels, _ = _problem(seed, n=80, classes=6)
    svm = rb.SVM(C=1.0, bias=bias)
    spared, exact = (leave_one_out(svm, X, labels, single=True, every=every) for every in (False, True))
    one, two = (best_categories(found.scores, labels).indices for found in (spared, exact))
    # Documents at the margin, −1, of several categories: whichever is taken, they are counted.
    second, first = np.sort(exact.scores, axis=1)[:, -2:].T
    assert (first - second)[one != two].max(initial=0.0) < 1e-3
    assert np.count_nonzero(one != two) <= spared.facts["short"]
    assert spared.facts["solves"] <= exact.facts["solves"] - (bias != "free")


@pytest.mark.parametrize("kept", [0, 8192])
@pytest.mark.parametrize("bias", ["free", "penalised"])
def test_documents_solved_again_decide_as_if_all_were(monkeypatch, kept, bias):
    """400 sparse documents, with and without solutions of categories kept between passes."""
    monkeypatch.setattr(SolvedSVMs, "solutions", lambda self: {} if kept else None)
    rng = np.random.default_rng(2)
    y = rng.integers(5, size=400)
    X = rng.random((400, 300)) * (rng.random((400, 300)) < 0.04)
    X[np.arange(400), y] += 0.5
    X = sparse.csr_array(X / np.linalg.norm(X, axis=1, keepdims=True))
    labels = sparse.csr_array(y[:, None] == np.arange(5))
    spared, exact = (leave_one_out(rb.SVM(bias=bias), X, labels, single=True, every=every) for every in (False, True))
    assert (best_categories(spared.scores, labels) != best_categories(exact.scores, labels)).nnz == 0
    assert spared.facts["candidates"] == exact.facts["candidates"]
    np.testing.assert_array_equal(spared.facts["disagreement"], exact.facts["disagreement"])
    assert spared.facts["solves"] < 0.8 * exact.facts["solves"]
    assert spared.facts["short"] == 0


@given(st.integers(0, 10_000))
def test_documents_are_decided_if_one_category_is_above_the_bounds_of_all_others(seed):
    rng = np.random.default_rng(seed)
    middle, width = rng.normal(size=(8, 4)), rng.random((8, 4))
    low, high = middle - width, middle + width
    pairs, bars = may_be_best(low, high)
    for i in range(8):
        reaching = [c for c in range(4) if all(high[i, c] >= low[i, k] for k in range(4) if k != c)]
        assert np.flatnonzero(pairs[i]).tolist() == (reaching if len(reaching) > 1 else [])
        assert bars[i].tolist() == [max(low[i, k] for k in range(4) if k != c) for c in range(4)]


@pytest.mark.parametrize("bias", ["free", "penalised", None])
@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_scores_of_documents_left_out_are_within_their_bounds(bias, C):
    X, labels, _ = _problem(7, n=60, classes=4)
    svms = SolvedSVMs.of(rb.SVM(C=C, bias=bias, tol=1e-6).fit(X, labels), X, labels)
    low, high = score_bounds(svms.svm.decision_function(X), svms)
    exact = leave_one_out(svms.svm, X, labels, every=True).scores
    assert (low <= exact).all()
    assert (exact <= high).all()


def _noisy(seed):
    """Return 330 sparse documents of four topics: twins, near twins and words of other labels, one label only once."""
    rng = np.random.default_rng(seed)
    y = rng.integers(4, size=330)
    X = rng.random((330, 120)) * (rng.random((330, 120)) < 0.05)
    X[np.arange(330), y] += 0.4
    X[:20] = X[20:40]
    X[40:60] = X[60:80] + 0.03 * (rng.random((20, 120)) < 0.05)
    y[330 - 1] = 4
    return sparse.csr_array(X / np.linalg.norm(X, axis=1, keepdims=True)), sparse.csr_array(y[:, None] == np.arange(5))


@pytest.mark.parametrize("bias", ["free", "penalised", None])
@pytest.mark.parametrize("C", [1e-3, 1.0, 10.0, pytest.param(1e3, marks=pytest.mark.proof)])
def test_noise_is_decided_as_by_retraining(C, bias):
    X, labels = _noisy(0)
    estimate = leave_one_out(rb.SVM(C=C, bias=bias), X, labels, single=True)
    best = best_categories(estimate.scores, labels).indices
    for i in [329, *np.random.default_rng(1).choice(80, 12, replace=False)]:
        kept = np.delete(np.arange(330), i)
        scores = rb.SVM(C=C, bias=bias, tol=1e-6).fit(X[kept], labels[kept]).decision_function(X[[i]])
        first, second = np.sort(scores[0])[::-1][:2]
        # Whichever of two that are nearly level is taken may depend on how exactly both were solved.
        assert best[i] == best_categories(scores, labels[[i]]).indices[0] or first - second < 1e-3 * max(C, 1.0)


@given(st.integers(0, 10_000), st.sampled_from([0.1, 1.0, 5.0]), st.sampled_from(["penalised", None]))
@settings(max_examples=6, deadline=None)
def test_xi_alpha_is_never_above_leave_one_out_without_a_free_bias(seed, C, bias):
    X, labels, y = _problem(seed)
    svm = rb.SVM(C=C, bias=bias, tol=1e-7)
    assert xi_alpha(svm, X, labels, single=True).accuracy <= np.mean(_retrained(svm, X, labels) == y) + 1e-12


def test_two_categories_that_mirror_each_other_are_doubted_as_by_the_definition():
    X, labels, y = _problem(3, classes=2)
    column = np.array(["a", "b"])[y]
    fitted = rb.SVM(tol=1e-7).fit(X, column)
    both = xi_alpha(fitted, X, labels, single=True)
    alone = xi_alpha(fitted, X, labels)
    # f of one category is −f of the other and α is the same: both conditions are ρ α R² + ξ >= 1
    assert both.accuracy == pytest.approx(1 - alone.facts["d"][1] / len(y))


def test_without_single_label_there_is_no_accuracy():
    X, labels, _ = _problem(0)
    estimate = xi_alpha(rb.SVM(), X, labels)
    assert estimate.accuracy is None
    assert "accuracy" not in estimate.to_dict()
    assert "accuracy" not in str(estimate)


TEXTS = ["how do i pay", "can you pay it", "why was it sent", "who sent that", "stop it now", "please stop this"]
LABELS = ["pay", "pay", "send", "send", "stop", "stop"]


@pytest.mark.parametrize(
    ("method", "options"),
    [("xi_alpha", {}), ("leave_one_out", {}), ("cross_validation", {"folds": 3}), ("holdout", {"share": 0.5})],
)
def test_every_method_gives_one_category_to_each_document(method, options):
    model = rb.Categorizer("svm")
    estimate = rb.estimate(model, TEXTS * 5, LABELS * 5, method=method, **options)
    assert estimate.single_label
    assert estimate.accuracy == pytest.approx(estimate.micro["f1"])
    assert rb.estimate(rb.Categorizer("svm", cut=0.0), TEXTS * 5, LABELS * 5, method=method, **options).accuracy is None


def test_a_column_given_to_a_bare_svm_is_single_and_sets_are_not():
    assert rb.estimate(rb.SVM(), TEXTS * 5, LABELS * 5).single_label
    assert not rb.estimate(rb.SVM(), TEXTS * 5, [[label] for label in LABELS * 5]).single_label


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "questions.csv"
    lines = [
        f"d{i},{text} {i % 4},{label}\n" for i, (text, label) in enumerate(zip(TEXTS * 6, LABELS * 6, strict=True))
    ]
    path.write_text("id,text,labels\n" + "".join(lines))
    return str(path)


def _run(*arguments):
    result = CliRunner().invoke(build(), ["estimate", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_the_command_says_accuracy(questions):
    assert "accuracy 1.0000: every document has one label" in _run(questions)
    found = json.loads(_run(questions, "--method", "leave-one-out", "--json"))
    assert found["accuracy"] == 1.0
    assert "accuracy" not in json.loads(_run(questions, "--set", "cut=0.0", "--json"))


def test_the_curve_is_of_accuracy(questions):
    curves = json.loads(_run(questions, "--curve", "--json"))
    assert curves["single_label"]
    micro = curves["curves"]["micro"]
    assert micro["accuracy"] == micro["f1"]
    assert np.allclose(np.array(micro["accuracy"]) + micro["error"], 1.0)
    assert "accuracy" in _run(questions, "--curve")
