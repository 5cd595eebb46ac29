"""The best categories of each document, against a sort."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from tests.kernels.small_cases import SEEDS, rows_of

from rubricate.kernels.rank_cut import FlooredScores, best_dense, best_stored

VALUES = np.array([-np.inf, -1.0, 0.0, 0.0, 0.5, 2.0, np.inf])


def best(scores, t):
    """Sort each row; equal scores go to the earlier column, -inf is never taken."""
    return [{c for c in np.argsort(-row, kind="stable")[:t].tolist() if row[c] > -np.inf} for row in scores]


def taken(result):
    columns, kept = result
    return [{*row[:k].tolist()} for row, k in zip(columns, kept, strict=True)]


@given(SEEDS)
def test_the_best_are_those_of_a_sort(seed):
    rng = np.random.default_rng(seed)
    shape, t = (int(rng.integers(0, 5)), int(rng.integers(1, 7))), int(rng.integers(0, 9))
    scores, stored = rng.choice(VALUES, shape), rng.random(shape) < 0.6
    assert taken(best_dense(scores, t)) == best(scores, t)
    floor = float(rng.choice([-np.inf, -1.0, 0.0, 1.0]))
    sparse = FlooredScores(rows_of(scores, stored, np.int64, np.int64), shape[1], floor)
    assert taken(best_stored(sparse, t)) == best(np.where(stored, scores, floor), t)
