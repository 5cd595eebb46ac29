"""kNN: exact neighbours, the score of yangliu1999, updates, and what happens at the edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from tests.oracles.knn import nearest, scores

import rubricate as rb
from rubricate.classifiers.neighbours import DensePoints
from rubricate.classifiers.rows import unit_rows
from rubricate.errors import InvalidInput
from rubricate.measures import micro
from rubricate.measures.contingency import f1
from rubricate.types import Counts

pytestmark = pytest.mark.slow


@st.composite
def collections(draw):
    documents, terms, categories = draw(st.integers(2, 25)), draw(st.integers(1, 6)), draw(st.integers(1, 4))
    weights = st.sampled_from([0.0, 0.0, 0.0, 1.0, 0.5, 2.75, -1.25])
    return (
        draw(arrays(float, (documents, terms), elements=weights)),
        sparse.csr_array(draw(arrays(bool, (documents, categories)))),
        draw(arrays(float, (3, terms), elements=weights)),
        draw(st.integers(1, documents + 2)),
    )


def texts(documents, terms, seed, density=0.1):
    rng = np.random.default_rng(seed)
    return sparse.csr_array(sparse.random_array((documents, terms), density=density, rng=rng))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@given(collection=collections())
def test_neighbours_and_scores_are_those_of_the_definition(form, collection):
    X, labels, queries, k = collection
    knn = rb.KNN(k).fit(form(X), labels)
    found, near = knn.kneighbors(form(queries))
    wanted = nearest(queries.tolist(), X.tolist(), k)
    np.testing.assert_allclose(near, [[value for value, _ in row] for row in wanted], atol=1e-14)
    every = np.array(
        [[value for value, _ in sorted(row, key=lambda pair: pair[1])] for row in nearest(queries, X, len(X))]
    )
    np.testing.assert_allclose(np.take_along_axis(every, found, axis=1), near, atol=1e-14)
    assert all(len(set(row)) == min(k, len(X)) for row in found.tolist())
    pairs = [list(zip(near[q], found[q], strict=True)) for q in range(3)]
    np.testing.assert_allclose(knn.decision_function(form(queries)), scores(pairs, labels.toarray()), atol=1e-14)


@given(collections(), st.integers(2, 4))
def test_copies_of_a_document_come_in_the_order_learnt(collection, copies):
    X, _, queries, _ = collection
    repeated = np.tile(X, (copies, 1))
    y = sparse.csr_array(np.ones((len(repeated), 1)))
    for form in (np.asarray, sparse.csr_array):
        found, near = rb.KNN(len(repeated)).fit(form(repeated), y).kneighbors(queries)
        tied = np.diff(near, axis=1) == 0
        assert (np.diff(found, axis=1)[tied] > 0).all()
        for row, values in zip(found, near, strict=True):
            place = np.empty(len(row))
            place[row] = values
            assert (place.reshape(copies, -1) == place[: len(X)]).all()


@pytest.mark.parametrize("k", [1, 7, 45])
def test_neighbours_of_scikit_learn(k):
    X, queries = texts(500, 300, 1), texts(60, 300, 2)
    found, near = rb.KNN(k).fit(X, sparse.csr_array(np.ones((500, 1)))).kneighbors(queries)
    away, peer = NearestNeighbors(n_neighbors=k, metric="cosine", algorithm="brute").fit(X).kneighbors(queries)
    np.testing.assert_allclose(near, 1 - away, atol=1e-12)
    assert (found == peer).all()


def test_single_label_as_scikit_learn_weighted_by_cosine():
    X, queries = texts(400, 80, 3), texts(50, 80, 4)
    y = np.array(["corn", "gold", "oil"])[np.random.default_rng(5).integers(0, 3, 400)]
    peer = KNeighborsClassifier(15, metric="cosine", algorithm="brute", weights=lambda away: 1 - away).fit(X, y)
    knn = rb.KNN(15).fit(X, y)
    assert (knn.predict(queries) == peer.predict(queries)).all()
    shares = knn.decision_function(queries)
    np.testing.assert_allclose(shares / shares.sum(axis=1, keepdims=True), peer.predict_proba(queries), atol=1e-12)


def test_multi_label_prediction_is_the_majority_by_weight():
    knn = rb.KNN(3).fit([[1, 0], [1, 0], [1, 1], [0, 1]], [[1, 0], [1, 1], [0, 1], [0, 1]])
    assert knn.predict([[1, 0], [0, 3], [0, 0]]).tolist() == [[1, 1], [0, 1], [0, 0]]
    shared = knn.decision_function([[1, 0]])[0]
    np.testing.assert_allclose(shared, [2, 1 + np.sqrt(0.5)])


def test_only_the_best_category_keeps_its_score():
    X, labels = texts(200, 40, 6), sparse.csr_array(np.random.default_rng(7).random((200, 6)) < 0.3)
    every, best = (rb.KNN(9, votes=votes).fit(X, labels) for votes in ("all", "best"))
    whole, top = every.decision_function(X), best.decision_function(X)
    assert (np.count_nonzero(top, axis=1) <= 1).all()
    assert (top.argmax(axis=1) == whole.argmax(axis=1)).all()
    assert (top.max(axis=1) == whole.max(axis=1)).all()
    assert (best.predict(X).toarray() == (top > 0)).all()


def test_equal_scores_leave_the_earlier_category():
    knn = rb.KNN(1, votes="best").fit([[1.0, 0.0], [0.0, 1.0]], [[0, 1, 1], [1, 0, 0]])
    assert knn.decision_function([[2.0, 0.0]]).tolist() == [[0.0, 1.0, 0.0]]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_threads_and_company_do_not_change_a_bit(form):
    X, labels = texts(900, 60, 8).toarray(), sparse.csr_array(np.random.default_rng(9).random((900, 4)) < 0.4)
    knn = rb.KNN(20).fit(form(X), labels)
    alone = np.vstack([knn.decision_function(form(X[i : i + 1])) for i in range(0, 900, 90)])
    for threads in (1, 2, None):
        together = knn.set_params(threads=threads).decision_function(form(X))
        assert (together[::90] == alone).all()


def test_many_queries_with_empty_ones_and_many_equals_get_what_each_gets_alone():
    X, queries = texts(500, 40, 13, density=0.3), texts(200, 40, 14, density=0.3).toarray()
    X = sparse.csr_array(sparse.vstack([X, X[[3] * 300]]))
    queries[[5, 70, 199]], queries[80] = 0.0, X[[3]].toarray()
    knn = rb.KNN(10, threads=2).fit(X, sparse.csr_array(np.ones((800, 1))))
    found, cosines = knn.kneighbors(sparse.csr_array(queries))
    for q in range(200):
        one, own = knn.kneighbors(sparse.csr_array(queries[[q]]))
        assert (found[q] == one[0]).all()
        assert (cosines[q] == own[0]).all()
    assert found[5].tolist() == list(range(10))
    assert found[80].tolist() == [3, *range(500, 509)]


def test_dense_estimates_are_within_their_error():
    rng = np.random.default_rng(10)
    for width in (1, 7, 300, 5000):
        points = DensePoints.of(unit_rows(rng.standard_normal((50, width))))
        exact = points.vectors @ points.vectors.T
        estimates = points.vectors.astype(np.float32) @ points.single.T
        assert np.abs(estimates - exact).max() <= points.error()


def test_dense_neighbours_that_single_precision_cannot_tell_apart():
    base = np.random.default_rng(11).standard_normal(30)
    near = base + 1e-5 * np.random.default_rng(12).standard_normal((200, 30))
    wanted = nearest([base.tolist()], near.tolist(), 10)
    found, values = rb.KNN(10).fit(near, sparse.csr_array(np.ones((200, 1)))).kneighbors([base])
    assert found[0].tolist() == [d for _, d in wanted[0]]
    np.testing.assert_allclose(values[0], [value for value, _ in wanted[0]], atol=1e-15)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_learning_in_parts_is_learning_at_once(form):
    X, labels = texts(120, 30, 13).toarray(), sparse.csr_array(np.random.default_rng(14).random((120, 3)) < 0.4)
    whole = rb.KNN(11).fit(form(X), labels)
    parts = rb.KNN(11).partial_fit(form(X[:50]), labels[:50])
    parts.decision_function(form(X))
    parts.partial_fit(form(X[50:51]), labels[50:51]).update(form(X[51:]), labels[51:].toarray())
    assert (parts.decision_function(form(X)) == whole.decision_function(form(X))).all()
    assert sparse.issparse(parts.predict(form(X)))


def test_parts_of_a_single_label_y_may_lack_classes():
    X, y = texts(60, 20, 15), np.array(["a", "b", "c"])[np.arange(60) // 20]
    parts = rb.KNN(5).partial_fit(X[:20], y[:20], classes=["c", "a", "b"]).partial_fit(X[20:], y[20:])
    assert (parts.decision_function(X) == rb.KNN(5).fit(X, y).decision_function(X)).all()
    with pytest.raises(InvalidInput, match=r"not among `classes`: \['d'\]"):
        parts.partial_fit(X[:1], ["d"], classes=["a", "b", "c"])
    assert parts.classes_.tolist() == ["a", "b", "c"], "a batch that is refused leaves no category"
    with pytest.raises(InvalidInput, match="a column of classes, got a matrix of 2 columns"):
        parts.update(X[:1], [[0, 1]])


def test_parts_of_a_label_matrix_have_its_columns():
    X = texts(30, 20, 16)
    knn = rb.KNN(5).fit(X, sparse.csr_array(np.eye(30)[:, :3]))
    with pytest.raises(InvalidInput, match="learned 3 categories, got a matrix of 2"):
        knn.update(X[:1], [[0, 1]])
    with pytest.raises(InvalidInput, match="got a column; give a matrix"):
        knn.update(X[:1], ["a"])


def test_sparse_and_dense_queries_of_either_index():
    X, labels = texts(100, 25, 17), sparse.csr_array(np.random.default_rng(18).random((100, 3)) < 0.5)
    wanted = rb.KNN(8).fit(X, labels).decision_function(X)
    dense = rb.KNN(8).fit(X.toarray(), labels)
    for found in (rb.KNN(8).fit(X, labels).decision_function(X.toarray()), dense.decision_function(X)):
        np.testing.assert_allclose(found, wanted, atol=1e-14)


def test_rows_of_zeros_score_nothing():
    knn = rb.KNN(2).fit(sparse.csr_array([[1.0, 0.0], [0.0, 0.0], [0.0, 2.0]]), sparse.csr_array(np.eye(3)))
    assert knn.decision_function(sparse.csr_array((1, 2))).tolist() == [[0.0, 0.0, 0.0]]
    assert knn.decision_function([[3.0, 0.0]]).tolist() == [[1.0, 0.0, 0.0]]
    assert knn.predict(sparse.csr_array((1, 2))).nnz == 0


def test_lengths_do_not_matter_however_small_or_large():
    X, labels = texts(80, 25, 19), sparse.csr_array(np.random.default_rng(20).random((80, 3)) < 0.5)
    wanted = rb.KNN(8).fit(X, labels).decision_function(X)
    for size in (1e-170, 1e160):
        for form in (sparse.csr_array.toarray, sparse.csr_array):
            found = rb.KNN(8).fit(form(X * size), labels).decision_function(form(X * size))
            np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_empty_one_document_and_full_categories():
    X = texts(50, 20, 21, density=0.5)
    labels = np.zeros((50, 3), bool)
    labels[7, 1], labels[:, 2] = True, True
    knn = rb.KNN(5).fit(X, sparse.csr_array(labels))
    found, near = knn.kneighbors(X)
    scored = knn.decision_function(X)
    assert (scored[:, 0] == 0).all()
    assert np.flatnonzero(scored[:, 1]).tolist() == np.flatnonzero((found == 7).any(axis=1)).tolist()
    np.testing.assert_allclose(scored[:, 2], near.sum(axis=1))


def test_explains_by_the_neighbours_of_the_category():
    X, labels = texts(90, 25, 22), sparse.csr_array(np.random.default_rng(23).random((90, 3)) < 0.5)
    knn = rb.KNN(12).fit(X, labels)
    for reasons, score in zip(knn.explain(X, 1, limit=12), knn.decision_function(X)[:, 1], strict=True):
        assert sum(reason.weight for reason in reasons) == pytest.approx(score)
    row = int(np.flatnonzero(np.diff(X.indptr) * labels.toarray()[:, 1])[0])
    first = knn.explain(X[[row]], 1)[0][0]
    assert (first.source, first.weight, first.detail) == (f"document {row}", pytest.approx(1), "neighbour 1 of 12")


def test_more_neighbours_than_documents_are_all_documents():
    X = texts(6, 10, 24, density=0.5)
    assert rb.KNN(45).fit(X, sparse.csr_array(np.eye(6))).kneighbors(X)[0].shape == (6, 6)
    assert rb.KNN(2).fit(X, sparse.csr_array(np.eye(6))).kneighbors(X, 4)[0].shape == (6, 4)


@pytest.mark.parametrize("k", [0, -1, 2.5, True, "3"])
def test_a_k_that_is_no_number_of_neighbours(k):
    with pytest.raises(InvalidInput, match="k must be a whole number"):
        rb.KNN(k).fit([[1.0], [2.0]], [0, 1])


def test_what_is_learned_is_all_that_scoring_needs():
    X, labels = texts(40, 20, 25), sparse.csr_array(np.random.default_rng(26).random((40, 3)) < 0.5)
    fitted, opened = rb.KNN(7), rb.KNN(7)
    fitted.fit(X, labels)
    for name, value in vars(fitted).items():
        if name.endswith("_"):
            setattr(opened, name, value)
    assert (opened.decision_function(X) == fitted.decision_function(X)).all()


def test_bad_input_is_named():
    with pytest.raises(InvalidInput, match="votes"):
        rb.KNN(votes="most").fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="infinity"):
        rb.KNN().fit([[np.inf], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="0 sample"):
        rb.KNN().fit([[1.0], [2.0]], [0, 1]).kneighbors(sparse.csr_array((0, 1)))


def test_never_documents_times_documents():
    X = sparse.csr_array(sparse.eye_array(300_000, format="csr"))
    knn = rb.KNN(3, threads=2).fit(X, sparse.csr_array(X[:, :4]))
    found, near = knn.kneighbors(X[299_000:])
    assert (found[:, 0] == np.arange(299_000, 300_000)).all()
    assert (found[:, 1:] == [0, 1]).all()
    assert near.tolist() == [[1.0, 0.0, 0.0]] * 1000


def test_simplified_knn_of_yang_and_liu_on_apte_mod(aptemod):
    """yangliu1999, section 5.2: micro-F1 .8140 with the top category only, 2,415 terms, k = 45."""
    vectors = rb.text.Vectors(select="chi2:2415")
    X, queries = vectors.fit_transform(aptemod.train), vectors.transform(aptemod.test)
    knn = rb.KNN(45, votes="best").fit(X, aptemod.train.labels)
    said, truth = knn.predict(queries).toarray(), aptemod.test.labels.toarray()
    tp, fp, fn = (said & truth).sum(axis=0), (said & ~truth).sum(axis=0), (~said & truth).sum(axis=0)
    counts = Counts(tp, fp, fn, len(said) - tp - fp - fn)
    assert micro(f1, counts) == pytest.approx(0.8140, abs=0.005)
    exact = (queries[::40] @ X.T).toarray()
    found, near = knn.kneighbors(queries[::40])
    assert (found == np.argsort(-exact, axis=1, kind="stable")[:, :45]).all()
    np.testing.assert_allclose(near, np.take_along_axis(exact, found, axis=1), atol=1e-14)
