"""Sixty-four lanes at once against NumPy."""

from __future__ import annotations

import numba
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rubricate.kernels.lane_code import lowest_lane
from rubricate.kernels.query_lanes import (
    LANES,
    aligned_lanes,
    lanes_above,
    lanes_count,
    lanes_reach,
    lanes_total,
)
from rubricate.kernels.rows import Rows

SHORT = np.iinfo(np.int16)


@numba.njit
def _total(rows, i, weights, totals, peaks):
    lanes_total(rows, i, weights, totals, peaks)


@numba.njit
def _reach(totals, bars):
    return lanes_reach(totals, bars)


@numba.njit
def _count(rows, size, bars, counts):
    lanes_count(rows, size, bars, counts)


@numba.njit
def _above(rows, size, bar):
    return lanes_above(rows, size, bar)


@numba.njit
def _lowest(bits):
    return lowest_lane(bits)


def shorts(rng, shape):
    """Return any numbers of 16 bits, the ends of the range among them."""
    numbers = rng.integers(SHORT.min, SHORT.max, shape, dtype=np.int16, endpoint=True)
    return np.where(rng.random(shape) < 0.1, rng.choice([SHORT.min, -1, 0, 1, SHORT.max], shape), numbers).astype("i2")


@given(size=st.integers(0, 9), seed=st.integers(0, 99))
def test_totals_grow_by_the_upper_halves_and_peaks_follow(size, seed):
    rng = np.random.default_rng(seed)
    terms, values = rng.permutation(20)[:size].astype(np.uint32), shorts(rng, size)
    weights, totals, peaks = shorts(rng, (20, LANES)), shorts(rng, LANES), shorts(rng, LANES)
    products = (values[:, None].astype(int) * weights[terms].astype(int)) // 2**16
    wanted, before = (totals + products.sum(axis=0)).astype(np.int16), peaks.copy()
    _total(Rows(np.array([0, 0, size]), terms, values), 1, weights, totals, peaks)
    np.testing.assert_array_equal(totals, wanted)
    np.testing.assert_array_equal(peaks, np.maximum(before, totals))
    _total(Rows(np.array([0, 0, size]), terms, values), 0, weights, totals.copy(), peaks)
    np.testing.assert_array_equal(peaks, np.maximum(before, totals))


@given(rows=st.integers(1, 6), seed=st.integers(0, 999))
def test_lanes_that_reach_their_bar_are_marked_and_counted(rows, seed):
    rng = np.random.default_rng(seed)
    totals, bars = rng.integers(-2, 3, (rows, LANES)).astype("i2"), rng.integers(-2, 3, LANES).astype("i2")
    reached, counts = totals >= bars, np.full(LANES, 7, "i2")
    marks = int((reached[0].astype(object) << np.arange(LANES)).sum())
    assert _reach(totals[0], bars) % 2**LANES == marks
    _count(totals, rows - 1, bars, counts)
    np.testing.assert_array_equal(counts, reached[:-1].sum(axis=0))
    assert _above(totals, rows - 1, bars[0]) == (totals[:-1] >= bars[0]).sum()


@given(st.integers(1, 2**LANES - 1))
def test_the_lowest_lane(bits):
    assert _lowest(np.uint64(bits).astype(np.int64)) == bin(bits)[::-1].index("1")


@given(st.integers(0, 40))
def test_lanes_begin_at_a_cache_line(rows):
    lanes = aligned_lanes(rows)
    assert lanes.shape == (rows, LANES)
    assert lanes.ctypes.data % 64 == 0 or not rows
