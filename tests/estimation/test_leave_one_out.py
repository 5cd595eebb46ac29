"""Exact leave-one-out of SVMs against retraining, and of other classifiers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from tests.oracles.leave_one_out import retrained

import rubricate as rb
from rubricate.classifiers.svm_leave_one_out import SolvedSVMs, leave_one_out_scores
from rubricate.errors import InvalidInput
from rubricate.estimation.leave_one_out import leave_one_out

pytestmark = pytest.mark.slow

BIASES = ("free", "penalised", None)
KERNELS = ("linear", "poly", "rbf")
SURE = 1e-3


def _problem(seed: int, n: int = 24, terms: int = 8, *, dense: bool = False):
    """Documents of two overlapping topics with some noise, unit length unless dense."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    y[:2] = True, False
    X = rng.random((n, terms)) * (rng.random((n, terms)) < (1.0 if dense else 0.5))
    X[:, 0] += 0.6 * y
    X[:, 1] += 0.6 * ~y
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return sparse.csr_array(X if dense else X / norms), y


def _agrees(svm, X, y):
    found = leave_one_out(svm, X, sparse.csr_array(y[:, None]), engine="serial", every=True)
    scores, _ = retrained(svm, X, y)
    sure = np.abs(scores) > SURE
    assert ((found.scores[:, 0] > 0) == (scores > 0))[sure].all()
    return found, scores


@pytest.mark.proof
@given(
    st.integers(0, 10_000),
    st.sampled_from([0.05, 0.5, 1.0, 5.0, 100.0]),
    st.sampled_from(BIASES),
    st.sampled_from(KERNELS),
    st.booleans(),
)
@settings(max_examples=25)
def test_every_decision_of_small_problems_equals_retraining(seed, C, bias, kernel, dense):
    X, y = _problem(seed, dense=dense)
    svm = rb.SVM(C=C, bias=bias, kernel=kernel, gamma=1.0, coef0=1.0, tol=1e-9)
    _agrees(svm, X, y)


@pytest.mark.parametrize("bias", BIASES)
def test_scores_are_those_of_retraining_where_every_document_is_re_solved(bias):
    X, y = _problem(3, n=60, terms=30)
    found, scores = _agrees(rb.SVM(bias=bias, tol=1e-9), X, y)
    np.testing.assert_allclose(found.scores[:, 0], scores, atol=0.05)


def test_the_rows_and_the_matrix_give_the_same_decisions():
    X, y = _problem(5, n=80, terms=200)
    labels = sparse.csr_array(y[:, None])
    by_rows = leave_one_out(rb.SVM(tol=1e-8), X, labels, engine="serial", every=True)
    by_matrix = leave_one_out(rb.SVM(kernel="poly", degree=1, gamma=1.0, tol=1e-8), X, labels, every=True)
    np.testing.assert_allclose(by_rows.scores, by_matrix.scores, atol=0.05)


def test_pruning_changes_no_decision_and_saves_work():
    X, y = _problem(8, n=300, terms=60)
    labels = sparse.csr_array(y[:, None])
    all_of_them = leave_one_out(rb.SVM(C=0.5, tol=1e-6), X, labels, every=True)
    pruned = leave_one_out(rb.SVM(C=0.5, tol=1e-6), X, labels)
    np.testing.assert_array_equal(pruned.scores > 0, all_of_them.scores > 0)
    assert pruned.facts["solves"] < all_of_them.facts["solves"]


def test_agreement_with_another_solver():
    """scikit-learn's SVC (LIBSVM), trained without each document."""
    X, y = _problem(11, n=40, terms=10)
    found = leave_one_out(rb.SVM(C=2.0, tol=1e-9), X, sparse.csr_array(y[:, None]), every=True)
    plain = X.toarray()
    for i in range(len(y)):
        kept = np.delete(np.arange(len(y)), i)
        peer = SVC(C=2.0, kernel="linear", tol=1e-8).fit(plain[kept], y[kept]).decision_function(plain[[i]])[0]
        assert found.scores[i, 0] == pytest.approx(peer, abs=0.05)


def test_no_positive_one_positive_and_one_negative():
    X, _ = _problem(2, n=12)
    labels = np.zeros((12, 3), bool)
    labels[0, 1], labels[1:, 2] = True, True
    found = leave_one_out(rb.SVM(), X, sparse.csr_array(labels))
    assert found.table.tp.tolist() == [0, 0, 11]
    assert found.table.fn.tolist() == [0, 1, 0]
    assert found.table.fp.tolist() == [0, 0, 1]


