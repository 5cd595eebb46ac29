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
    triangular,
)
from rubricate.kernels.svm_local import Search


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


@given(seed=st.integers(0, 1000), twins=st.booleans())
def test_triangular_rows_have_the_same_products(seed, twins):
    rng = np.random.default_rng(seed)
    dense = rng.random((7, 30)) * (rng.random((7, 30)) < 0.4)
    if twins:
        dense[5], dense[6] = dense[1], 0.0
    X = sparse.csr_array(dense)
    rows = Rows(X.indptr.astype(np.int64), X.indices.astype(np.uint32), X.data)
    starts, terms, values = triangular(rows, (dense**2).sum(axis=1), 30)
    L = sparse.csr_array((values, terms.astype(np.int64), starts), shape=(7, 7)).toarray()
    np.testing.assert_allclose(L @ L.T, dense @ dense.T, atol=1e-10)
