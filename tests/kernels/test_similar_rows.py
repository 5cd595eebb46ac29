"""Estimates made exact: whatever the estimates say within their error, the answer is that of the exact products."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles.knn import inner, nearest

from rubricate.kernels.similar_rows import Estimated, nearest_rows


@given(st.integers(1, 30), st.integers(1, 9), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.4, 3.0]))
def test_the_same_as_sorting_all_similarities(documents, width, seed, error):
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-2, 3, (documents, width)).astype(float)
    queries = rng.integers(-2, 3, (4, width)).astype(float)
    k = int(rng.integers(1, documents + 1))
    estimates = (queries @ vectors.T + rng.uniform(-error, error, (4, documents))).astype(np.float32)
    found, near = nearest_rows(Estimated(estimates, error * 1.0001, queries), vectors, k)
    wanted = nearest(queries.tolist(), vectors.tolist(), k, similarity=inner)
    assert found.tolist() == [[d for _, d in row] for row in wanted]
    assert near.tolist() == [[value for value, _ in row] for row in wanted]
