"""Largest and mean values of rows, and unit rows, against NumPy on each row."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from tests.kernels.small_cases import SEEDS

from rubricate.kernels.rows import largest, make_unit, mean, unit_values


@given(SEEDS)
def test_rows_are_those_of_numpy(seed):
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 4, rng.integers(0, 5)))]).astype(np.int64)
    values = rng.integers(0, 4, starts[-1]).astype(float)
    rows = np.split(values, starts[1:-1]) if len(starts) > 1 else []
    assert largest(starts, values).tolist() == [max(row, default=0.0) for row in rows]
    np.testing.assert_allclose(mean(starts, values), [sum(row) / max(len(row), 1) for row in rows])
    wanted = [row / (np.linalg.norm(row) or 1.0) for row in rows]
    make_unit(starts, values)
    np.testing.assert_allclose(values, np.concatenate([*wanted, np.zeros(0)]))


@given(SEEDS)
def test_unit_values_are_those_of_a_part_of_the_rows_whatever_their_scale(seed):
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 4, 6))]).astype(np.int64)
    scale = 10.0 ** rng.integers(-250, 250)
    values = rng.integers(-2, 4, starts[-1]).astype(float)
    rows = np.split(values, starts[1:-1])[2:5]
    wanted = [row / (np.linalg.norm(row) or 1.0) for row in rows]
    np.testing.assert_allclose(unit_values(starts[2:6], values * scale), np.concatenate(wanted), rtol=1e-14)
