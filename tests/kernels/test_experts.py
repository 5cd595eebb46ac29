"""Sleeping experts on short streams, against a dictionary."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.kernels.small_cases import SEEDS, lists_of
from tests.oracles.experts import progressive

from rubricate.kernels.experts import Stream, compact_pool, empty_pool, learn_experts, score_experts


@given(seed=SEEDS, beta=st.sampled_from([0.1, 0.5, 0.9]))
def test_scores_and_weights_are_those_of_the_slow_twin(seed, beta):
    rng = np.random.default_rng(seed)
    X, Y = rng.random((6, 4)) < 0.5, rng.random((6, 3)) < 0.4
    weights, scores = rng.choice([0.0, 0.5, 1.0, 2.0], 6), np.zeros((6, 3))
    documents, labels = lists_of(X, np.int64, np.int64), lists_of(Y, np.int64, np.int64)
    pool = learn_experts(Stream(documents, labels, weights), empty_pool(4), scores, beta)
    before, slow = progressive(X, Y, beta, weights)
    np.testing.assert_allclose(scores, before, rtol=1e-9, atol=1e-300)
    final = [[slow.score(np.flatnonzero(x), c) for c in range(3)] for x in X]
    for each in (pool, compact_pool(pool)):
        np.testing.assert_allclose(score_experts(documents, 3, each), final, rtol=1e-9, atol=1e-300)
