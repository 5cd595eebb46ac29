"""The steps between the products of an encoder, against their formulas in double precision."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from scipy.special import ndtr
from tests.kernels.small_cases import SEEDS

from rubricate.kernels.encoder import gelu_rows, norm_rows, softmax_rows

F = np.float32


@given(SEEDS)
def test_steps_are_the_formulas(seed):
    rng = np.random.default_rng(seed)
    rows, width = int(rng.integers(1, 4)), int(rng.integers(1, 9))
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


@given(SEEDS)
def test_softmax_is_the_formula_up_to_the_length(seed):
    rng = np.random.default_rng(seed)
    documents, width = int(rng.integers(1, 3)), int(rng.integers(1, 7))
    a = rng.normal(0, 5, (documents, 2, 2, width)).astype(F)
    lengths = rng.integers(0, width + 1, documents)
    powers = np.exp(a.astype(float) - a.max(axis=-1, keepdims=True)) * (np.arange(width) < lengths[:, None, None, None])
    wanted = powers / np.maximum(powers.sum(axis=-1, keepdims=True), 1e-300)
    softmax_rows(a, lengths)
    np.testing.assert_allclose(a, wanted, atol=2e-6)
