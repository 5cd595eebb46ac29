"""The table of responses against the linear equations that define it, and inner products by dense and rare terms."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import LinAlgError

from rubricate.classifiers.svm.leave_one_out import products
from rubricate.classifiers.svm.leave_one_out.products import Products
from rubricate.classifiers.svm.leave_one_out.responses import Responses

FREE, SIZE = 12, 30


def _kernel(seed=0):
    X = np.random.default_rng(seed).normal(size=(SIZE, 60))
    return (X @ X.T / 60).astype(np.float32)


def _responses(K, penalty, parts):
    responses = Responses(K[:FREE, :FREE].copy(), penalty=penalty)
    for start, stop in pairwise(parts):
        responses.add(K[:FREE, start:stop].copy(), K[FREE:start, start:stop].copy(), K[start:stop, start:stop].copy())
    return responses


@pytest.mark.parametrize("penalty", [0.0, 1.0, 7.5, np.inf])
@pytest.mark.parametrize("j", [0, 5, 11, 12, 20, 29])
def test_each_row_solves_its_equations(penalty, j):
    """f stays on F but for one document of F, Σ β = λb, and f on N is Kβ + b."""
    K = _kernel()
    made = _responses(K, penalty, [FREE, 20, SIZE])
    row, K = made.table[j], K.astype(float) + float(made.ridge) * np.eye(SIZE)
    beta = np.zeros(SIZE)
    beta[:FREE] = row[:FREE]
    if j >= FREE:
        beta[j] = 1.0
    scores = K @ beta + row[-1]
    wanted = np.concatenate([np.zeros(FREE), row[FREE:SIZE]])
    if j < FREE:
        wanted[j] = 1.0
    np.testing.assert_allclose(scores, wanted, atol=2e-5)
    if penalty < np.inf:
        assert beta.sum() == pytest.approx(penalty * row[-1], abs=2e-5)
    else:
        assert row[-1] == 0.0


def test_documents_may_come_in_any_number_of_parts():
    K = _kernel(1)
    whole, parts = (_responses(K, 0.0, cut) for cut in ([FREE, SIZE], [FREE, 13, 20, SIZE]))
    np.testing.assert_allclose(whole.table[:SIZE, :SIZE], parts.table[:SIZE, :SIZE], atol=1e-5)
    np.testing.assert_allclose(whole.table[:SIZE, -1], parts.table[:SIZE, -1], atol=1e-5)


def test_what_a_solution_lacks_on_its_margin_is_made_good():
    K = _kernel(2)
    made = _responses(K, 0.0, [FREE, SIZE])
    rng = np.random.default_rng(3)
    beta, y = np.zeros(len(made.table)), np.ones(len(made.table))
    beta[:SIZE] = rng.normal(size=SIZE)
    scores = np.zeros(len(beta))
    scores[:SIZE] = K @ beta[:SIZE]
    start = made.settled(beta, scores, y, b=0.0)
    beta[:FREE] = start[:FREE]
    np.testing.assert_allclose((K @ beta[:SIZE])[:FREE] + start[-1], 1.0, atol=5e-3)


def test_equal_documents_are_no_obstacle_and_a_matrix_that_is_no_kernel_is_refused():
    K = np.ones((3, 3), np.float32)
    assert np.isfinite(Responses(K.copy()).spread).all()
    with pytest.raises(LinAlgError, match="singular"):
        Responses(np.array([[1.0, 2.0], [2.0, 1.0]], np.float32))


@pytest.mark.parametrize("dense", [1, 7, 1000])
def test_products_are_those_of_the_rows(dense, monkeypatch):
    monkeypatch.setattr(products, "DENSE", dense)
    X = sparse.csr_array(sparse.random(40, 60, 0.2, random_state=4, format="csr"))
    made, plain = Products(X), X.toarray()
    left, right = np.array([3, 0, 39]), np.arange(10, 30)
    np.testing.assert_allclose(made.block(left, right), plain[left] @ plain[right].T, atol=1e-6)
    np.testing.assert_allclose(made.block(right, right), plain[right] @ plain[right].T, atol=1e-6)
    beta = np.where(np.arange(40) % 3, 0.0, 0.5)
    np.testing.assert_allclose(made.with_sum(beta), plain @ (plain.T @ beta), atol=1e-12)


def test_rows_without_terms():
    made = Products(sparse.csr_array((3, 5)))
    np.testing.assert_array_equal(made.block(np.arange(3), np.arange(3)), np.zeros((3, 3)))
