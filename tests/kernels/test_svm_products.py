"""An SVM by the matrix of its documents: the KKT conditions, and scikit-learn's SVC."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC

from rubricate.kernels.svm_local import Dual, Search
from rubricate.kernels.svm_products import Coded, code, mirror, sweep_products

UNIT = 1 / 32000


def _problem(seed, n=40):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.4, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    X = rng.random((n, 12)) + 0.4 * y[:, None] * (np.arange(12) < 2)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    coded = np.zeros((n, 48), np.int16)
    code((X @ X.T).astype(np.float32), UNIT, coded, 0)
    return X, Coded(coded, UNIT), y


def _plain(coded):
    return coded.unit * coded.K[:, : len(coded.K)]


def _dual(K, y, C):
    """β = 0 and f = Kβ = 0, in single precision."""
    n, wide = len(y), K.K.shape[1]
    return Dual(y, np.full(n, C), np.diag(_plain(K)).copy(), np.zeros(n), np.zeros(wide, np.float32), np.zeros(1))


@given(st.integers(0, 1000), st.sampled_from([0.0, 1.0, np.inf]), st.sampled_from([0.3, 2.0]))
def test_the_conditions_of_an_optimum_hold(seed, penalty, C):
    _, K, y = _problem(seed)
    dual = _dual(K, y, C)
    cap, beta, f = dual.cap, dual.beta, dual.w
    cap[3] = 0.0
    worst, sweeps = sweep_products(K, dual, Search(penalty, 1e-4, 20_000, 0))
    b = dual.bias[0]
    assert worst <= 1e-4
    assert sweeps < 20_000
    np.testing.assert_allclose(f[: len(y)], _plain(K) @ beta, atol=1e-4)
    margin, alpha = y * (_plain(K) @ beta + b), y * beta
    assert beta[3] == 0.0
    assert (alpha >= 0).all()
    assert (alpha <= cap).all()
    # What is left of an α, or up to its bound, may be smaller than the steps that are made, a tenth of the tolerance.
    small = 0.1 * 1e-4
    assert (margin[alpha < cap - small] >= 1 - 1e-2).all()
    assert (margin[alpha > small] <= 1 + 1e-2).all()
    if penalty < np.inf:
        assert beta.sum() == pytest.approx(penalty * b, abs=0.02)
    else:
        assert b == 0.0


def test_scores_of_another_solver():
    """scikit-learn's SVC (LIBSVM) with a linear kernel."""
    X, K, y = _problem(7)
    dual = _dual(K, y, 1.0)
    sweep_products(K, dual, Search(0.0, 1e-5, 20_000, 0))
    peer = SVC(C=1.0, kernel="linear", tol=1e-8).fit(X, y)
    np.testing.assert_allclose(_plain(K) @ dual.beta + dual.bias[0], peer.decision_function(X), atol=5e-3)


def test_a_matrix_is_coded_to_the_nearest_unit():
    K = np.array([[0.1, -0.26], [1.0, 0.0]], np.float32)
    coded = np.full((3, 4), 9, np.int16)
    code(K, 0.1, coded, 1)
    np.testing.assert_array_equal(coded, [[9, 1, -3, 9], [9, 10, 0, 9], [9, 9, 9, 9]])


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 200])
def test_a_mirrored_matrix_is_symmetric(n):
    K = np.random.default_rng(0).random((n, n))
    lower = np.tril(K)
    for first in range(0, n, 100):
        mirror(K, first, min(first + 100, n))
    np.testing.assert_array_equal(K, lower + np.tril(lower, -1).T)
