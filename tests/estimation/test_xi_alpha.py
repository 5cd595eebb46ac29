"""ξα: the formulas, the bound of lemma 1 against retraining, the kernel shift, and hopeless input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles.leave_one_out import doubted, retrained
from tests.oracles.svm import kernel_matrix, radius2
from tests.tally import count_cases

import rubricate as rb
from rubricate.errors import InvalidInput
from rubricate.estimation.xi_alpha import xi_alpha

pytestmark = pytest.mark.slow

KERNELS = ("linear", "poly", "rbf")


def _problem(seed: int, n: int = 18, terms: int = 5):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    y[:2] = True, False
    X = rng.normal(size=(n, terms))
    X[:, 0] += 1.2 * (2 * y - 1)
    return sparse.csr_array(X), y


@given(st.integers(0, 10_000), st.sampled_from([0.1, 1.0, 10.0]), st.sampled_from(KERNELS))
@settings(max_examples=25)
def test_rho_2_is_never_below_leave_one_out_where_solutions_are_stable(seed, C, kernel):
    X, y = _problem(seed)
    svm = rb.SVM(C=C, kernel=kernel, gamma=0.3, coef0=1.0, degree=2, tol=1e-10)
    labels = sparse.csr_array(y[:, None])
    found = xi_alpha(svm, X, labels, rho=2.0)
    scores, stable = retrained(svm, X, y)
    full = svm.fit(X, labels)
    assert bool(found.undetermined[0]) == (not full.stable_[0])
    if full.stable_[0] and stable.all():
        assert found.facts["d"][0] >= np.sum((scores > 0) != y)
    count_cases(full.stable_[0] and stable.all())


@given(st.integers(0, 10_000), st.sampled_from([0.1, 1.0, 10.0]), st.sampled_from(["penalised", None]))
@settings(max_examples=20)
def test_rho_1_is_a_bound_without_a_free_bias(seed, C, bias):
    X, y = _problem(seed)
    svm = rb.SVM(C=C, bias=bias, tol=1e-10)
    found = xi_alpha(svm, X, sparse.csr_array(y[:, None]))
    scores, _ = retrained(svm, X, y)
    assert found.facts["d"][0] >= np.sum((scores > 0) != y)
    assert not found.undetermined[0]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("rho", [1.0, 2.0])
def test_counts_are_those_of_the_definition(kernel, rho):
    X, y = _problem(4, n=40)
    svm = rb.SVM(kernel=kernel, gamma=0.5, coef0=1.0, tol=1e-6).fit(X, sparse.csr_array(y[:, None]))
    found = xi_alpha(svm, X, sparse.csr_array(y[:, None]), rho=rho)
    own = np.array(doubted(svm.alpha_.toarray()[:, 0], svm.slack_.toarray()[:, 0], rho, svm.radius2_))
    assert found.facts["d"].tolist() == [own.sum()]
    assert found.facts["d_positive"].tolist() == [(own & y).sum()]
    exact = radius2(kernel_matrix(X.toarray(), X.toarray(), kernel, 0.5, 3, 1.0))
    assert found.facts["radius2"] >= exact - 1e-9


@given(st.integers(0, 10_000))
@settings(max_examples=20)
def test_the_four_formulas_are_those_of_the_table(seed):
    X, y = _problem(seed, n=30)
    labels = sparse.csr_array(np.column_stack([y, np.roll(y, 5)]))
    found = xi_alpha(rb.SVM(), X, labels, rho=1.0)
    n, held = 30, labels.toarray().sum(axis=0)
    d, up, down = found.facts["d"], found.facts["d_positive"], found.facts["d_negative"]
    np.testing.assert_allclose(found.error, d / n)
    np.testing.assert_allclose(found.recall, 1 - up / held)
    kept = held - up
    np.testing.assert_allclose(found.precision, np.where(kept + down > 0, kept / np.maximum(kept + down, 1), 0))
    np.testing.assert_allclose(found.f1, 2 * kept / (2 * held - up + down))
    assert found.micro["error"] == pytest.approx(d.sum() / (2 * n))
    assert found.micro["f1"] == pytest.approx(2 * kept.sum() / (2 * held.sum() - up.sum() + down.sum()))


@given(st.integers(0, 10_000), st.floats(0.1, 5.0))
@settings(max_examples=20)
def test_a_constant_added_to_the_kernel_changes_nothing(seed, constant):
    """Lemma 2: with a free bias. (x·z + c)¹ is the linear kernel and a constant."""
    X, y = _problem(seed, n=25)
    labels = sparse.csr_array(y[:, None])
    options = {"kernel": "poly", "degree": 1, "gamma": 1.0, "tol": 1e-10}
    plain, shifted = (xi_alpha(rb.SVM(coef0=c, **options), X, labels, rho=2.0) for c in (0.0, constant))
    assert plain.facts["radius2"] == pytest.approx(shifted.facts["radius2"])
    assert plain.facts["d"].tolist() == shifted.facts["d"].tolist()


def test_no_positive_one_positive_and_all():
    X, _ = _problem(3, n=12)
    labels = np.zeros((12, 3), bool)
    labels[4, 1], labels[:, 2] = True, True
    found = xi_alpha(rb.SVM(), X, sparse.csr_array(labels), rho=2.0)
    assert found.undetermined.tolist()[0]
    assert found.undetermined.tolist()[2]
    assert found.table.fn.tolist()[1] == 1
    assert found.recall[0] == 0.0


def test_separable_with_a_huge_cost_has_no_slack():
    X = sparse.csr_array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.1, 1.0]])
    found = xi_alpha(rb.SVM(C=1e8, tol=1e-9), X, sparse.csr_array([[1], [1], [0], [0]]), rho=1.0)
    assert 0 <= found.error[0] <= 1
    with pytest.raises(InvalidInput, match="C must be a positive number, got inf"):
        xi_alpha(rb.SVM(C=np.inf), X, sparse.csr_array([[1], [1], [0], [0]]))


def test_a_solution_with_all_at_the_bound_is_undetermined():
    X = sparse.csr_array([[1.0, 0.0], [0.0, 1.0]])
    found = xi_alpha(rb.SVM(C=1e-3), X, sparse.csr_array([[1], [0]]))
    assert found.undetermined.tolist() == [True]


def test_equal_documents_with_opposite_labels_are_all_in_doubt():
    X = sparse.csr_array(np.tile([[1.0, 0.0], [0.0, 1.0]], (4, 1)))
    labels = sparse.csr_array(np.array([[1], [1], [0], [0]] * 2, bool))
    assert xi_alpha(rb.SVM(), X, labels).error[0] == 1.0


def test_two_classes_are_each_others_mirror():
    X, y = _problem(5, n=30)
    svm = rb.SVM().fit(X, y)
    found = xi_alpha(svm, X, sparse.csr_array(np.column_stack([~y, y])))
    assert found.facts["d"][0] == found.facts["d"][1]
    assert found.facts["d_positive"][0] == found.facts["d_negative"][1]


def test_what_is_no_svm_is_refused():
    X, y = _problem(1)
    with pytest.raises(InvalidInput, match="no dual variables"):
        xi_alpha(rb.KNN(), X, sparse.csr_array(y[:, None]))
    with pytest.raises(InvalidInput, match="rho must be positive"):
        xi_alpha(rb.SVM(), X, sparse.csr_array(y[:, None]), rho=0)


def test_weights_give_each_document_its_own_cost():
    """Weight two is C twice as large: the condition holds for any C_i (joachims2000, lemma 1)."""
    rng = np.random.default_rng(5)
    X = sparse.csr_array(rng.random((60, 8)))
    labels = sparse.csr_array((X.toarray()[:, [0]] + 0.3 * rng.normal(size=(60, 1))) > 0.5)
    doubled = xi_alpha(rb.SVM(C=1.0, tol=1e-8), X, labels, sample_weight=np.full(60, 2.0))
    plain = xi_alpha(rb.SVM(C=2.0, tol=1e-8), X, labels)
    assert doubled.facts["d"].tolist() == plain.facts["d"].tolist()
    uneven = rng.random(60) + 0.1
    svm = rb.SVM(tol=1e-8).fit(X, labels, sample_weight=uneven)
    made_here = xi_alpha(rb.SVM(tol=1e-8), X, labels, sample_weight=uneven)
    assert xi_alpha(svm, X, labels).facts["d"].tolist() == made_here.facts["d"].tolist()