def test_equal_documents_with_opposite_labels_are_all_errors():
    X = sparse.csr_array(np.tile([[1.0, 0.0], [1.0, 0.0]], (4, 1)))
    labels = sparse.csr_array(np.tile([[True], [False]], (4, 1)))
    svm = rb.SVM(tol=1e-9)
    found = leave_one_out(svm, X, labels)
    scores, _ = retrained(svm, X, labels.toarray()[:, 0])
    np.testing.assert_array_equal(found.scores[:, 0] > 0, scores > 0)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_two_documents_are_both_alone_on_their_side(bias, kernel):
    X = sparse.csr_array([[1.0, 0.0], [0.6, 0.8]])
    found = leave_one_out(rb.SVM(bias=bias, kernel=kernel), X, sparse.csr_array([[True], [False]]))
    assert found.scores[:, 0].tolist() == [-1.0, 1.0]
    assert found.facts["candidates"] == found.facts["settled"] + found.facts["solves"]


def test_alone_on_its_side_is_meant_of_documents_with_a_weight():
    X, y = _problem(12, n=20)
    weights = np.where(y, 0.0, 1.0)
    weights[np.flatnonzero(y)[0]] = 1.0
    found = leave_one_out(rb.SVM(), X, sparse.csr_array(y[:, None]), sample_weight=weights, every=True)
    assert found.scores[np.flatnonzero(y)[0], 0] == -1.0
    assert np.isfinite(found.scores).all()


@pytest.mark.parametrize("bias", BIASES)
def test_few_rows_with_terms_and_unequal_weights(bias):
    """Most documents are empty and only the bias decides, which coordinate descent moves slowly."""
    rng = np.random.default_rng(3)
    n = 40
    y, weights = rng.random(n) < 0.5, 2 * rng.random(n)
    weights[rng.random(n) < 0.2] = 0.0
    X = sparse.csr_array(rng.random((n, 1)) * (rng.random((n, 1)) < 0.1))
    labels = sparse.csr_array(y[:, None])
    svm = rb.SVM(C=0.3, bias=bias)
    machine = SolvedSVMs.of(svm, X, labels, sample_weight=weights)
    left = leave_one_out_scores(machine, 0, every=True)
    found = leave_one_out(svm, X, labels, sample_weight=weights)
    for i in range(n):
        kept = np.delete(np.arange(n), i)
        peer = rb.SVM(C=0.3, bias=bias, tol=1e-9).fit(X[kept], labels[kept], sample_weight=weights[kept])
        score = peer.decision_function(X[[i]])[0, 0]
        if abs(score) > SURE:
            assert (found.scores[i, 0] > 0) == (score > 0)
            assert (left.score[i] > 0) == (score > 0)


def test_facts_add_up_where_no_solution_is_stable():
    """Four documents at the bound, none between, two beyond the margin: all are re-solved."""
    X = sparse.csr_array([[0.1], [3.0], [4.0], [-0.1], [-3.0], [-4.0]])
    svm, labels = rb.SVM(C=0.05), sparse.csr_array([[True]] * 3 + [[False]] * 3)
    fitted = rb.SVM(C=0.05).fit(X, labels)
    assert not fitted.stable_[0]
    assert fitted.alpha_.nnz < 6
    found = leave_one_out(svm, X, labels)
    assert found.facts["candidates"] == found.facts["solves"] == 6
    assert found.facts["settled"] == 0


@pytest.mark.proof
@pytest.mark.parametrize("bias", BIASES)
def test_the_order_of_documents_does_not_matter(bias):
    X, y = _problem(13, n=400, terms=300)
    labels, order = sparse.csr_array(y[:, None]), np.random.default_rng(1).permutation(400)
    one = leave_one_out(rb.SVM(bias=bias, tol=1e-6), X, labels, every=True).scores[order]
    two = leave_one_out(rb.SVM(bias=bias, tol=1e-6), X[order], labels[order], every=True).scores
    np.testing.assert_allclose(one, two, atol=5e-3)
    sure = np.abs(one) > SURE
    np.testing.assert_array_equal((one > 0)[sure], (two > 0)[sure])


def test_separable_with_a_huge_cost():
    X = sparse.csr_array([[1.0, 0.0], [0.9, 0.1], [0.8, 0.1], [0.0, 1.0], [0.1, 0.9], [0.2, 0.9]])
    y = np.array([True, True, True, False, False, False])
    _, scores = _agrees(rb.SVM(C=1e9, tol=1e-9), X, y)
    assert ((scores > 0) == y).all()


