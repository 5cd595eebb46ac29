"""Search by inner products against sorting all scores; whole numbers, so that sums are exact and every tie is a tie."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from tests.native.small_cases import SEEDS, count_cases, lists_of, rows_of
from tests.oracles.knn import inner, nearest, scores

from rubricate.native.neighbours import (
    BLOCK_WIDTH,
    Estimates,
    add_votes,
    best_items,
    count_related,
    index_items,
    nearest_rows,
)
from rubricate.native.sparse import Lists, Rows

LAYOUTS = st.sampled_from([(0.25, BLOCK_WIDTH), (0.0, 7), (0.3, 1), (2.0, 3), (2.0, BLOCK_WIDTH)])
"""The share of items from which on a term has a row (0: every term, 2: none), and the width of a block."""


def rows(matrix):
    matrix = sparse.csr_array(np.asarray(matrix, float))
    return Rows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data)


def index_of(documents, layout=(0.25, BLOCK_WIDTH), offsets=None):
    return index_items(rows(documents.T), len(documents), offsets=offsets, dense_share=layout[0], width=layout[1])


def agrees(queries, documents, k, layout=(0.25, BLOCK_WIDTH)):
    found, near = best_items(rows(queries), index_of(documents, layout), k)
    wanted = nearest(queries.tolist(), documents.tolist(), k, similarity=inner)
    assert found.tolist() == [[d for _, d in row] for row in wanted]
    assert near.tolist() == [[value for value, _ in row] for row in wanted]


@st.composite
def tables(draw):
    documents, terms = draw(st.integers(1, 40)), draw(st.integers(1, 6))
    weights = st.sampled_from([0, 0, 0, 0, 1, 1, 2, -1, -3])
    return (
        draw(arrays(int, (draw(st.integers(1, 5)), terms), elements=weights)),
        draw(arrays(int, (documents, terms), elements=weights)),
        draw(st.integers(1, documents)),
    )


@given(tables(), LAYOUTS)
def test_the_same_as_sorting_all_similarities(table, layout):
    count_cases(len(table[0]))
    agrees(*table, layout)


@pytest.mark.slow
@pytest.mark.parametrize("density", [0.002, 0.02, 0.3])
@pytest.mark.parametrize("k", [1, 45, 400])
@pytest.mark.parametrize("layout", [(0.25, BLOCK_WIDTH), (0.25, 200), (0.01, 640)])
def test_many_documents_with_few_and_many_weights(density, k, layout):
    rng = np.random.default_rng(int(1000 * density) + k)
    documents = rng.integers(-2, 4, (640, 50)) * (rng.random((640, 50)) < density)
    queries = rng.integers(-2, 4, (12, 50)) * (rng.random((12, 50)) < 0.2)
    queries[3] = 0
    agrees(queries, documents, k, layout)


@given(SEEDS, LAYOUTS, st.sampled_from([0.0, 1e-12, 1e-6, 1e-3]))
def test_real_numbers_do_not_depend_on_the_layout_nor_on_other_queries(seed, layout, apart):
    """Documents that are almost alike: the last digit of a sum decides the order."""
    rng = np.random.default_rng(seed)
    kinds = rng.random((3, 9)) - 0.3
    documents = kinds[rng.integers(0, 3, 60)] + apart * rng.standard_normal((60, 9))
    documents *= rng.random((60, 9)) < 0.8
    queries, k = kinds[rng.integers(0, 3, 5)] * (rng.random((5, 9)) < 0.7), int(rng.integers(1, 61))
    found, near = best_items(rows(queries), index_of(documents), k)
    again, same = best_items(rows(queries), index_of(documents, layout), k)
    assert np.array_equal(found, again)
    assert np.array_equal(near, same)
    for q in range(5):
        sums = np.zeros(60)
        for t in np.flatnonzero(queries[q]):  # in the order of the query's terms
            sums += queries[q, t] * documents[:, t]
        order = np.argsort(-sums, kind="stable")[:k]
        alone, own = best_items(rows(queries[[q]]), index_of(documents), k)
        assert found[q].tolist() == alone[0].tolist() == order.tolist()
        assert near[q].tolist() == own[0].tolist() == sums[order].tolist()
    count_cases(5)


def test_unrelated_documents_rank_above_opposed_ones():
    documents = np.array([[-1, 0], [0, 1], [-2, 0], [0, 0]] + [[0, 0]] * 40)
    found, near = best_items(rows([[1, 0]]), index_of(documents), 44)
    assert found[0].tolist() == [1, *range(3, 44), 0, 2]
    assert near[0, -2:].tolist() == [-1.0, -2.0]


def test_sums_that_cancel_count_as_nothing_and_leave_nothing_behind():
    documents = np.zeros((100, 2), int)
    documents[50], documents[60] = [1, -1], [2, 1]
    found, near = best_items(rows([[1, 1], [0, 0], [1, 0]]), index_of(documents), 3)
    assert found.tolist() == [[60, 0, 1], [0, 1, 2], [60, 50, 0]]
    assert near.tolist() == [[3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [2.0, 1.0, 0.0]]


def slow_categories(X, W, factors, offsets, k):
    """Sum up term by term, sort, and take the first k: (categories, scores)."""
    sums = np.zeros((len(X), len(offsets)))
    for d, row in enumerate(X):
        for t in np.flatnonzero(row):
            sums[d] = sums[d] + row[t] * W[t]
        sums[d] = sums[d] + factors[d] * offsets
    order = np.argsort(-sums, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(sums, order, axis=1)


def drawn(seed, categories, terms, whole, fill):
    """Return documents, weights, factors, offsets: mostly weak weights, and some categories that stand out."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(-2, 3, (terms, categories)) * 1.0 if whole else rng.normal(0, 0.1, (terms, categories))
    weights *= rng.random((terms, categories)) < fill
    weights[:, rng.integers(0, categories, 3)] = 9.0 if whole else rng.uniform(1, 2, (terms, 3))
    X = rng.integers(-1, 3, (3, terms)) * 1.0 if whole else np.abs(rng.normal(0, 1, (3, terms)))
    X *= rng.random((3, terms)) < 0.8
    factors = rng.integers(-1, 2, 3) * 1.0 if whole else np.ones(3)
    offsets = rng.integers(-2, 1, categories) * 1.0 if whole else rng.normal(-1, 0.01, categories)
    return X, weights, factors, offsets


