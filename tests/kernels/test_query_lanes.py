"""Thirty-two lanes at once against NumPy."""

from __future__ import annotations

import numba
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rubricate.kernels.lane_code import lowest_lane
from rubricate.kernels.query_lanes import (
    LANES,
    aligned_lanes,
    lanes_count,
    lanes_reach,
    lanes_total,
)
from rubricate.kernels.rows import Rows


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
def _lowest(bits):
    return lowest_lane(bits)


@given(size=st.integers(0, 9), seed=st.integers(0, 99))
def test_totals_grow_by_the_row_and_peaks_follow(size, seed):
    rng = np.random.default_rng(seed)
    terms, values = rng.permutation(20)[:size].astype(np.uint32), rng.standard_normal(size).astype(np.float32)
    weights, (totals, peaks) = (
        rng.standard_normal((20, LANES)).astype("f4"),
        rng.standard_normal((2, LANES)).astype("f4"),
    )
    wanted, before = totals + values @ weights[terms], peaks.copy()
    _total(Rows(np.array([0, 0, size]), terms, values), 1, weights, totals, peaks)
    np.testing.assert_allclose(totals, wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(peaks, np.maximum(before, totals))
    _total(Rows(np.array([0, 0, size]), terms, values), 0, weights, totals.copy(), peaks)
    np.testing.assert_array_equal(peaks, np.maximum(before, totals))


@given(rows=st.integers(1, 6), seed=st.integers(0, 999))
def test_lanes_that_reach_their_bar_are_marked_and_counted(rows, seed):
    rng = np.random.default_rng(seed)
    totals, bars = rng.integers(-2, 3, (rows, LANES)).astype("f4"), rng.integers(-2, 3, LANES).astype("f4")
    reached, counts = totals >= bars, np.full(LANES, 7, "f4")
    assert _reach(totals[0], bars) == int((reached[0].astype(object) << np.arange(LANES)).sum())
    _count(totals, rows - 1, bars, counts)
    np.testing.assert_array_equal(counts, reached[:-1].sum(axis=0))


@given(st.integers(1, 2**LANES - 1))
def test_the_lowest_lane(bits):
    assert _lowest(bits) == bin(bits)[::-1].index("1")


@given(st.integers(0, 40))
def test_lanes_begin_at_a_cache_line_and_are_zero(rows):
    lanes = aligned_lanes(rows)
    assert lanes.shape == (rows, LANES)
    assert not lanes.any()
    assert lanes.ctypes.data % 64 == 0 or not rows
