"""The steps between the products of an encoder, against their formulas in double precision."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy.special import ndtr
from tests.native.small_cases import SEEDS, count_cases

from rubricate.native.networks import gelu_rows, norm_rows, softmax_rows

F = np.float32


@given(SEEDS)
def test_steps_are_the_formulas(seed):
    rng = np.random.default_rng(seed)
    rows, width = int(rng.integers(1, 4)), int(rng.integers(1, 40))
    z, other = rng.normal(0, 3, (2, rows, width)).astype(F)
    bias, gain, shift = rng.normal(size=(3, width)).astype(F)
    wide = z.astype(float) + bias
    activated = z.copy()
    gelu_rows(activated, bias)
    np.testing.assert_allclose(activated, wide * ndtr(wide), atol=4e-6)
    normed, summed = z.copy(), wide + other
    norm_rows(normed, other, bias, (gain, shift, F(0.01)))
    centred = summed - summed.mean(axis=1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 0.01)
    np.testing.assert_allclose(normed, gain * scaled + shift, atol=2e-4)
    count_cases(2 * z.size)


@given(SEEDS)
def test_softmax_is_the_formula_up_to_the_length(seed):
    rng = np.random.default_rng(seed)
    documents, width = int(rng.integers(1, 3)), int(rng.integers(1, 40))
    a = rng.normal(0, 5, (documents, 2, 2, width)).astype(F)
    lengths = rng.integers(0, width + 1, documents)
    powers = np.exp(a.astype(float) - a.max(axis=-1, keepdims=True)) * (np.arange(width) < lengths[:, None, None, None])
    wanted = powers / np.maximum(powers.sum(axis=-1, keepdims=True), 1e-300)
    softmax_rows(a, lengths)
    np.testing.assert_allclose(a, wanted, atol=2e-6)
    assert (a[wanted == 0] == 0).all()
    count_cases(a.size)


def test_extreme_numbers():
    with np.errstate(all="raise"):
        z = np.array([[1e30, -1e30, 0.0, -0.0, 40.0, -40.0]], F)
        gelu_rows(z, np.zeros(6, F))
        np.testing.assert_allclose(z, [[1e30, 0, 0, 0, 40, 0]], rtol=1e-6, atol=1e24)
        a = np.array([[-1e30, 1e30, 1e30, -np.inf]], F)[None, None]
        softmax_rows(a, np.array([4]))
        np.testing.assert_allclose(a.ravel(), [0, 0.5, 0.5, 0], atol=1e-30)


@pytest.mark.parametrize("sign", [1, -1])
def test_nan_does_not_vanish(sign):
    wrong = F(np.copysign(np.nan, sign))
    z = np.array([[1.0, wrong, 2.0]], F)
    gelu_rows(z, np.zeros(3, F))
    assert np.isnan(z).tolist() == [[False, True, False]]
    a = np.array([1.0, wrong, 2.0, 3.0], F)[None, None, None]
    softmax_rows(a, np.array([3]))
    assert np.isnan(a.ravel()).tolist() == [True, True, True, False]
    x, ones = np.array([[1.0, wrong]], F), np.ones(2, F)
    norm_rows(x, np.zeros_like(x), ones, (ones, ones, 1e-5))
    assert np.isnan(x).all()


def test_no_rows():
    gelu_rows(np.empty((0, 3), F), np.zeros(3, F))
    norm_rows(np.empty((0, 3), F), np.empty((0, 3), F), *[np.zeros(3, F)], (np.ones(3, F), np.ones(3, F), 1e-5))
    softmax_rows(np.empty((0, 2, 3, 3), F), np.empty(0, np.int64))


def test_arrays_that_do_not_fit_are_refused():
    z, row = np.zeros((2, 3), F), np.zeros(3, F)
    with pytest.raises(ValueError, match="bias has 2"):
        gelu_rows(z, row[:2])
    with pytest.raises(ValueError, match="shift has 2"):
        norm_rows(z, z.copy(), row, (row, row[:2], 1e-5))
    with pytest.raises(ValueError, match="the other rows"):
        norm_rows(z, z[:1], row, (row, row, 1e-5))
    with pytest.raises(TypeError, match="float32, not of float64"):
        gelu_rows(z.astype(float), row)
    with pytest.raises(ValueError, match="contiguous"):
        gelu_rows(np.zeros((3, 2), F).T, row)
    for lengths in ([-1], [4]):
        with pytest.raises(ValueError, match="lengths must be from 0 to 3"):
            softmax_rows(np.zeros((1, 1, 1, 3), F), np.array(lengths))
