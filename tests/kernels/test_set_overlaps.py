"""Sums of similarities of sets, against the definitions on Python sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from tests.kernels.small_cases import SEEDS, lists_of

from rubricate.kernels.set_overlaps import similar_weight


def masi(a, b):
    part = 1 if a == b else 2 / 3 if a <= b or b <= a else 1 / 3 if a & b else 0
    return part * len(a & b) / len(a | b)


@given(SEEDS)
def test_sums_are_those_of_the_definitions(seed):
    rng = np.random.default_rng(seed)
    held = np.unique(rng.random((int(rng.integers(1, 7)), 4)) < 0.5, axis=0)
    held = held[held.any(axis=1)]
    weights = rng.integers(1, 4, len(held)).astype(float)
    sums = similar_weight(lists_of(held, np.int64), lists_of(held.T.copy(), np.int64), weights)
    sets = [{*np.flatnonzero(row).tolist()} for row in held]
    for i, a in enumerate(sets):
        jaccard = sum(w * len(a & b) / len(a | b) for w, b in zip(weights, sets, strict=True))
        other = sum(w * masi(a, b) for w, b in zip(weights, sets, strict=True))
        assert sums[i].tolist() == pytest.approx([jaccard, other], abs=1e-12)