def test_another_classifier_is_trained_for_each_document():
    X, y = _problem(4, n=15)
    found = leave_one_out(KNeighborsClassifier(1), X.toarray(), sparse.csr_array(y[:, None]))
    near = np.argsort(-(X @ X.T).toarray() + 9 * np.eye(15), axis=1)[:, 0]
    assert found.facts["trainings"] == 15
    assert found.error[0] == pytest.approx(np.mean(y[near] != y))


def test_documents_that_the_svm_was_not_trained_on_are_refused():
    X, y = _problem(1)
    svm = rb.SVM().fit(X, sparse.csr_array(y[:, None]))
    with pytest.raises(InvalidInput, match="was trained on 24 documents and there are 20"):
        leave_one_out(svm, X[:20], sparse.csr_array(y[:20, None]))


def test_the_engine_does_not_matter():
    X, y = _problem(6, n=60, terms=40)
    labels = sparse.csr_array(np.column_stack([y, ~y, np.roll(y, 3)]))
    one, two = (leave_one_out(rb.SVM(), X, labels, engine=engine) for engine in ("serial", "threads"))
    np.testing.assert_array_equal(one.scores, two.scores)
    assert one.facts["steps"] == two.facts["steps"]


def test_a_sample_of_reuters_equals_retraining(aptemod):
    train = aptemod.train
    X = rb.text.Vectors(weights="ltc").fit_transform(train.texts)
    y = train.labels[:, [train.categories.index("ship")]]
    pruned, found = (leave_one_out(rb.SVM(), X, y, every=every) for every in (False, True))
    np.testing.assert_array_equal(pruned.scores > 0, found.scores > 0)
    side = np.where(y.toarray()[:, 0], 1, -1)
    close = np.argsort(np.abs(found.scores[:, 0]))[:12]
    svm = rb.SVM(tol=1e-6)
    scores, _ = retrained(svm, X, side > 0, close)
    np.testing.assert_allclose(found.scores[close, 0], scores, atol=0.01)
    assert ((found.scores[close, 0] > 0) == (scores > 0)).all()


@pytest.mark.parametrize(("n", "terms"), [(40, 10), (160, 400)])
def test_weights_of_documents_are_those_of_the_training(n, terms):
    """By matrix (dense) and by rows; a document of weight zero is not there, and its score is that of all others."""
    X, y = _problem(12, n=n, terms=terms, dense=terms == 10)
    labels, weights = sparse.csr_array(y[:, None]), np.random.default_rng(0).random(n) * 2
    weights[:3] = 0.0
    svm = rb.SVM(tol=1e-7).fit(X, labels, sample_weight=weights)
    found = leave_one_out(svm, X, labels, sample_weight=weights, every=True)
    for i in range(0, n, 4):
        kept = np.delete(np.arange(n), i)
        peer = rb.SVM(tol=1e-9).fit(X[kept], labels[kept], sample_weight=weights[kept])
        assert found.scores[i, 0] == pytest.approx(peer.decision_function(X[[i]])[0, 0], abs=5e-3)
    again = leave_one_out(rb.SVM(tol=1e-7), X, labels, sample_weight=weights, every=True)
    np.testing.assert_allclose(again.scores, found.scores, atol=1e-3)


@pytest.mark.parametrize("factor", [None, 0.5, 3.0])
def test_other_weights_than_those_of_the_training_are_refused(factor):
    X, y = _problem(12, n=80, terms=60)
    labels, weights = sparse.csr_array(y[:, None]), np.random.default_rng(0).random(80) * 2
    svm = rb.SVM().fit(X, labels, sample_weight=weights)
    with pytest.raises(InvalidInput, match="give the same as sample_weight="):
        leave_one_out(svm, X, labels, sample_weight=None if factor is None else factor * weights)


@pytest.mark.parametrize("weights", [[1.0], [-1.0] * 24, [np.nan] * 24])
def test_weights_that_are_none(weights):
    X, y = _problem(1)
    labels = sparse.csr_array(y[:, None])
    svm = rb.SVM().fit(X, labels)
    with pytest.raises(InvalidInput, match="24 numbers, one per document"):
        leave_one_out(svm, X, labels, sample_weight=weights)
    with pytest.raises(InvalidInput, match="only for an SVM"):
        leave_one_out(KNeighborsClassifier(1), X.toarray(), labels, sample_weight=np.ones(24))
