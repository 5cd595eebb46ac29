"""Nearest documents of many queries at once: the same as over postings, to the last digit and the last tie."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles.knn import inner, nearest

from rubricate.classifiers.numerics.neighbours import Postings, lane_index
from rubricate.kernels import nearest_lanes
from rubricate.kernels.nearest_lanes import HIGHEST, UNIT, nearest_by_lanes
from rubricate.kernels.postings import nearest_by_postings
from rubricate.kernels.rows import Rows

BORDERS = st.sampled_from([0, 1, 3, 1000])
"""No term is frequent, those of all documents, of a third, all."""


def rows_of(matrix):
    matrix = sparse.csr_array(matrix)
    return Rows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.uint32), matrix.data)


def search(asked, known, k, border=3):
    """Return documents, similarities and flags of the lanes."""
    near, found = np.empty((len(asked), k)), np.empty((len(asked), k), np.int64)
    index = lane_index(rows_of(known), known.shape[1], border)
    return found, near, nearest_by_lanes(rows_of(asked), index, near, found)


def unit(matrix):
    return matrix / np.maximum(np.sqrt(np.square(matrix).sum(axis=1)), 1e-9)[:, None]


def assert_as_over_postings(asked, known, k, *, border=3, spill=False):
    found, near, given_up = search(asked, known, k, border)
    documents, similarities = nearest_by_postings(rows_of(asked), Postings.of(sparse.csr_array(known)).lists, k)
    assert spill or not given_up.any()
    np.testing.assert_array_equal(found[~given_up], documents[~given_up])
    np.testing.assert_array_equal(near[~given_up], similarities[~given_up])


@given(
    seed=st.integers(0, 9999),
    documents=st.integers(1, 30),
    queries=st.integers(0, 70),
    terms=st.integers(1, 8),
    k=st.integers(1, 30),
    border=BORDERS,
)
def test_the_same_as_sorting_all_similarities(seed, documents, queries, terms, k, border):
    rng = np.random.default_rng(seed)
    # Whole numbers over 64: sums are exact, every tie is a tie, and no row is longer than 1.
    asked, known = (rng.integers(-1, 4, (n, terms)) * (rng.random((n, terms)) < 0.4) / 64 for n in (queries, documents))
    found, near, given_up = search(asked, known, min(k, documents), border)
    wanted = nearest(asked.tolist(), known.tolist(), min(k, documents), similarity=inner)
    for q in np.flatnonzero(~given_up):
        assert found[q].tolist() == [d for _, d in wanted[q]]
        assert near[q].tolist() == [value for value, _ in wanted[q]]


@given(
    seed=st.integers(0, 9999),
    apart=st.sampled_from([0.0, 1e-12, 1e-6, 1e-4, 1e-3]),
    signs=st.booleans(),
    terms=st.integers(1, 300),
    border=BORDERS,
)
def test_documents_that_are_almost_alike(seed, apart, signs, terms, border):
    rng = np.random.default_rng(seed)
    kinds = rng.random((3, terms)) - (0.5 if signs else 0.0)
    known = unit(kinds[rng.integers(0, 3, 90)] + apart * rng.standard_normal((90, terms)))
    asked = unit(kinds[rng.integers(0, 3, 5)] + apart * rng.standard_normal((5, terms)))
    assert_as_over_postings(asked, known, int(rng.integers(1, 60)), border=border, spill=True)


@given(seed=st.integers(0, 9999), n=st.integers(1, 400), alike=st.booleans(), signs=st.booleans())
def test_estimates_are_within_the_bounds_that_the_band_is_made_of(seed, n, alike, signs):
    rng = np.random.default_rng(seed)
    query, document = unit(rng.random((2, n)) ** rng.choice([0, 1, 9]) - (0.5 if signs else 0.0))
    if alike:
        document = query
    scale, band = nearest_lanes._scale(query)
    values, weights = (np.rint(one * part).astype(int) for one, part in ((UNIT, document), (scale, query)))
    estimate, exact = int((values * weights // 2**16).sum()), UNIT * scale / 2**16 * float(query @ document)
    e = np.sqrt(n) * (1 / 4 + scale / 2**17) + n / 2**18 + 1e-6
    assert exact - n - e < estimate < exact + e
    assert n + 2 * e < band
    assert np.abs(weights).max() <= HIGHEST
    assert UNIT * scale / 2**16 + n + e < HIGHEST


@pytest.mark.parametrize("k", [1, 7, 45])
def test_tiles_of_documents_and_blocks_of_queries_give_what_postings_give(k):
    rng = np.random.default_rng(k)
    shape = 2 * nearest_lanes.TILE + 100, 60
    known = unit(rng.random(shape) * (rng.random(shape) < 0.1))
    asked = known[known.any(axis=1)][:140]
    assert_as_over_postings(asked, known, k, border=10)


def test_a_query_as_near_to_more_documents_than_there_is_room_for_is_given_up():
    known = np.zeros((400, 3))
    known[:, 0] = 0.5
    known[7, 1] = 0.5
    asked = np.array([[1.0, 0, 0], [0, 1.0, 0]])
    assert search(asked, known, 1)[2].tolist() == [True, False]


def test_a_query_too_long_for_16_bits_is_given_up_alone():
    terms = nearest_lanes.LONGEST + 1
    asked = unit(np.array([np.ones(terms), np.arange(terms) < 2]).astype(float))
    known = unit(np.eye(40, terms))
    found, _, given_up = search(asked, known, 2)
    assert given_up.tolist() == [True, False]
    assert found[1].tolist() == [0, 1]
