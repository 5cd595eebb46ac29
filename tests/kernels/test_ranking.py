"""Where labels stand in rankings, against counting by comparison."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from tests.kernels.small_cases import SEEDS, lists_of, rows_of

from rubricate.kernels.ranking import FEW, Rankings, label_scores, places

VALUES = np.array([-np.inf, -1.0, 0.0, 0.0, 0.5, 2.0, np.inf])


def check(scores, stored, true, floor):
    rows, labels = rows_of(scores, stored), lists_of(true)
    scores = np.where(stored, scores, floor)
    at_labels = label_scores(rows, labels, floor)
    assert at_labels.tolist() == scores[true].tolist()
    above, rank, hits = places(Rankings(rows.starts, rows.values, scores.shape[1], floor, labels.starts, at_labels))
    row = np.nonzero(true)[0]
    mine, all_scores = at_labels[:, None], scores[row]
    assert above.tolist() == (all_scores > mine).sum(axis=1).tolist()
    assert rank.tolist() == (all_scores >= mine).sum(axis=1).tolist()
    at_least = ((all_scores >= mine) & true[row]).sum(axis=1)
    assert hits.tolist() == np.where(at_labels > -np.inf, at_least, 0).tolist()


@given(SEEDS)
def test_places_are_those_of_counting(seed):
    rng = np.random.default_rng(seed)
    shape = int(rng.integers(1, 5)), int(rng.integers(1, 8))
    floor = float(rng.choice([-np.inf, -2.0, 0.0]))
    check(rng.choice(VALUES, shape), rng.random(shape) < rng.random(), rng.random(shape) < 0.4, floor)


@pytest.mark.parametrize("labels", [FEW, FEW + 1, 3 * FEW])
def test_many_labels_are_searched_and_give_the_same(labels):
    rng = np.random.default_rng(labels)
    true = np.zeros((2, 4 * FEW), bool)
    true[:, :labels] = True
    scores = rng.choice(VALUES, true.shape)
    check(scores, rng.random(true.shape) < 0.9, true, -1.0)
