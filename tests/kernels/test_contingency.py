"""What two label matrices share, against counting in dense tables."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from tests.kernels.small_cases import SEEDS, lists_of

from rubricate.kernels.contingency import overlap, overlap_by_row


@given(SEEDS)
def test_counts_are_those_of_dense_tables(seed):
    rng = np.random.default_rng(seed)
    shape = rng.integers(0, 7, 2)
    a, b = rng.random((2, *shape)) < rng.random()
    both, first, second = overlap(lists_of(a), lists_of(b), int(shape[1]))
    assert both.tolist() == (a & b).sum(axis=0).tolist()
    assert first.tolist() == a.sum(axis=0).tolist()
    assert second.tolist() == b.sum(axis=0).tolist()
    assert overlap_by_row(lists_of(a), lists_of(b)).tolist() == (a & b).sum(axis=1).tolist()
