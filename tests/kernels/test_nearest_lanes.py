"""Nearest documents of many queries at once: the same as over postings, to the last digit and the last tie."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles.knn import inner, nearest

from rubricate.classifiers.numerics.neighbours import Postings, frequent_rows
from rubricate.kernels import nearest_lanes
from rubricate.kernels.nearest_lanes import LaneIndex, nearest_by_lanes
from rubricate.kernels.postings import nearest_by_postings
from rubricate.kernels.rows import Rows


def rows_of(matrix):
    matrix = sparse.csr_array(matrix)
    return Rows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.uint32), matrix.data)


def index_of(documents, frequent):
    """Return the index in which the terms with the numbers `frequent` count as frequent."""
    slots = np.full(documents.shape[1], -1)
    slots[frequent] = np.arange(len(frequent))
    postings = Postings.of(sparse.csr_array(documents))
    return LaneIndex(postings.lists, postings.vectors, frequent_rows(postings.vectors, slots))


def table(seed, *, documents, queries, terms, density=0.4):
    """Return whole numbers over 64, so that sums are exact and every tie is a tie, in rows not longer than 1."""
    rng = np.random.default_rng(seed)
    parts = [rng.integers(-1, 4, (n, terms)) * (rng.random((n, terms)) < density) / 64 for n in (queries, documents)]
    return *parts, rng


@given(
    seed=st.integers(0, 9999),
    documents=st.integers(1, 30),
    queries=st.integers(0, 40),
    terms=st.integers(1, 8),
    k=st.integers(1, 5),
)
def test_the_same_as_sorting_all_similarities(seed, documents, queries, terms, k):
    asked, known, rng = table(seed, documents=documents, queries=queries, terms=terms)
    k = min(k, documents)
    index = index_of(known, np.flatnonzero(rng.random(terms) < 0.5))
    found, near, given_up = nearest_by_lanes(rows_of(asked), index, k)
    wanted = nearest(asked.tolist(), known.tolist(), k, similarity=inner)
    for q in np.flatnonzero(~given_up):
        assert found[q].tolist() == [d for _, d in wanted[q]]
        assert near[q].tolist() == [value for value, _ in wanted[q]]


@pytest.mark.parametrize("k", [1, 7, 45])
def test_tiles_of_documents_and_blocks_of_queries_give_what_postings_give(k):
    rng = np.random.default_rng(k)
    shape = 2 * nearest_lanes.TILE + 100, 60
    known = rng.random(shape) * (rng.random(shape) < 0.1)
    known /= np.maximum(np.sqrt(np.square(known).sum(axis=1)), 1e-9)[:, None]
    asked = known[rng.permutation(len(known))[:70]]
    index = index_of(known, np.arange(0, 60, 2))
    found, near, given_up = nearest_by_lanes(rows_of(asked), index, k)
    documents, similarities = nearest_by_postings(rows_of(asked), index.lists, k)
    assert not given_up.any()
    np.testing.assert_array_equal(found, documents)
    np.testing.assert_array_equal(near, similarities)


def test_a_query_as_near_to_more_documents_than_there_is_room_for_is_given_up():
    known = np.zeros((400, 3))
    known[:, 0] = 0.5
    known[7, 1] = 0.5
    asked = np.array([[1.0, 0, 0], [0, 1.0, 0]])
    assert nearest_by_lanes(rows_of(asked), index_of(known, [0, 1]), 1)[2].tolist() == [True, False]
