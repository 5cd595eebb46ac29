"""SplitMix64 against Python's whole numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from tests.kernels.small_cases import SEEDS
from tests.oracles.newswire_stories import STEP, Dice, mix, permutation

from rubricate.kernels import splitmix


@given(SEEDS)
def test_draws_are_those_of_whole_numbers(seed):
    rng = np.random.default_rng(seed)
    a, b = (int(word) for word in rng.integers(0, 2**64, 2, dtype=np.uint64))
    assert int(splitmix.mix(np.uint64(a), np.uint64(b))) == mix(a, b)
    state, dice, n = np.array([a], np.uint64), Dice(a), int(rng.integers(1, 2**31))
    assert splitmix.below(state, n) == dice.below(n)
    assert splitmix.octave(state, 12) == dice.octave(12)
    weights = rng.integers(0, 4, 5).tolist()
    weights[int(rng.integers(5))] += 1
    sums = np.concatenate([[7], 7 + np.cumsum(weights)])
    assert splitmix.weighted(state, sums, 0, 5) == dice.choose(weights)
    assert int(state[0]) == dice.state
    assert STEP % 2 == 1, "an odd step visits every state"


@given(SEEDS)
def test_permutations_are_those_written_out(seed):
    rng = np.random.default_rng(seed)
    n, key = int(rng.integers(1, 18)), np.uint64(rng.integers(0, 2**63))
    assert [int(splitmix.permuted(i, n, key)) for i in range(n)] == permutation(n, int(key))