@given(
    seed=SEEDS,
    categories=st.one_of(st.integers(1, 40), st.integers(256, 600)),
    terms=st.integers(1, 6),
    k=st.sampled_from([1, 2, 4, 600]),
    whole=st.booleans(),
    fill=st.sampled_from([0.01, 0.2, 0.9]),
    layout=LAYOUTS,
)
def test_best_categories_are_those_of_sorting_all_sums(seed, categories, terms, k, whole, fill, layout):
    X, W, factors, offsets = drawn(seed, categories, terms, whole, fill)
    k = min(k, categories)
    found, values = best_items(rows(X), index_of(W.T, layout, offsets), k, factors)
    order, wanted = slow_categories(X, W, factors, offsets, k)
    assert found.tolist() == order.tolist()
    assert values.tolist() == wanted.tolist()
    count_cases(3)


def test_documents_without_terms_rank_by_offsets():
    offsets = np.zeros(400)
    offsets[[3, 399]] = 1.0, 2.0
    found, values = best_items(rows(np.zeros((1, 2))), index_of(np.ones((400, 2)), offsets=offsets), 3)
    assert found.tolist() == [[399, 3, 0]]
    assert values.tolist() == [[2.0, 1.0, 0.0]]


def test_terms_with_many_weights_have_rows():
    W = np.zeros((3, 512))
    W[0], W[1, :3], W[2, :200] = np.arange(512.0) + 1, 1.0, -1.0
    index = index_of(W.T, (0.25, 100))
    assert index.rows.tolist() == [0, -1, 1]
    assert index.items.tolist() == [0, 1, 2]
    assert index.starts.tolist() == [0, 0, 3, 3]
    assert index.dense.shape == (6, 2, 100)
    assert index.dense[5, 0].tolist() == [*range(501, 513), *[0] * 88]


