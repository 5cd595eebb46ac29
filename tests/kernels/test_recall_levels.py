"""Precision at recall levels, against fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from tests.kernels.small_cases import SEEDS

from rubricate.kernels.recall_levels import LEVELS, Points, best_in_intervals, last_points, running_maximum


@given(SEEDS)
def test_levels_are_those_of_exact_recalls(seed):
    rng = np.random.default_rng(seed)
    rankings, count = int(rng.integers(1, 4)), int(rng.integers(0, 7))
    row, labels = rng.integers(0, rankings, count), rng.integers(1, 12, count)
    hits = rng.integers(1, labels + 1)
    points = Points(row, hits, hits + rng.integers(0, 5, count), labels, rankings)
    wanted, last = np.zeros((rankings, LEVELS)), [(0, 0.0)] * rankings
    for r, h, rank, n in zip(*(part.tolist() for part in points[:4]), strict=True):
        level = int(Fraction(10 * h, n))
        if level < LEVELS - 1:
            wanted[r, level] = max(wanted[r, level], h / rank)
        if h >= last[r][0]:
            last[r] = h, h / rank
    table = best_in_intervals(points)
    assert (table == wanted).all()
    assert last_points(points).tolist() == [precision for _, precision in last]
    assert (running_maximum(table) == np.maximum.accumulate(table[:, ::-1], axis=1)[:, ::-1]).all()
