"""Sixteen rows at once against NumPy."""

from __future__ import annotations

import numba
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.kernels.small_cases import SEEDS

from rubricate.kernels.row_lanes import lanes_move, lanes_off


@numba.njit
def _off(f, low, high, block, up, down):
    return lanes_off(f, low, high, block, up, down)


@numba.njit
def _move(f, K, row, step):
    lanes_move(f, K, row, step)


@given(seed=SEEDS, blocks=st.integers(1, 4))
def test_bits_are_of_the_rows_outside_their_intervals(seed, blocks):
    rng = np.random.default_rng(seed)
    n, block = 16 * blocks, int(rng.integers(blocks))
    f, ends = rng.integers(-3, 4, n).astype(np.float32), np.sort(rng.integers(-3, 4, (2, n)), axis=0).astype(np.float32)
    ends[0, rng.random(n) < 0.3], ends[1, rng.random(n) < 0.3] = -np.inf, np.inf
    up, down = np.float32(rng.integers(0, 3)), np.float32(-rng.integers(0, 3))
    off = (f + up < ends[0]) | (f + down > ends[1])
    bits = _off(f, ends[0].copy(), ends[1].copy(), block, up, down)
    np.testing.assert_array_equal((bits >> np.arange(16)) & 1 == 1, off[16 * block : 16 * block + 16])


@given(seed=SEEDS, blocks=st.integers(0, 4))
def test_a_row_is_added(seed, blocks):
    rng = np.random.default_rng(seed)
    f, K = rng.normal(size=16 * blocks).astype(np.float32), rng.normal(size=(5, 16 * blocks)).astype(np.float32)
    row, step = int(rng.integers(5)), np.float32(rng.normal())
    wanted = f + step * K[row]
    _move(f, K, row, step)
    np.testing.assert_allclose(f, wanted, atol=1e-6)
