"""Sixteen rows at once against NumPy."""

from __future__ import annotations

import numba
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.kernels.small_cases import SEEDS

from rubricate.kernels.row_lanes import (
    lanes_lack,
    lanes_lack_without,
    lanes_move,
    lanes_off,
    lanes_reached,
    lanes_seek,
    lanes_shift,
    lanes_short,
)


@numba.njit
def _off(f, low, high, block, up, down):
    return lanes_off(f, low, high, block, up, down)


@numba.njit
def _seek(f, low, high, block, up, down):
    return lanes_seek(f, low, high, block, up, down)


@numba.njit
def _reached(y, spare, K, row, block, back, shift, level):
    return lanes_reached(y, spare, K, row, block, back, shift, level)


@numba.njit
def _move(f, K, row, step):
    lanes_move(f, K, row, step)


@numba.njit
def _shift(out, f, g, K, row, step, back):
    lanes_shift(out, f, g, K, row, step, back)


@numba.njit
def _lack(f, low, high, before, now, b):
    return lanes_lack(f, low, high, before, now, b)


@numba.njit
def _lack_without(f, low, high, share, g, K, row, step, back, b):
    return lanes_lack_without(f, low, high, share, g, K, row, step, back, b)


@numba.njit
def _short(change, shift, levels, y, spare):
    return lanes_short(change, shift, levels, y, spare)


def _bounded(seed, blocks):
    """Return small whole numbers f between, below or above their ends, some of which are open."""
    rng, n = np.random.default_rng(seed), 16 * blocks
    f, ends = rng.integers(-3, 4, n).astype(np.float32), np.sort(rng.integers(-3, 4, (2, n)), axis=0).astype(np.float32)
    ends[0, rng.random(n) < 0.3], ends[1, rng.random(n) < 0.3] = -np.inf, np.inf
    return rng, f, ends[0].copy(), ends[1].copy()


def _coded(rng, rows, columns):
    return rng.integers(-300, 300, (rows, columns)).astype(np.int16)


def _next(wanted, block):
    """Return the first block from `block` on with some of what is wanted, and its bits."""
    blocks = wanted.reshape(-1, 16)
    for k in range(block, len(blocks)):
        if blocks[k].any():
            return k, int((blocks[k] << np.arange(16)).sum())
    return len(blocks), 0


@given(seed=SEEDS, blocks=st.integers(1, 4))
def test_bits_are_of_the_rows_outside_their_intervals(seed, blocks):
    rng, f, low, high = _bounded(seed, blocks)
    block, up, down = int(rng.integers(blocks)), np.float32(rng.integers(0, 3)), np.float32(-rng.integers(0, 3))
    off = (f + up < low) | (f + down > high)
    bits = _off(f, low, high, block, up, down)
    np.testing.assert_array_equal((bits >> np.arange(16)) & 1 == 1, off[16 * block : 16 * block + 16])


@given(seed=SEEDS, blocks=st.integers(1, 5))
def test_the_next_block_with_a_row_outside_its_interval_is_found(seed, blocks):
    rng, f, low, high = _bounded(seed, blocks)
    quiet = np.repeat(rng.random(blocks) < 0.6, 16)
    low[quiet], high[quiet] = -np.inf, np.inf
    block, up, down = int(rng.integers(blocks + 1)), np.float32(rng.integers(0, 3)), np.float32(-rng.integers(0, 3))
    off = (f + up < low) | (f + down > high)
    assert _seek(f, low, high, block, up, down) == _next(off, block)


@given(seed=SEEDS, blocks=st.integers(1, 5))
def test_the_next_block_with_a_margin_within_reach_is_found(seed, blocks):
    rng = np.random.default_rng(seed)
    n, row, block = 16 * blocks, int(rng.integers(3)), int(rng.integers(blocks + 1))
    y, K = rng.choice([-1, 1], n).astype(np.float32), _coded(rng, 3, n)
    spare = np.where(rng.random(n) < 0.5, np.inf, rng.random(n)).astype(np.float32)
    back, shift, level = (np.float32(each) for each in (rng.normal() / 150, rng.normal() / 5, 0.02))
    reached = y * (back * K[row].astype(np.float32) - shift) > spare + level
    assert _reached(y, spare, K, row, block, back, shift, level) == _next(reached, block)


@given(seed=SEEDS)
def test_lanes_in_which_a_margin_falls_short_are_found(seed):
    rng = np.random.default_rng(seed)
    # Quarters, so that sums are exact and some are zero.
    change, shift, levels = (rng.integers(-8, 9, (3, 16)) / 4).astype(np.float32)
    levels[rng.random(16) < 0.2] = np.inf
    y, spare = np.float32(rng.choice([-1, 1])), np.float32(rng.integers(-4, 5) / 4)
    bits = _short(change, shift, levels, y, spare)
    np.testing.assert_array_equal((bits >> np.arange(16)) & 1 == 1, spare + levels + y * (change + shift) < 0)


@given(seed=SEEDS, blocks=st.integers(0, 4), more=st.integers(0, 2))
def test_a_row_is_added(seed, blocks, more):
    """Rows of K may be longer."""
    rng = np.random.default_rng(seed)
    f, K = rng.normal(size=16 * blocks).astype(np.float32), _coded(rng, 5, 16 * (blocks + more))
    row, step = int(rng.integers(5)), np.float32(rng.normal() / 100)
    wanted = f + step * K[row, : len(f)]
    _move(f, K, row, step)
    np.testing.assert_allclose(f, wanted, atol=1e-5)


@given(seed=SEEDS, blocks=st.integers(0, 4), more=st.integers(0, 2))
def test_rows_are_shifted(seed, blocks, more):
    rng, n = np.random.default_rng(seed), 16 * blocks
    (f, g), K, out = rng.normal(size=(2, n)).astype(np.float32), _coded(rng, 5, n + 16 * more), np.empty(n, np.float32)
    row, step, back = int(rng.integers(5)), np.float32(rng.normal()), np.float32(rng.normal() / 100)
    _shift(out, f, g, K, row, step, back)
    np.testing.assert_allclose(out, f + step * g - back * K[row, :n], atol=1e-5)


@given(seed=SEEDS, blocks=st.integers(0, 4), more=st.integers(0, 2))
def test_what_scores_lack_is_summed(seed, blocks, more):
    rng, f, low, high = _bounded(seed, blocks)
    before, now, g, share = rng.integers(-3, 4, (4, len(f))).astype(np.float32)
    K, row, b = _coded(rng, 3, len(f) + 16 * more), int(rng.integers(3)), np.float32(rng.integers(-2, 3))

    def lack(scores):
        return np.maximum(low - scores, 0) + np.minimum(high - scores, 0)

    s = lack(f + b)
    np.testing.assert_allclose(_lack(f, low, high, before, now, b), (s @ s, s @ (now - before)), rtol=1e-5)
    step, back = np.float32(rng.integers(-2, 3)), np.float32(0.25)
    s = lack(f + step * g - back * K[row, : len(f)] + b)
    sums = _lack_without(f, low, high, share, g, K, row, step, back, b)
    np.testing.assert_allclose(sums, (s @ s, s @ share), rtol=1e-4, atol=1e-3)
