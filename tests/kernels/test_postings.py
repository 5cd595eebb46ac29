"""Nearest documents over postings: whole numbers, so that sums are exact and every tie is a tie."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from tests.oracles.knn import inner, nearest

from rubricate.kernels.postings import PostingLists, nearest_by_postings
from rubricate.kernels.rows import Rows


def search(queries, documents, k):
    rows, turned = sparse.csr_array(queries.astype(float)), sparse.csc_array(documents.astype(float))
    starts, holders = turned.indptr.astype(np.int64), turned.indices.astype(np.uint32)
    lists = PostingLists(starts, holders, turned.data, len(documents))
    return nearest_by_postings(Rows(rows.indptr.astype(np.int64), rows.indices.astype(np.uint32), rows.data), lists, k)


def agrees(queries, documents, k):
    found, near = search(queries, documents, k)
    wanted = nearest(queries.tolist(), documents.tolist(), k, similarity=inner)
    assert found.tolist() == [[d for _, d in row] for row in wanted]
    assert near.tolist() == [[value for value, _ in row] for row in wanted]


@st.composite
def tables(draw):
    documents, terms = draw(st.integers(1, 40)), draw(st.integers(1, 6))
    weights = st.sampled_from([0, 0, 0, 0, 1, 1, 2, -1, -3])
    return (
        draw(arrays(int, (draw(st.integers(0, 5)), terms), elements=weights)),
        draw(arrays(int, (documents, terms), elements=weights)),
        draw(st.integers(1, documents)),
    )


@given(tables())
def test_the_same_as_sorting_all_similarities(table):
    agrees(*table)


@pytest.mark.parametrize("density", [0.002, 0.02, 0.3])
@pytest.mark.parametrize("k", [1, 45, 400])
def test_many_documents_with_few_and_many_postings(density, k):
    rng = np.random.default_rng(int(1000 * density) + k)
    documents = rng.integers(-2, 4, (640, 50)) * (rng.random((640, 50)) < density)
    queries = rng.integers(-2, 4, (12, 50)) * (rng.random((12, 50)) < 0.2)
    queries[3] = 0
    agrees(queries, documents, k)


def test_unrelated_documents_rank_above_opposed_ones():
    documents = np.array([[-1, 0], [0, 1], [-2, 0], [0, 0]] + [[0, 0]] * 40)
    found, near = search(np.array([[1, 0]]), documents, 44)
    assert found[0].tolist() == [1, *range(3, 44), 0, 2]
    assert near[0, -2:].tolist() == [-1.0, -2.0]


def test_sums_that_cancel_count_as_nothing_and_leave_nothing_behind():
    documents = np.zeros((100, 2), int)
    documents[50], documents[60] = [1, -1], [2, 1]
    found, near = search(np.array([[1, 1], [0, 0], [1, 0]]), documents, 3)
    assert found.tolist() == [[60, 0, 1], [0, 1, 2], [60, 50, 0]]
    assert near.tolist() == [[3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [2.0, 1.0, 0.0]]
