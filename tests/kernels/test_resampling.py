"""Rankings with weights, against rankings in which documents are repeated."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from tests.kernels.small_cases import SEEDS

from rubricate.kernels.resampling import LEVELS, RankedItems, weighted_rankings


def measure(true, last, n):
    """Measure one ranking of repeated items cut by cut: no cut parts a tie."""
    ends = np.flatnonzero(last)
    hits, assigned = np.cumsum(true)[ends], ends + 1
    before = np.concatenate([[0], hits[:-1]])
    start = np.concatenate([[0], assigned[:-1]])
    new = hits > before
    precision, recall = hits / assigned, hits / n
    inside = ((hits - before) * np.clip((n - start) / (assigned - start), 0, 1))[new].sum() / n
    levels = np.zeros(LEVELS)
    for h, p in zip(hits[new], precision[new], strict=True):
        level = (LEVELS - 1) * h // n
        if level < LEVELS - 1:
            levels[level] = max(levels[level], p)
        levels[LEVELS - 1] = p
    levels = np.maximum.accumulate(levels[::-1])[::-1]
    exact = hits[assigned == n] / n
    gaps = sorted((abs(p - r), -(p + r) / 2) for p, r, h in zip(precision, recall, hits, strict=True) if h)
    even = exact[0] if len(exact) else -gaps[0][1] if gaps else 0.0
    best = (2 * hits / (assigned + n)).max(initial=0.0)
    return [((hits - before) * precision)[new].sum() / n, inside, levels.mean(), even, best]


@given(SEEDS)
def test_weights_are_repetitions(seed):
    rng = np.random.default_rng(seed)
    documents = int(rng.integers(1, 8))
    order, weights = rng.permutation(documents).astype(np.int32), rng.integers(0, 4, documents)
    true, last = rng.random(documents) < 0.5, rng.random(documents) < 0.7
    last[-1], missed = True, int(rng.integers(0, 3))
    starts = np.array([0, documents])
    values = weighted_rankings(RankedItems(starts, order, true, last), np.array([missed]), weights)[0]
    own = weights[order]
    n = int(own[true].sum()) + missed
    if n == 0:
        assert np.isnan(values).all()
        return
    repeated = np.repeat(true, own)
    ties = np.repeat(np.cumsum(last) - last, own)
    ends = np.append(ties[1:] != ties[:-1], True) if len(ties) else np.zeros(0, bool)
    assert values.tolist() == pytest.approx(measure(repeated, ends, n), abs=1e-12)
