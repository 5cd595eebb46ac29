"""The kernel of sibling SVMs against the SVM of the package and plain matrix products."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rubricate.classifiers.svm.svm import SVM
from rubricate.kernels.rows import Rows
from rubricate.kernels.sibling_svms import (
    GroupProblem,
    GroupWeights,
    Renumbering,
    gather_rows,
    group_scores,
    solve_group,
)
from rubricate.kernels.svm_local import Dual, Search, solve_exactly

NONE = np.zeros(0, bool)


def random_rows(seed, documents=30, terms=12):
    rng = np.random.default_rng(seed)
    return sparse.csr_array(rng.random((documents, terms)) * (rng.random((documents, terms)) < 0.4))


def parts(X):
    return Rows(X.indptr.astype(np.int64), X.indices, X.data)


@given(st.integers(0, 10_000), st.booleans())
def test_gathered_rows_are_the_rows(seed, narrowed):
    X, rng = random_rows(seed), np.random.default_rng(seed)
    rows = rng.permutation(30)[: rng.integers(0, 9)].astype(np.int64)
    kept = rng.random(12) < 0.5 if narrowed else np.zeros(0, bool)
    place = np.full(12, -1, np.int32)
    (starts, terms, values), own = gather_rows(parts(X), rows, Renumbering(place, kept))
    wide = np.zeros((len(rows), 12))
    wide[:, own] = sparse.csr_array((values, terms.astype(np.int64), starts), shape=(len(rows), len(own))).toarray()
    expected = X[rows].toarray() * (kept if narrowed else 1)
    assert (wide == expected).all()
    assert (place == -1).all()


@given(st.integers(0, 10_000))
def test_scores_are_products(seed):
    X, rng = random_rows(seed), np.random.default_rng(seed)
    own = rng.permutation(12)[:7].astype(np.int32)
    weights, bias, rows = rng.normal(size=(7, 3)), rng.normal(size=3), rng.integers(0, 30, 5)
    place = np.full(12, -1, np.int32)
    found = group_scores(parts(X), rows, (GroupWeights(own, weights, bias), place))
    np.testing.assert_allclose(found, X[rows].toarray()[:, own] @ weights + bias, rtol=1e-12, atol=1e-12)
    assert (place == -1).all()


def objective(X, W, b, labels, C, penalty):
    """½ w·w + ½ λ b² + C Σ ξ of each category."""
    margins = np.where(labels, 1, -1) * (X @ W + b)
    biased = 0.0 if np.isinf(penalty) else 0.5 * penalty * b**2
    return 0.5 * (W**2).sum(axis=0) + biased + C * np.maximum(0, 1 - margins).sum(axis=0)


@pytest.mark.parametrize(
    ("bias", "penalty", "tol"), [("penalised", 1.0, 1e-7), ("free", 0.0, 1e-3), (None, np.inf, 1e-7)]
)
@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_is_that_of_the_svm(bias, penalty, tol, seed):
    X = random_rows(seed, documents=40)
    labels = np.random.default_rng(seed).random((40, 3)) < 0.3
    place = np.full(12, -1, np.int32)
    rows, own = gather_rows(parts(X), np.arange(40), Renumbering(place, np.zeros(0, bool)))
    problem = GroupProblem(labels, np.ones(40), np.full((2, 3), 0.7), len(own))
    W, b, gaps = solve_group(rows, problem, Search(penalty, tol, 5000, 0))
    svm = SVM(C=0.7, bias=bias, tol=tol).fit(X, labels.astype(int))
    found = objective(X.toarray()[:, own], W, b, labels, 0.7, penalty)
    assert (gaps <= tol).all()
    assert (found <= svm.dual_ * (1 + 3 * tol)).all()
    assert (found >= svm.dual_ * (1 - 1e-9)).all()


def test_categories_of_all_or_no_rows_have_a_bias_alone():
    starts, terms, values = parts(sparse.csr_array(np.eye(3)))
    labels = np.array([[True, False]] * 3)
    problem = GroupProblem(labels, np.ones(len(labels)), np.ones((2, 2)), 3)
    W, b, _ = solve_group(Rows(starts, terms.astype(np.uint32), values), problem, Search(1.0, 1e-3, 100, 0))
    assert not W.any()
    assert b.tolist() == [1.0, -1.0]


def solved(X, labels, C, search, weights=None):
    """Return weights of all terms, biases and gaps."""
    rows, own = gather_rows(parts(X), np.arange(X.shape[0]), Renumbering(np.full(X.shape[1], -1, np.int32), NONE))
    n, k = labels.shape
    weights = np.ones(n) if weights is None else weights
    W, b, gaps = solve_group(rows, GroupProblem(labels, weights, np.full((2, k), C), len(own)), search)
    wide = np.zeros((X.shape[1], k))
    wide[own] = W
    return wide, b, gaps


@pytest.mark.parametrize("length", [1e-30, 1e-3, 1.0, 1e3, 1e30])
@pytest.mark.parametrize("C", [1e-6, 0.7, 10.0])
def test_any_length_and_cost_ends_at_a_small_gap_that_is_true(length, C):
    """C |x|² decides how hard a problem is: the same machines where it is the same, beyond single precision too."""
    X = random_rows(5, documents=25)
    labels, cost = np.random.default_rng(5).random((25, 18)) < 0.3, C / length**2
    W, b, gaps = solved(X * length, labels, cost, Search(length**-2, 1e-3, 5000, 0))
    found = objective((X * length).toarray(), W, b, labels, cost, length**-2)
    _, _, dual = zip(*(reference(X, labels[:, c], C) for c in range(18)), strict=True)
    assert (gaps <= 1e-3).all()
    np.testing.assert_allclose(found * length**2, dual, rtol=2e-3)
    assert (found * length**2 >= np.array(dual) * (1 - 1e-6)).all()


@pytest.mark.parametrize("sweeps", [0, 3, 100])
def test_what_is_not_solved_says_so(sweeps):
    X, labels = random_rows(5, documents=25), np.random.default_rng(5).random((25, 18)) < 0.3
    W, b, gaps = solved(X, labels, 1e6, Search(1.0, 1e-3, sweeps, 0))
    assert np.isfinite(W).all()
    assert np.isfinite(b).all()
    assert (gaps[3:6] > 0.5).all()


def reference(X, positive, C):
    """Solve one category alone, in double precision, to a gap of 1e-7: β, b and the dual value."""
    rows, own = gather_rows(parts(X), np.arange(X.shape[0]), Renumbering(np.full(X.shape[1], -1, np.int32), NONE))
    y, squares = np.where(positive, 1.0, -1.0), np.asarray(X.multiply(X).sum(axis=1)).ravel()
    dual = Dual(y, np.full(len(y), C), squares, np.zeros(len(y)), np.zeros(len(own)), np.zeros(1))
    solve_exactly(rows, dual, Search(1.0, 1e-7, 100_000, 0))
    beta = dual.beta
    value = np.abs(beta).sum() - 0.5 * (dual.w**2).sum() - 0.5 * beta.sum() ** 2
    return beta, dual.bias[0], value


@pytest.mark.parametrize("penalty", [0.0, 1.0, np.inf])
def test_weights_repeat_rows_and_rows_of_zeros_are_allowed(penalty):
    X = sparse.csr_array(sparse.vstack([random_rows(7, documents=20), sparse.csr_array((2, 12))]))
    labels, times = np.random.default_rng(7).random((22, 4)) < 0.4, np.random.default_rng(8).integers(1, 4, 22)
    search = Search(penalty, 1e-6 if penalty else 1e-3, 20_000, 0)
    W, b, gaps = solved(X, labels, 0.5, search, weights=times.astype(float))
    repeated = np.repeat(np.arange(22), times)
    V, d, _ = solved(sparse.csr_array(X[repeated]), labels[repeated], 0.5, search)
    assert (gaps <= search.tol).all()
    dense = X[repeated].toarray()
    first, second = (objective(dense, A, c, labels[repeated], 0.5, penalty) for A, c in ((W, b), (V, d)))
    np.testing.assert_allclose(first, second, rtol=3 * search.tol)


def test_no_rows_say_no():
    W, b, gaps = solved(sparse.csr_array((0, 12)), np.zeros((0, 3), bool), 1.0, Search(1.0, 1e-3, 100, 0))
    assert not W.any()
    assert (b.tolist(), gaps.tolist()) == ([-1.0] * 3, [0.0] * 3)


def test_the_places_of_categories_beyond_sixteen_are_kept():
    X, labels = random_rows(9, documents=50), np.random.default_rng(9).random((50, 3)) < 0.3
    order = np.random.default_rng(9).integers(0, 3, 35)
    W, b, _ = solved(X, labels, 0.7, Search(1.0, 1e-7, 5000, 0))
    V, d, _ = solved(X, labels[:, order], 0.7, Search(1.0, 1e-7, 5000, 0))
    np.testing.assert_allclose(V, W[:, order], atol=2e-3)
    np.testing.assert_allclose(d, b[order], atol=2e-3)
