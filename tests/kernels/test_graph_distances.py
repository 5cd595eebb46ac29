"""Distances in a graph, against powers of its adjacency matrix."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from tests.kernels.small_cases import SEEDS, lists_of

from rubricate.kernels.graph_distances import NodePairs, bounded_search


@given(SEEDS)
def test_distances_are_the_first_powers_that_reach(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    below = np.triu(rng.random((n, n)) < 0.35, 1)
    step = below | below.T
    distance, reached = np.where(np.eye(n, dtype=bool), 0, -1), np.eye(n, dtype=bool)
    for length in range(1, n):
        new = (reached @ step) & (distance < 0)
        distance[new], reached = length, reached | new
    sources, targets = np.sort(rng.integers(0, n, 5)), rng.integers(0, n, 5)
    up, down = lists_of(below.T.copy()), lists_of(below)
    between = bounded_search(up, down, NodePairs(sources, targets))
    assert between.tolist() == distance[sources, targets].tolist()
