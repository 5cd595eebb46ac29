"""Inner products by dense and rare terms against those of the rows."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse

from rubricate.classifiers.svm.leave_one_out import products
from rubricate.classifiers.svm.leave_one_out.products import Products, wide_square


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("dense", [1, 7, 1000])
def test_products_are_those_of_the_rows(dense, shared, monkeypatch):
    monkeypatch.setattr(products, "DENSE", dense)
    monkeypatch.setattr(products, "PANEL", 16)
    X = sparse.csr_array(sparse.random(40, 60, 0.2, random_state=4, format="csr"))
    made, plain = Products(X, shared=shared), X.toarray()
    left, right, unit = np.array([3, 0, 39]), np.arange(10, 30), made.unit
    assert unit == (plain**2).sum(axis=1).max() / products.WHOLE
    np.testing.assert_allclose(unit * made.block(left, right), plain[left] @ plain[right].T, atol=0.51 * unit)
    np.testing.assert_allclose(unit * made.block(right, right), plain[right] @ plain[right].T, atol=0.51 * unit)
    square = made.square(right, spare=3).K
    assert square.shape == (23, 32)
    np.testing.assert_allclose(unit * square[:20, :20], plain[right] @ plain[right].T, atol=0.51 * unit)
    np.testing.assert_array_equal(square[:20, 20:], 0)
    beta = np.where(np.arange(40) % 3, 0.0, 0.5)
    np.testing.assert_allclose(made.with_sum(beta), plain @ (plain.T @ beta), atol=1e-12)


def test_products_go_to_another_process():
    made = Products(sparse.csr_array(sparse.random(20, 30, 0.3, random_state=1, format="csr")), shared=True)
    made.room(5)
    copy = pickle.loads(pickle.dumps(made))
    np.testing.assert_array_equal(copy.block(np.arange(4), np.arange(20)), made.block(np.arange(4), np.arange(20)))
    assert copy.room(3).shape == (3, 16)


def test_rows_without_terms():
    made = Products(sparse.csr_array((3, 5)))
    np.testing.assert_array_equal(made.block(np.arange(3), np.arange(3)), np.zeros((3, 3)))
    assert made.square(np.arange(3)).K.shape == (3, 16)


def test_products_that_rounding_makes_larger_than_any_square_do_not_overflow():
    """Twins of many terms: their product in single precision may be above the square in double precision."""
    rng = np.random.default_rng(0)
    dense = rng.random((8, 3000))
    dense = np.repeat(dense / np.linalg.norm(dense, axis=1, keepdims=True), 8, axis=0)
    made = Products(sparse.csr_array(dense))
    square = made.square(np.arange(64)).K[:, :64]
    assert square.min() > 0
    np.testing.assert_allclose(made.unit * square, dense @ dense.T, atol=1e-4)


def test_rows_of_a_wide_square_begin_at_lines_of_the_cache():
    square = wide_square(5, 20)
    assert square.shape == (20, 32)
    assert square.ctypes.data % 64 == 0
    np.testing.assert_array_equal(square[:, 5:], 0.0)
