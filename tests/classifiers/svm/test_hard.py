"""Linear SVMs on hard and odd data, by every way of the solver: right, or a clear word."""

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
from rubricate.classifiers.svm.solvers import block_solver, gram, linear
from rubricate.classifiers.svm.solvers.kernel import Kernel, radius2
from rubricate.errors import InvalidInput
from rubricate.kernels.rows import Rows
from rubricate.kernels.svm_fold import arrange_rows, fold_rows, term_frequencies
from rubricate.kernels.svm_local import Search

BIASES = ["free", "penalised", None]


@pytest.fixture(params=["working sets", "all documents", "products"])
def way(request, monkeypatch):
    """Each way of the solver, whatever the problem."""
    if request.param == "products":
        by_products(monkeypatch)
    whole = request.param == "all documents"
    monkeypatch.setattr(linear, "LARGE", 0 if whole else 1 << 60)
    monkeypatch.setattr(linear, "CROWDED", 0.0)
    monkeypatch.setattr(block_solver, "SMALL", 0 if whole else 1 << 60)
    monkeypatch.setattr(block_solver, "LONELY", 0.0)
    return request.param


def by_products(patch):
    patch.setattr(gram, "LARGE", 0)
    patch.setattr(gram, "LONG", 0.0)


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


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e3])
def test_the_gap_is_what_the_weights_say(way, bias, C):
    X, Y = documents()
    svm = rb.SVM(C=C, bias=bias, tol=1e-4).fit(X, Y)
    np.testing.assert_allclose(objective(svm, X, Y, C), svm.primal_, rtol=1e-7)
    assert np.all(svm.primal_ - svm.dual_ <= 1e-4 * svm.primal_ * (1 + 1e-9))
    assert np.all(svm.dual_ <= svm.primal_ * (1 + 1e-12))


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
def test_vectors_of_any_length(way, length):
    """With x → s x and C → C / s² the same problem in other units: the same scores."""
    X, Y = documents(1)
    plain = rb.SVM(C=1.0, tol=1e-6, bias=None).fit(X, Y)
    scaled = rb.SVM(C=1.0 / length**2, tol=1e-6, bias=None).fit(length * X, Y)
    np.testing.assert_allclose(scaled.decision_function(length * X), plain.decision_function(X), atol=5e-3)


def test_an_extreme_cost_is_solved_or_said(way):
    X, Y = documents(2)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        svm = rb.SVM(C=1e6, max_sweeps=200).fit(X, Y)
    reached = np.all(svm.primal_ - svm.dual_ <= 1e-3 * svm.primal_)
    assert reached or any("max_sweeps" in str(each.message) for each in said if each.category is ConvergenceWarning)
    assert np.isfinite(svm.coef_).all()


def test_documents_that_are_all_alike(way):
    """Equal documents with opposite labels: the majority wins, and α is at the bound or balanced."""
    X = sparse.csr_array(np.tile([0.6, 0.8], (60, 1)))
    y = np.arange(60) < 40
    svm = rb.SVM().fit(X, y)
    assert svm.predict(X).all()
    assert np.all(svm.primal_ - svm.dual_ <= 1e-3 * svm.primal_)


def test_one_category_and_one_document(way):
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


@given(seed=st.integers(0, 10_000), bias=st.sampled_from(BIASES))
def test_all_ways_find_the_optimum(seed, bias):
    X, Y = documents(seed, n=40, terms=30, categories=2)
    values = []
    for large in (0, 1 << 60, None):
        with pytest.MonkeyPatch.context() as patch:
            if large is None:
                by_products(patch)
            patch.setattr(linear, "LARGE", large or 0)
            patch.setattr(linear, "CROWDED", 0.0)
            patch.setattr(block_solver, "SMALL", large or 0)
            patch.setattr(block_solver, "LONELY", 0.0)
            values.append(rb.SVM(bias=bias, tol=1e-5, threads=1).fit(X, Y).primal_)
    for other in values[1:]:
        assert np.all(np.abs(values[0] - other) <= 1e-5 * np.maximum(values[0], 1e-12) + 1e-12)


def test_products_of_documents_are_those_of_the_matrix_and_follow_its_values():
    X = sparse.random_array((70, 90), density=0.2, rng=np.random.default_rng(3), format="csr")
    X = sparse.csr_array(sparse.hstack([X, sparse.csr_array(np.ones((70, 1)))]))
    first = gram.gram(X)
    np.testing.assert_allclose(first, (X @ X.T).toarray(), atol=1e-12)
    assert gram.gram(X) is first
    X.data *= 2
    np.testing.assert_allclose(gram.gram(X), (X @ X.T).toarray(), atol=1e-12)


