"""Weights of patterns, against a product with their indicator."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from tests.kernels.small_cases import SEEDS

from rubricate.kernels.pattern_weights import pattern_weights


@given(SEEDS)
def test_weights_are_sums_over_the_documents_of_a_pattern(seed):
    rng = np.random.default_rng(seed)
    documents, patterns = int(rng.integers(0, 9)), int(rng.integers(1, 5))
    codes, weights = (
        rng.integers(0, patterns, documents),
        rng.integers(0, 4, (int(rng.integers(0, 4)), documents), np.uint8),
    )
    wanted = weights.astype(int) @ (codes[:, None] == np.arange(patterns))
    assert pattern_weights(codes, weights, patterns).tolist() == wanted.tolist()
