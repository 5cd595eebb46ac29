"""Cosines of all pairs, against a matrix product."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from tests.kernels.small_cases import SEEDS, rows_of

from rubricate.kernels.relatedness import SLACK, CosineComparison, cosine_histogram, related_pairs

BINS = 20


@given(SEEDS)
def test_bins_and_pairs_are_those_of_the_product(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (int(rng.integers(1, 7)), 4)).astype(float)
    X /= np.maximum(np.sqrt((X * X).sum(axis=1, keepdims=True)), 1e-300)
    comparison = CosineComparison(
        rows_of(X, X > 0, np.int64, np.int64), rows_of(X.T.copy(), X.T > 0, np.int64, np.int64), BINS
    )
    cosines = X @ X.T
    np.fill_diagonal(cosines, 0)
    # Rounding may take a cosine on either side of an edge only where it is nearer to it than the slack says.
    scaled = cosines * BINS
    if (np.abs(scaled + SLACK - np.round(scaled + SLACK)) < SLACK / 2).any():
        return
    bins = np.where(cosines > 0, np.minimum(BINS, (scaled + SLACK).astype(int)), -1)
    histogram = cosine_histogram(comparison)
    assert histogram.tolist() == np.bincount(bins[bins >= 0], minlength=BINS + 1).tolist()
    least = int(rng.integers(0, BINS + 1))
    wanted = np.argwhere(bins >= least)
    assert related_pairs(comparison, least, len(wanted)).tolist() == wanted.tolist()