def test_nothing_searched_and_nothing_to_search():
    index = index_of(np.ones((4, 2)))
    assert best_items(rows(np.zeros((0, 2))), index, 2)[0].shape == (0, 2)
    assert best_items(rows(np.ones((3, 2))), index, 0)[0].shape == (3, 0)
    assert best_items(rows(np.ones((3, 2))), index_of(np.ones((0, 2))), 0)[0].shape == (3, 0)


@pytest.mark.parametrize("term", [-1, 2, 2**31 - 1])
def test_terms_out_of_range_are_refused(term):
    queries = Rows(np.array([0, 1]), np.array([term], np.int32), np.ones(1))
    with pytest.raises(ValueError, match="terms must be from 0 to 1"):
        best_items(queries, index_of(np.ones((4, 2))), 1)
    with pytest.raises(ValueError, match="terms must be from 0 to 1"):
        index_items(queries, 2)


@pytest.mark.parametrize("starts", [[0, 3], [-1, 2], [0, 2, 1], []])
def test_rows_out_of_range_are_refused(starts):
    queries = Rows(np.array(starts, np.int64), np.zeros(2, np.int32), np.ones(2))
    with pytest.raises(ValueError, match="starts must ascend"):
        best_items(queries, index_of(np.ones((4, 2))), 1)


def test_other_wrong_arguments_are_refused():
    index, queries = index_of(np.ones((4, 2)), offsets=np.zeros(4)), rows(np.ones((3, 2)))
    for k in (-1, 5):
        with pytest.raises(ValueError, match="k must be from 0 to 4"):
            best_items(queries, index, k)
    with pytest.raises(ValueError, match="factors has 2 values, expected 3"):
        best_items(queries, index, 1, np.ones(2))
    with pytest.raises(ValueError, match="values has 5 values, expected 6"):
        best_items(queries._replace(values=np.ones(5)), index, 1)
    with pytest.raises(TypeError, match="must be an array of int32, not of int64"):
        best_items(queries._replace(terms=queries.terms.astype(np.int64)), index, 1)
    with pytest.raises(TypeError, match="must be an array of float64, not of float32"):
        best_items(queries._replace(values=np.ones(6, np.float32)), index, 1)
    with pytest.raises(ValueError, match="items must ascend"):
        index_items(Rows(np.array([0, 2]), np.array([1, 1], np.int32), np.ones(2)), 4)
    with pytest.raises(ValueError, match="offsets has 3 values, expected 4"):
        index_items(rows(np.ones((2, 4))), 4, offsets=np.zeros(3))


@given(st.integers(1, 30), st.integers(1, 9), SEEDS, st.sampled_from([0.0, 0.4, 3.0]))
def test_estimates_are_made_exact(documents, width, seed, error):
    """Whatever the estimates say within their error, the result is that of the exact products."""
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-2, 3, (documents, width)).astype(float)
    queries = rng.integers(-2, 3, (4, width)).astype(float)
    k = int(rng.integers(1, documents + 1))
    estimates = (queries @ vectors.T + rng.uniform(-error, error, (4, documents))).astype(np.float32)
    found, near = nearest_rows(Estimates(estimates, error * 1.0001, queries), vectors, k)
    wanted = nearest(queries.tolist(), vectors.tolist(), k, similarity=inner)
    assert found.tolist() == [[d for _, d in row] for row in wanted]
    assert near.tolist() == [[value for value, _ in row] for row in wanted]
    count_cases(4)


@pytest.mark.parametrize(
    ("estimates", "queries", "vectors", "k"),
    [
        ((4, 5), (4, 3), (6, 3), 1),
        ((4, 5), (3, 3), (5, 3), 1),
        ((4, 5), (4, 2), (5, 3), 1),
        ((4, 5), (4, 3), (5, 3), 6),
    ],
)
def test_shapes_that_do_not_fit_are_refused(estimates, queries, vectors, k):
    with pytest.raises(ValueError, match="do not fit"):
        nearest_rows(Estimates(np.zeros(estimates, np.float32), 0.0, np.zeros(queries)), np.zeros(vectors), k)