def test_products_are_given_up_with_the_documents():
    X, _ = documents(7)
    before = set(gram.KEPT)
    gram.gram(X)
    (key,) = set(gram.KEPT) - before
    del X
    assert key not in gram.KEPT


def test_all_documents_against_linear_svc(monkeypatch):
    monkeypatch.setattr(linear, "LARGE", 0)
    monkeypatch.setattr(linear, "CROWDED", 0.0)
    X, Y = documents(5)
    ours = rb.SVM(bias="penalised", tol=1e-6).fit(X, Y)
    for c in range(Y.shape[1]):
        peer = LinearSVC(loss="hinge", tol=1e-8, max_iter=200_000).fit(X, Y[:, [c]].toarray()[:, 0])
        np.testing.assert_allclose(ours.coef_[c], peer.coef_[0], atol=5e-3)


@given(seed=st.integers(0, 1000))
def test_folding_lonely_terms_keeps_all_products(seed):
    X, _ = documents(seed, n=12, terms=40)
    rng = np.random.default_rng(seed)
    order, frequency = rng.permutation(12), np.bincount(X.indices, minlength=40)
    rank = np.empty(40, np.uint32)
    rank[np.argsort(-frequency, kind="stable")] = np.arange(40)
    kept = int(np.count_nonzero(frequency > 1))
    starts, terms, values = fold_rows(Rows(X.indptr, X.indices, X.data), order, rank, kept)
    folded = sparse.csr_array((values, terms.astype(np.int64), starts), shape=(12, kept + 12))
    np.testing.assert_allclose((folded @ folded.T).toarray(), (X @ X.T).toarray()[np.ix_(order, order)], atol=1e-12)
    assert folded.nnz <= X.nnz


@given(seed=st.integers(0, 1000))
def test_arranged_documents_are_those_of_the_matrix_with_renumbered_terms(seed):
    X, _ = documents(seed, n=12, terms=40)
    order, rank = np.random.default_rng(seed).permutation(12), np.random.default_rng(seed + 1).permutation(40)
    rows = Rows(np.empty(13, np.int64), np.empty(X.nnz, np.uint32), np.empty(X.nnz))
    arrange_rows(Rows(X.indptr, X.indices, X.data), order, rank.astype(np.uint32), rows)
    mixed = X[order]
    for found, wanted in zip(rows, (mixed.indptr, rank[mixed.indices], mixed.data), strict=True):
        np.testing.assert_array_equal(found, wanted)
    frequency = np.ones(40, np.int64)
    term_frequencies(X.indices, frequency)
    np.testing.assert_array_equal(frequency, 1 + np.bincount(X.indices, minlength=40))


@pytest.mark.parametrize(
    ("sizes", "crowded"),
    [
        ([], None),
        ([10, 10], None),
        ([0, 0, 0], False),
        ([10, 10, 10], None),
        ([10, 10, 10, 10], True),
        ([3] * 4, False),
    ],
)
def test_working_sets_are_chosen_as_soon_as_the_guesses_left_cannot_change_it(sizes, crowded):
    """Four categories of ten documents: with .45 as the limit, 18 of 40 near their margins are a crowd."""

    def solving(large):
        own = linear._Solving(lambda chains: None, Search(1.0, 1e-3, 99, 0), 10)
        own.expected, own.large = 4, large
        for category, size in enumerate(sizes):
            own.working[category] = block_solver.Working(np.arange(size), np.zeros(size), 0.0, np.empty(0))
        return own

    assert solving(True).is_crowded() is crowded
    assert solving(False).is_crowded() is False


def test_the_radius_of_vectors_of_length_one_needs_no_probe(monkeypatch):
    X, _ = documents(3, n=200)
    dense = X.toarray() + 0.1
    unit = sparse.csr_array(dense / np.linalg.norm(dense, axis=1, keepdims=True))
    monkeypatch.setattr(Kernel, "matrix", lambda *_: pytest.fail("a row of the kernel matrix was computed"))
    bound = radius2(unit, Kernel("linear", 1.0, 3, 0.0))
    products = unit @ unit.T
    assert bound >= np.max(products.diagonal()[:, None] - products.toarray())
    assert bound == pytest.approx(1.0)
