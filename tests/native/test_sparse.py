"""Largest and mean values of rows, and unit rows, against NumPy on each row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from tests.native.small_cases import SEEDS, count_cases

from rubricate.native.sparse import Lists, check_lists, check_starts, largest, make_unit, mean, unit_values


@given(SEEDS)
def test_rows_are_those_of_numpy(seed):
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 4, rng.integers(0, 5)))]).astype(np.int64)
    assume(len(starts) > 1)
    values = rng.integers(0, 4, starts[-1]).astype(float)
    rows = np.split(values, starts[1:-1])
    assert largest(starts, values).tolist() == [max(row, default=0.0) for row in rows]
    assert mean(starts, values).tolist() == [sum(row.tolist()) / max(len(row), 1) for row in rows]
    wanted = [row / (np.linalg.norm(row) or 1.0) for row in rows]
    make_unit(starts, values)
    np.testing.assert_allclose(values, np.concatenate(wanted))
    count_cases(3 * len(rows))


@given(SEEDS)
def test_unit_values_are_those_of_a_part_of_the_rows_whatever_their_scale(seed):
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 4, 6))]).astype(np.int64)
    scale = 10.0 ** rng.integers(-250, 250)
    values = rng.integers(-2, 4, starts[-1]).astype(float)
    rows = np.split(values, starts[1:-1])[2:5]
    wanted = np.concatenate([row / (np.linalg.norm(row) or 1.0) for row in rows])
    assume(len(wanted))
    np.testing.assert_allclose(unit_values(starts[2:6], values * scale), wanted, rtol=1e-14)
    count_cases(len(wanted))


def test_sums_run_from_left_to_right():
    values = np.array([1e16, 1.0, -1e16, 1.0])
    assert mean(np.array([0, 4]), values).tolist() == [0.25]


def test_a_single_row_has_the_weights_of_many():
    """Python sums from left to right; both must agree to the last bit."""
    rng = np.random.default_rng(3)
    values = rng.random(1000)
    length = sum(value * value for value in values.tolist()) ** 0.5
    unit = values.copy()
    make_unit(np.array([0, 1000]), unit)
    assert unit.tobytes() == (values / length).tobytes()


def test_values_that_are_no_numbers():
    values = np.array([np.inf, 1.0, np.nan, 2.0, 0.0, 0.0])
    starts = np.array([0, 2, 4, 6])
    unit = unit_values(starts, values)
    assert np.isnan(unit[0])
    assert np.isnan(unit[2:4]).all()
    assert unit[4:].tolist() == [0.0, 0.0]
    make_unit(starts, values)
    assert values[1] == 0.0
    assert values[3] == 2.0


def test_short_starts_are_cast_and_wrong_ones_refused():
    values = np.ones(3)
    assert mean(np.array([0, 3], np.int32), values).tolist() == [1.0]
    assert unit_values(np.zeros(1, np.int64), np.empty(0)).tolist() == []
    for bad in ([], [0, 4], [2, 1], [-1, 3]):
        for call in (largest, mean, make_unit, unit_values):
            with pytest.raises(ValueError, match="row starts must ascend from 0 or more to at most 3"):
                call(np.array(bad, np.int64), values)


def test_other_values_are_refused():
    for call in (largest, mean, make_unit, unit_values):
        with pytest.raises(TypeError, match="float64, not of float32"):
            call(np.array([0, 3]), np.ones(3, np.float32))


def test_lists_are_checked():
    items = np.array([0, 2], np.int32)
    assert check_lists(Lists(np.array([0, 2], np.int32), items), 3).starts.dtype == np.int64
    with pytest.raises(ValueError, match="from 0 to 1, got 0 to 2"):
        check_lists(Lists(np.array([0, 2]), items), 2)
    with pytest.raises(ValueError, match="from 0 to 1, got -1 to 0"):
        check_lists(Lists(np.array([0, 2]), np.array([0, -1], np.int32)), 2)
    assert check_starts(np.array([1, 1, 2]), 2).tolist() == [1, 1, 2]
