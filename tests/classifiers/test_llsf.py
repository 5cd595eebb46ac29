"""LLSF: F against the full decomposition, Lanczos against LAPACK, ridge, the tuned p, weights, edge cases, Reuters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg, sparse
from scipy.sparse.linalg import svds
from sklearn.linear_model import Ridge
from tests.oracles.least_squares import held_out_errors, ridge_map, truncated_map
from threadpoolctl import threadpool_info, threadpool_limits

from rubricate import LLSF
from rubricate.classifiers import latent as svd
from rubricate.classifiers.classic import llsf
from rubricate.classifiers.classic import llsf as ridge_solver
from rubricate.engines import one_blas_thread
from rubricate.errors import InvalidInput
from rubricate.folds import assign_folds
from rubricate.measures import counts, macro, micro
from rubricate.text import Vectors
from rubricate.thresholds import Scut, Thresholded

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _one_thread():
    with threadpool_limits(1, user_api="blas"):
        yield


@st.composite
def problems(draw):
    """Small integers, so that ranks are low, rows repeat and zero rows and empty categories are common."""
    n, d, m = draw(st.integers(1, 9)), draw(st.integers(1, 9)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    return rng.integers(-1, 3, (n, d)).astype(float), rng.integers(0, 2, (n, m))


def textlike(documents, terms, seed=0, words=12):
    """Rows of unit length with Zipf-distributed terms, and five categories of a few documents each."""
    rng = np.random.default_rng(seed)
    share = 1.0 / np.arange(1, terms + 1)
    columns = rng.choice(terms, size=documents * words, p=share / share.sum())
    rows = np.repeat(np.arange(documents), words)
    X = sparse.csr_array((rng.random(documents * words) + 0.1, (rows, columns)), shape=(documents, terms))
    X = sparse.csr_array(sparse.diags_array(1 / np.sqrt(X.multiply(X).sum(axis=1))) @ X)
    return X, sparse.csr_array(rng.random((documents, 5)) < 0.1)


def relative(found, exact):
    return np.linalg.norm(found - exact) / np.linalg.norm(exact)


@given(problems(), st.integers(1, 12))
def test_map_is_that_of_the_full_decomposition(problem, p):
    X, Y = problem
    values = np.linalg.svd(X, compute_uv=False)
    if p < len(values) and values[p - 1] - values[p] < 1e-3 * values[0]:
        p = len(values)  # equal values: the p-th direction is not defined
    for form in (X, sparse.csr_array(X)):
        fitted = LLSF(p).fit(form, Y)
        np.testing.assert_allclose(fitted.coef_.T, truncated_map(X, Y, p), atol=1e-7)
        np.testing.assert_allclose(fitted.decision_function(form), X @ fitted.coef_.T, atol=1e-12)
        assert fitted.p_ == min(p, np.linalg.matrix_rank(X)) == len(fitted.singular_values_)
        np.testing.assert_allclose(fitted.singular_values_, values[: fitted.p_], atol=1e-7)


@given(problems(), st.sampled_from([0.01, 1.0, 30.0]))
def test_ridge_is_least_squares_with_the_penalty_written_below(problem, ridge):
    X, Y = problem
    exact = ridge_map(X, Y, ridge)
    for form in (X, sparse.csr_array(X)):
        np.testing.assert_allclose(LLSF(ridge=ridge).fit(form, Y).coef_.T, exact, atol=1e-8)


@pytest.mark.proof
def test_ridge_agrees_with_scikit_learn_on_both_ways_and_both_shapes(monkeypatch):
    for shape in ((300, 120), (120, 300)):
        X, Y = textlike(*shape)
        peer = Ridge(alpha=0.5, fit_intercept=False, solver="svd").fit(X.toarray(), Y.toarray()).coef_
        by_cholesky = LLSF(ridge=0.5).fit(X, Y).coef_
        monkeypatch.setattr(ridge_solver, "DENSE", 10)
        by_gradients = LLSF(ridge=0.5).fit(X, Y).coef_
        monkeypatch.undo()
        assert relative(by_cholesky, peer) < 1e-11
        assert relative(by_gradients, peer) < 1e-7


@pytest.mark.parametrize("form", [sparse.csr_array, lambda X: X.toarray()], ids=["sparse", "dense"])
@pytest.mark.parametrize("shape", [(700, 400), (400, 700)], ids=["tall", "wide"])
def test_lanczos_reaches_the_scores_of_lapack(shape, form):
    X, Y = textlike(*shape)
    found, exact = LLSF(p=40).fit(form(X), Y), truncated_map(X.toarray(), Y.toarray(), 40)
    assert relative(X @ found.coef_.T, X @ exact) < 1e-3
    np.testing.assert_allclose(found.singular_values_, np.linalg.svd(X.toarray(), compute_uv=False)[:40], rtol=1e-5)


def test_a_smaller_tolerance_gives_a_closer_subspace():
    X, _ = textlike(700, 500)
    exact = np.linalg.svd(X.toarray(), full_matrices=False)[2][:30].T
    angles = [
        linalg.subspace_angles(exact, svd.largest_pairs(X, 30, tolerance=tolerance)[1]).max()
        for tolerance in (0.3, 1e-2, 1e-4)
    ]
    assert angles[0] > angles[1] > angles[2]
    assert angles[2] < 1e-3


def test_vectors_are_orthonormal_pairs_of_the_gram_matrix_within_the_tolerance():
    X, _ = textlike(700, 500)
    values, V = svd.largest_pairs(X, 50)
    np.testing.assert_allclose(V.T @ V, np.eye(50), atol=1e-5)
    assert (np.linalg.norm(X.T @ (X @ V) - V * values, axis=0) <= 2e-3 * values).all()
    assert (np.diff(values) <= 0).all()


@pytest.mark.parametrize("rank", [3, 20, 50])
def test_lanczos_on_a_matrix_of_low_rank_finds_the_rank(rank):
    X, _ = textlike(rank, 700)
    Y = sparse.csr_array(np.random.default_rng(0).random((rank, 5)) < 0.5)
    repeated, labels = (
        sparse.csr_array(sparse.vstack([X] * 300)[:900]),
        sparse.csr_array(sparse.vstack([Y] * 300)[:900]),
    )
    fitted = LLSF(p=60).fit(repeated, labels)
    assert fitted.p_ == np.linalg.matrix_rank(X.toarray())
    exact = truncated_map(repeated.toarray(), labels.toarray(), 60)
    assert relative(repeated @ fitted.coef_.T, repeated @ exact) < 1e-5


def test_lanczos_where_all_singular_values_are_equal():
    """The Krylov space of the identity is exhausted after one block; any p orthonormal directions are an answer."""
    values, V = svd.largest_pairs(sparse.csr_array(sparse.eye_array(500, dtype=float)), 40)
    np.testing.assert_allclose(values, 1, atol=1e-5)
    np.testing.assert_allclose(V.T @ V, np.eye(40), atol=1e-5)


def test_a_wide_spectrum_is_worked_in_double_precision():
    """λ from 1 to 1e-8: in single precision the last ones would drown in the rounding of the first."""
    rng = np.random.default_rng(0)
    U, V = np.linalg.qr(rng.standard_normal((800, 400)))[0], np.linalg.qr(rng.standard_normal((400, 400)))[0]
    s = np.r_[np.logspace(0, -4, 30), np.full(370, 1e-6)]
    values, _ = svd.largest_pairs((U * s) @ V.T, 30)
    np.testing.assert_allclose(np.sqrt(values), s[:30], rtol=1e-6)


def test_slow_convergence_ends_in_the_dense_way(monkeypatch):
    X, _ = textlike(600, 400)
    monkeypatch.setattr(svd, "SHARE", 0.2)
    values, V = svd.largest_pairs(X, 50, tolerance=1e-9)
    np.testing.assert_allclose(values, np.linalg.svd(X.toarray(), compute_uv=False)[:50] ** 2, rtol=1e-5)
    np.testing.assert_allclose(V.T @ V, np.eye(50), atol=1e-5)


@pytest.mark.parametrize("shape", [(120, 40), (40, 120)], ids=["tall", "wide"])
def test_tuned_p_has_the_least_held_out_error(shape):
    X, Y = textlike(*shape)
    held = assign_folds(Y, llsf.FOLDS, seed=3) == 0
    fitted = LLSF(p="tuned", seed=3).fit(X, Y)
    errors = held_out_errors(X.toarray(), Y.toarray().astype(float), held, llsf.MOST)
    np.testing.assert_allclose(fitted.errors_, errors, rtol=1e-6)
    assert fitted.p_ == np.argmin(errors) + 1
    np.testing.assert_array_equal(fitted.coef_, LLSF(fitted.p_).fit(X, Y).coef_)


def test_a_weight_counts_a_document_that_many_times():
    X, Y = textlike(200, 50)
    weights = np.random.default_rng(1).integers(0, 4, 200)
    index = np.repeat(np.arange(200), weights)
    for model in (LLSF(20), LLSF(ridge=2.0)):
        weighted, repeated = model.fit(X, Y, weights).coef_, model.fit(X[index], Y[index]).coef_
        np.testing.assert_allclose(weighted, repeated, atol=1e-9)


def test_the_number_of_blas_threads_changes_no_bit():
    X, Y = textlike(900, 600)
    one = LLSF(p=60).fit(X, Y).coef_
    with threadpool_limits(2, user_api="blas"):
        np.testing.assert_array_equal(LLSF(p=60).fit(X, Y).coef_, one)


def test_the_limit_of_blas_threads_is_lifted_by_its_last_user():
    def threads():
        return {pool["filepath"]: pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

    threadpool_limits(2, user_api="blas")
    before = threads()
    first, second = one_blas_thread(), one_blas_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert set(threads().values()) == {1}
    second.__exit__(None, None, None)
    assert threads() == before


def test_the_evidence_adds_up_to_the_score():
    X, Y = textlike(80, 30)
    fitted = LLSF(10).fit(X, Y)
    for category in range(5):
        totals = [sum(one.weight for one in row) for row in fitted.explain(X, category, limit=30)]
        np.testing.assert_allclose(totals, fitted.decision_function(X)[:, category], atol=1e-12)


def test_empty_full_and_single_categories_and_zero_rows():
    X, _ = textlike(60, 20)
    X = sparse.csr_array(sparse.vstack([X, sparse.csr_array((2, 20))]))
    Y = np.zeros((62, 3), int)
    Y[:, 1], Y[7, 2] = 1, 1
    fitted = LLSF(20).fit(X, Y)
    scores = fitted.decision_function(X)
    assert (scores[:, 0] == 0).all()
    assert (scores[60:] == 0).all()
    assert scores[:60, 1].min() > 0.5
    assert scores[:, 2].argmax() == 7
    np.testing.assert_array_equal(fitted.predict(X)[:60, :2], Y[:60, :2])


def test_nothing_but_zero_rows_scores_zero():
    fitted = LLSF().fit(sparse.csr_array((4, 3)), np.eye(4, 2, dtype=int))
    assert fitted.p_ == 0
    assert (fitted.decision_function(np.ones((2, 3))) == 0).all()
    assert LLSF(p="tuned").fit(np.zeros((4, 3)), np.eye(4, 2, dtype=int)).p_ == 0


def test_duplicates_with_opposite_labels_score_their_mean():
    fitted = LLSF().fit(np.array([[1.0, 0.0]] * 4), np.array([[1, 0], [1, 0], [1, 0], [0, 1]]))
    np.testing.assert_allclose(fitted.decision_function([[1.0, 0.0]]), [[0.75, 0.25]])


def test_more_terms_than_memory_for_a_dense_map():
    X, Y = textlike(60, 20)
    wide = sparse.csr_array((X.data, X.indices * 50_000_000, X.indptr), shape=(60, 1_000_000_000))
    fitted = LLSF(10).fit(wide, Y)
    assert sparse.issparse(fitted.coef_)
    np.testing.assert_allclose(fitted.decision_function(wide), LLSF(10).fit(X, Y).decision_function(X), atol=1e-10)
    assert fitted.explain(wide[:1], 0, limit=3)[0][0].source.endswith("000000")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"p": 0}, "p must be an integer from 1 on"),
        ({"p": 2.5}, "p must be an integer from 1 on"),
        ({"p": "many"}, "p must be an integer from 1 on"),
        ({"ridge": 0}, "ridge must be None or a number above 0"),
        ({"ridge": -1.0}, "ridge must be None or a number above 0"),
        ({"tolerance": 0}, "tolerance must lie between 0 and 1"),
    ],
)
def test_options_that_cannot_be_used(options, message):
    with pytest.raises(InvalidInput, match=message):
        LLSF(**options).fit(np.eye(4), np.eye(4, 2, dtype=int))


def test_tuning_needs_documents():
    with pytest.raises(InvalidInput, match="2 documents or more"):
        LLSF(p="tuned").fit(np.ones((1, 2)), np.ones((1, 2), int))


def test_values_that_are_no_numbers():
    with pytest.raises(ValueError, match="NaN"):
        LLSF().fit(np.array([[np.nan], [1.0]]), [0, 1])


@pytest.fixture(scope="module")
def reuters(aptemod):
    vectors = Vectors(select="chi2:2415")
    return (
        vectors.fit_transform(aptemod.train),
        aptemod.train.labels,
        vectors.transform(aptemod.test),
        aptemod.test.labels,
    )


def test_scores_on_reuters_are_those_of_arpack(reuters):
    X, labels, new, _ = reuters
    U, s, Vt = svds(X, k=100, random_state=0)
    exact = new @ (Vt.T @ ((U.T @ labels.toarray()) / s[:, None]))
    assert relative(LLSF(p=100).fit(X, labels).decision_function(new), exact) < 1e-4


def test_effectiveness_on_reuters(reuters):
    """Recorded with the design, p = 500, five-fold cuts: micro-F1 .873, macro-F1 .545; yangliu1999: .850, .501."""
    X, labels, new, truth = reuters
    decided = Thresholded(LLSF(), cut=Scut(fbr=0.1)).fit(X, labels).decide(new)
    table = counts(truth, decided)
    assert micro("f1", table) == pytest.approx(0.873, abs=0.01)
    assert macro("f1", table) == pytest.approx(0.545, abs=0.03)
