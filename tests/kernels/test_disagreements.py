"""Where two systems disagree, against dense tables."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from tests.kernels.small_cases import SEEDS, lists_of

from rubricate.kernels.disagreements import PairDecisions, codes, disagreements


@given(SEEDS)
def test_cells_are_those_of_dense_tables(seed):
    rng = np.random.default_rng(seed)
    shape = rng.integers(0, 6, 2)
    truth, a, b = rng.random((3, *shape)) < rng.random()
    judged = PairDecisions(*(lists_of(each, np.int64) for each in (truth, a, b)))
    a_wrong, b_wrong = truth != a, truth != b
    wanted = [~a_wrong & b_wrong, a_wrong & ~b_wrong, a_wrong & b_wrong]
    assert disagreements(judged, int(shape[1])).tolist() == [each.sum(axis=0).tolist() for each in wanted]
    starts, columns, values = codes(judged)
    table = truth + 2 * a + 4 * b
    rows = np.repeat(np.arange(shape[0]), np.diff(starts))
    filled = np.zeros(shape, int)
    filled[rows, columns] = values
    assert (filled == table).all()
    assert len(columns) == np.count_nonzero(table)
