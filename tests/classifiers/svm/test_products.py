"""Inner products by dense and rare terms against those of the rows."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse

from rubricate.classifiers.svm.leave_one_out import products
from rubricate.classifiers.svm.leave_one_out.products import Products, wide_square
from rubricate.classifiers.svm.solvers.team import team_of
from rubricate.kernels.svm_products import set_products, set_square, sum_products


def _products(made, left, right):
    """Return the products of documents, in whole units, beside what stood in the matrix before."""
    out = np.full((len(left), len(right) + 2), 7, np.int16)
    set_products(made.documents, left, right, out, 1)
    np.testing.assert_array_equal(out[:, [0, -1]], 7)
    return out[:, 1:-1]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("dense", [1, 7, 1000])
def test_products_are_those_of_the_rows(dense, shared, threads, monkeypatch):
    monkeypatch.setattr(products, "DENSE", dense)
    X = sparse.csr_array(sparse.random(600, 60, 0.2, random_state=4, format="csr"))
    with team_of(threads) as team:
        made, plain = Products(X, shared=shared, team=team), X.toarray()
    assert made.shared == shared
    # More rows than are computed together.
    left, right, unit = np.array([3, 0, 39, *range(300, 580)]), np.arange(10, 300), made.documents.unit
    assert unit == pytest.approx((plain**2).sum(axis=1).max() / products.WHOLE, rel=1e-12)
    np.testing.assert_allclose(unit * _products(made, left, right), plain[left] @ plain[right].T, atol=0.51 * unit)
    square = np.full((292, 304), 7, np.int16)
    set_square(made.documents, right, square)
    np.testing.assert_allclose(unit * square[:290, :290], plain[right] @ plain[right].T, atol=0.51 * unit)
    np.testing.assert_array_equal(square[:, 290:], 7)
    beta = np.where(np.arange(290) % 3, 0.0, 0.5)
    np.testing.assert_allclose(sum_products(made.documents, right, beta), plain @ (plain[right].T @ beta), atol=1e-12)


def test_products_go_to_another_process():
    made = Products(sparse.csr_array(sparse.random(20, 30, 0.3, random_state=1, format="csr")), shared=True)
    made.room(5)
    copy, some, others = pickle.loads(pickle.dumps(made)), np.arange(4), np.arange(20)
    np.testing.assert_array_equal(_products(copy, some, others), _products(made, some, others))
    assert copy.room(3).shape == (3, 16)


@pytest.mark.parametrize("terms", [0, 5])
def test_rows_without_terms(terms):
    made = Products(sparse.csr_array((3, terms)))
    np.testing.assert_array_equal(_products(made, np.arange(3), np.arange(3)), np.zeros((3, 3)))
    assert wide_square(3).shape == (3, 16)


def test_products_that_rounding_makes_larger_than_any_square_do_not_overflow():
    """Twins of many terms: their product in single precision may be above the square in double precision."""
    rng = np.random.default_rng(0)
    dense = rng.random((8, 3000))
    dense = np.repeat(dense / np.linalg.norm(dense, axis=1, keepdims=True), 8, axis=0)
    made = Products(sparse.csr_array(dense))
    square = wide_square(64)
    set_square(made.documents, np.arange(64), square)
    assert square.min() > 0
    np.testing.assert_allclose(made.documents.unit * square, dense @ dense.T, atol=1e-4)


def test_rows_of_a_wide_square_begin_at_lines_of_the_cache():
    square = wide_square(21)
    assert square.shape == (21, 32)
    assert square.ctypes.data % 64 == 0
    np.testing.assert_array_equal(square[:, 21:], 0)