@given(SEEDS)
def test_votes_are_the_sums_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    documents, categories, queries, k = (int(rng.integers(1, most)) for most in (30, 8, 6, 6))
    labels = rng.random((documents, categories)) < 0.4
    found = rng.integers(0, documents, (queries, k))
    near = rng.integers(-4, 9, (queries, k)).astype(float)
    summed = add_votes(found, near, lists_of(labels), categories=categories)
    pairs = [list(zip(near[q], found[q], strict=True)) for q in range(queries)]
    assert summed.tolist() == scores(pairs, labels.tolist())
    count_cases(queries)


def test_votes_out_of_range_are_refused():
    labels = Lists(np.array([0, 1, 2]), np.array([0, 3], np.int32))
    with pytest.raises(ValueError, match="terms must be from 0 to 2"):
        add_votes(np.array([[0]]), np.ones((1, 1)), labels, categories=3)
    for document in (-1, 2):
        with pytest.raises(ValueError, match="documents must be from 0 to 1"):
            add_votes(np.array([[document]]), np.ones((1, 1)), labels, categories=4)
    assert add_votes(np.empty((2, 0), np.int64), np.empty((2, 0)), labels, categories=4).tolist() == [[0.0] * 4] * 2


BINS, TOLERANCE = 20, 1e-9


@given(SEEDS)
def test_bins_and_pairs_are_those_of_the_product(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (int(rng.integers(2, 7)), 4)).astype(float)
    X /= np.maximum(np.sqrt((X * X).sum(axis=1, keepdims=True)), 1e-300)
    cosines = X @ X.T
    np.fill_diagonal(cosines, 0)
    # Rounding may take a cosine to either side of an edge only if it is nearer to it than the tolerance.
    scaled = cosines * BINS
    assume(not (np.abs(scaled + TOLERANCE - np.round(scaled + TOLERANCE)) < TOLERANCE / 2).any())
    bins = np.where(cosines > 0, np.minimum(BINS, (scaled + TOLERANCE).astype(int)), -1)
    both = rows_of(X, X > 0), rows_of(X.T.copy(), X.T > 0)
    histogram, nothing = count_related(*both, BINS)
    assert histogram.tolist() == np.bincount(bins[bins >= 0], minlength=BINS + 1).tolist()
    assert nothing.shape == (0, 2)
    least = int(rng.integers(0, BINS + 1))
    above, pairs = count_related(*both, BINS, least=least, with_pairs=True)
    assert pairs.tolist() == np.argwhere(bins >= least).tolist()
    assert above.tolist() == [0] * least + histogram[least:].tolist()
    count_cases(len(X) * (len(X) - 1))


def test_documents_that_are_not_in_both_matrices_are_refused():
    with pytest.raises(ValueError, match="terms must be"):
        count_related(rows(np.ones((2, 3))), rows(np.ones((3, 4))), BINS)


VARIANT = """
import hashlib, numpy as np
from rubricate.native.neighbours import *
from rubricate.native.sparse import Rows
rng = np.random.default_rng(5)
def rows(n, m, share):
    X = rng.standard_normal((n, m)) * (rng.random((n, m)) < share)
    return Rows(np.concatenate([[0], np.cumsum((X != 0).sum(axis=1))]), np.nonzero(X)[1].astype(np.int32), X[X != 0])
index = index_items(rows(40, 900, 0.2), 900, offsets=rng.standard_normal(900))
results = [*best_items(rows(30, 40, 0.5), index, 17)]
A, B = rng.standard_normal((9, 33)), rng.standard_normal((200, 33))
results += nearest_rows(Estimates((A @ B.T).astype(np.float32), 1e-4, A), B, 7)
print(hashlib.sha256(b"".join(part.tobytes() for part in results)).hexdigest())
"""


def test_both_variants_give_the_same_bits(print_in_both):
    ours, theirs = print_in_both(VARIANT)
    assert ours == theirs != ""
