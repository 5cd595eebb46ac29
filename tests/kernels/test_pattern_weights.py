"""Weights of patterns, against a product with their indicator and a plain loop."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kernels.small_cases import SEEDS

from rubricate.kernels.pattern_weights import pattern_weights


@given(SEEDS)
def test_weights_are_sums_over_the_documents_of_a_pattern(seed):
    rng = np.random.default_rng(seed)
    documents, patterns = int(rng.integers(0, 9)), int(rng.integers(1, 5))
    codes, weights = (
        rng.integers(0, patterns, documents),
        rng.integers(0, 4, (documents, int(rng.integers(0, 4))), np.uint8),
    )
    wanted = (codes[:, None] == np.arange(patterns)).T @ weights.astype(int)
    assert pattern_weights(codes, weights, patterns).tolist() == wanted.tolist()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.sampled_from([1, 3, 255, 256, 257, 600]), st.integers(1, 7))
def test_blocks_of_draws_are_those_of_a_loop_over_documents(seed, documents, draws, patterns):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, patterns, documents)
    weights = rng.integers(0, 256, (documents, draws)).astype(np.uint8)
    expected = np.zeros((patterns, draws), np.int64)
    for document, code in enumerate(codes):
        expected[code] += weights[document]
    assert (pattern_weights(codes, weights, patterns) == expected).all()
