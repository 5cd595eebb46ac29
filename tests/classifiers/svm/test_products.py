"""Inner products by dense and rare terms against those of the rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from rubricate.classifiers.svm.leave_one_out import products
from rubricate.classifiers.svm.leave_one_out.products import Products, wide_square


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("dense", [1, 7, 1000])
def test_products_are_those_of_the_rows(dense, shared, monkeypatch):
    monkeypatch.setattr(products, "DENSE", dense)
    X = sparse.csr_array(sparse.random(40, 60, 0.2, random_state=4, format="csr"))
    made, plain = Products(X, shared=shared), X.toarray()
    left, right = np.array([3, 0, 39]), np.arange(10, 30)
    np.testing.assert_allclose(made.block(left, right), plain[left] @ plain[right].T, atol=1e-6)
    np.testing.assert_allclose(made.block(right, right), plain[right] @ plain[right].T, atol=1e-6)
    square = made.square(right, spare=3)
    assert square.shape == (23, 32)
    np.testing.assert_allclose(square[:20, :20], plain[right] @ plain[right].T, atol=1e-6)
    np.testing.assert_array_equal(square[:20, 20:], 0.0)
    beta = np.where(np.arange(40) % 3, 0.0, 0.5)
    np.testing.assert_allclose(made.with_sum(beta), plain @ (plain.T @ beta), atol=1e-12)


def test_rows_without_terms():
    made = Products(sparse.csr_array((3, 5)))
    np.testing.assert_array_equal(made.block(np.arange(3), np.arange(3)), np.zeros((3, 3)))
    assert made.square(np.arange(3)).shape == (3, 16)


def test_rows_of_a_wide_square_begin_at_lines_of_the_cache():
    square = wide_square(5, 20)
    assert square.shape == (20, 32)
    assert square.ctypes.data % 64 == 0
    np.testing.assert_array_equal(square[:, 5:], 0.0)
