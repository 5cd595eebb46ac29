"""Linear SVMs on hard and odd data, right, or a clear word."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

import rubricate as rb
from rubricate.classifiers.svm_kernel import Kernel, radius2
from rubricate.errors import InvalidInput

BIASES = ["free", "penalised", None]


def documents(seed=0, n=90, terms=60, categories=3):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, terms), density=0.1, rng=rng, format="csr")
    return X, sparse.csr_array(rng.random((n, categories)) < 0.3)


def objective(svm, X, Y, C):
    """The primal value of each category, from weights and bias alone."""
    signs = 2.0 * Y.toarray() - 1
    slack = np.maximum(0, 1 - signs * (X @ svm.coef_.T + svm.intercept_)).sum(axis=0)
    penalty = 0.5 * svm.intercept_**2 if svm.bias == "penalised" else 0.0
    return 0.5 * (svm.coef_**2).sum(axis=1) + penalty + C * slack


@pytest.mark.slow
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e3])
def test_the_gap_is_what_the_weights_say(bias, C):
    X, Y = documents()
    svm = rb.SVM(C=C, bias=bias, tol=1e-4).fit(X, Y)
    np.testing.assert_allclose(objective(svm, X, Y, C), svm.primal_, rtol=1e-7)
    assert np.all(svm.primal_ - svm.dual_ <= 1e-4 * svm.primal_ * (1 + 1e-9))
    assert np.all(svm.dual_ <= svm.primal_ * (1 + 1e-12))


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
def test_vectors_of_any_length(length):
    """With x → s x and C → C / s² the same problem in other units: the same scores."""
    X, Y = documents(1)
    plain = rb.SVM(C=1.0, tol=1e-6, bias=None).fit(X, Y)
    scaled = rb.SVM(C=1.0 / length**2, tol=1e-6, bias=None).fit(length * X, Y)
    np.testing.assert_allclose(scaled.decision_function(length * X), plain.decision_function(X), atol=5e-3)


def test_an_extreme_cost_is_solved_or_said():
    X, Y = documents(2)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        svm = rb.SVM(C=1e6, max_sweeps=200).fit(X, Y)
    reached = np.all(svm.primal_ - svm.dual_ <= 1e-3 * svm.primal_)
    assert reached or any("max_sweeps" in str(each.message) for each in said if each.category is ConvergenceWarning)
    assert np.isfinite(svm.coef_).all()


def test_documents_that_are_all_alike():
    """Equal documents with opposite labels: the majority wins, and α is at the bound or balanced."""
    X = sparse.csr_array(np.tile([0.6, 0.8], (60, 1)))
    y = np.arange(60) < 40
    svm = rb.SVM().fit(X, y)
    assert svm.predict(X).all()
    assert np.all(svm.primal_ - svm.dual_ <= 1e-3 * svm.primal_)


def test_one_category_and_one_document():
    X, _ = documents()
    all_of_them = rb.SVM().fit(X, sparse.csr_array(np.ones((X.shape[0], 1), bool)))
    assert (all_of_them.decision_function(X) == 1).all()
    alone = rb.SVM().fit(X[:1], sparse.csr_array([[True, False]]))
    assert alone.decision_function(X[:1]).tolist() == [[1.0, -1.0]]
    with pytest.raises(InvalidInput, match="2 classes"):
        rb.SVM().fit(X, ["wheat"] * X.shape[0])
    with pytest.raises(InvalidInput, match="2 classes"):
        rb.SVM().fit(X[:1], ["wheat"])


def test_a_categorizer_of_one_category_or_document_says_so():
    with pytest.raises(InvalidInput):
        rb.Categorizer(folds=0, cut="rcut:1").fit([], [])
    with pytest.raises(InvalidInput, match="nothing to tell apart"):
        rb.Categorizer(folds=0, cut="rcut:1").fit(["wheat and corn", "corn"], [{"grain"}, {"grain"}])
    with pytest.raises(InvalidInput, match="1 document to learn from"):
        rb.Categorizer(folds=0, cut="rcut:1").fit(["wheat"], ["grain"])


@pytest.mark.slow
@given(seed=st.integers(0, 10_000), bias=st.sampled_from(BIASES))
def test_coordinate_descent_and_steps_of_pairs_find_the_same_optimum(seed, bias):
    """A polynomial kernel of degree 1 is linear, and solved by pairs."""
    X, Y = documents(seed, n=40, terms=30, categories=2)
    rows = rb.SVM(bias=bias, tol=1e-5, threads=1).fit(X, Y).primal_
    pairs = rb.SVM(bias=bias, tol=1e-5, threads=1, kernel="poly", degree=1, gamma=1.0).fit(X, Y).primal_
    assert np.all(np.abs(rows - pairs) <= 1e-5 * np.maximum(rows, 1e-12) + 1e-12)


def test_against_linear_svc():
    X, Y = documents(5)
    ours = rb.SVM(bias="penalised", tol=1e-6).fit(X, Y)
    for c in range(Y.shape[1]):
        peer = LinearSVC(loss="hinge", tol=1e-8, max_iter=200_000).fit(X, Y[:, [c]].toarray()[:, 0])
        np.testing.assert_allclose(ours.coef_[c], peer.coef_[0], atol=5e-3)


def test_the_radius_of_vectors_of_length_one_needs_no_probe(monkeypatch):
    X, _ = documents(3, n=200)
    dense = X.toarray() + 0.1
    unit = sparse.csr_array(dense / np.linalg.norm(dense, axis=1, keepdims=True))
    monkeypatch.setattr(Kernel, "matrix", lambda *_: pytest.fail("a row of the kernel matrix was computed"))
    bound = radius2(unit, Kernel("linear", 1.0, 3, 0.0))
    products = unit @ unit.T
    assert bound >= np.max(products.diagonal()[:, None] - products.toarray())
    assert bound == pytest.approx(1.0)
