"""Votes of neighbours against the definition of the score."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from scipy import sparse
from tests.kernels.small_cases import SEEDS, lists_of
from tests.oracles.knn import scores

from rubricate.kernels.rows import Lists
from rubricate.kernels.votes import Neighbours, vote


def test_votes_are_the_sums_of_the_definition():
    rng = np.random.default_rng(4)
    labels = sparse.csr_array(rng.random((30, 7)) < 0.3)
    found = np.array([rng.permutation(30)[:5] for _ in range(9)])
    near = rng.integers(-4, 9, (9, 5)).astype(float)
    lists = Lists(labels.indptr.astype(np.int64), labels.indices.astype(np.int64))
    summed = vote(Neighbours(found, near), lists, 7)
    pairs = [list(zip(near[q], found[q], strict=True)) for q in range(9)]
    assert summed.tolist() == scores(pairs, labels.toarray().tolist())


@given(SEEDS)
def test_votes_of_few_neighbours_are_the_sums_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    labels = rng.random((6, 4)) < 0.4
    found = np.array([rng.permutation(6)[:3] for _ in range(2)])
    near = rng.integers(-4, 9, (2, 3)).astype(float)
    summed = vote(Neighbours(found, near), lists_of(labels, np.int64, np.int64), 4)
    pairs = [list(zip(near[q], found[q], strict=True)) for q in range(2)]
    assert summed.tolist() == scores(pairs, labels.tolist())
