"""CLASSI: the terms it chooses, what it learns, its edges, and Reuters."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.feature_selection import chi2
from tests.oracles.perceptron import correlation as slow_correlation
from tests.oracles.perceptron import perceptron

import rubricate as rb
from rubricate.classifiers.category_terms import chosen_terms, correlation
from rubricate.errors import InvalidInput, UnknownName
from rubricate.measures import break_even_point, pooled_sweep

PROBLEMS = st.tuples(st.integers(1, 9), st.integers(1, 5), st.integers(1, 3)).flatmap(
    lambda n: st.tuples(
        arrays(bool, n[:2]),
        arrays(bool, (n[0], n[2])),
        arrays(float, n[0], elements=st.sampled_from([1.0, 2.0, 0.5])),
    )
)


@given(PROBLEMS)
def test_the_correlation_agrees_with_its_four_counts(problem):
    has, labels, weights = problem
    found = correlation(sparse.csr_array(3.0 * has), sparse.csr_array(labels), weights)
    wanted = slow_correlation(has, labels, weights)
    met = labels.T.astype(int) @ has > 0
    np.testing.assert_allclose(found.toarray()[met], wanted[met], atol=1e-9)
    assert (wanted[~met] <= 1e-12).all()


def test_its_square_is_chi_square():
    """scikit-learn's chi2 sums over the classes of a term's presence only; with absence beside it, the same number."""
    rng = np.random.default_rng(0)
    has, y = rng.random((60, 7)) < 0.4, rng.random(60) < 0.3
    found = correlation(sparse.csr_array(has), sparse.csr_array(y[:, None])).toarray()[0]
    present, _ = chi2(has, y)
    absent, _ = chi2(~has, y)
    np.testing.assert_allclose(found**2, present + absent)


def test_terms_that_speak_against_are_not_chosen():
    X = sparse.csr_array([[1, 0, 1, 1], [1, 0, 1, 0], [0, 1, 1, 1], [0, 1, 1, 1]])
    found = correlation(X, sparse.csr_array([[1, 0], [1, 0], [0, 0], [0, 0]], dtype=bool))
    assert [terms.tolist() for terms in chosen_terms(found, 9)] == [[0, 2], []]
    assert chosen_terms(found, 1)[0].tolist() == [0]


@pytest.mark.parametrize("kept", ["average", "pocket", "last"])
def test_is_the_perceptron_of_the_chosen_terms(kept):
    rng = np.random.default_rng(2)
    X, Y = rng.random((30, 12)) * (rng.random((30, 12)) < 0.5), rng.random((30, 3)) < 0.4
    model = rb.classifiers.CLASSI(4, kept=kept, epochs=7, margin=0.2, engine="serial").fit(X, sparse.csr_array(Y))
    scaled = X / np.sqrt((X**2).sum() / len(X))
    orders = [np.random.default_rng((0, epoch)).permutation(30) for epoch in range(7)]
    scores = model.decision_function(X)
    for c in range(3):
        worth = slow_correlation(X > 0, Y, np.ones(30))[c]
        chosen = [t for t in np.argsort(-worth, kind="stable")[:4] if worth[t] >= 0]
        y = np.where(Y[:, c], 1.0, -1.0)
        w, passes = perceptron(scaled[:, chosen], y, np.ones(30), orders, margin=0.2, kept=kept)
        np.testing.assert_allclose(scores[:, c], scaled[:, chosen] @ w[:-1] + w[-1])
        assert model.passes_[c] == passes


def test_separable_documents_are_learned_without_error():
    X, y = np.repeat(np.eye(3), 5, axis=0), np.repeat(["a", "b", "c"], 5)
    for kept in ("pocket", "last", "average"):
        model = rb.classifiers.CLASSI(kept=kept).fit(X, y)
        assert (model.predict(X) == y).all()
    assert (model.passes_ < 30).all()


def test_edges():
    X = sparse.csr_array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    Y = sparse.csr_array([[1, 0, 1], [0, 0, 1], [0, 0, 1]])
    model = rb.classifiers.CLASSI().fit(X, Y)
    assert model.coef_[[1]].nnz == 0
    assert model.intercept_[1] < 0
    assert (model.predict(X).toarray()[:, 1:] == [False, True]).all()
    np.testing.assert_allclose(model.decision_function(sparse.csr_array((1, 2)))[0], model.intercept_)
    one = rb.classifiers.CLASSI().fit([[1.0, 2.0]], sparse.csr_array([[1, 0]]))
    assert one.predict([[1.0, 2.0]]).toarray().tolist() == [[True, False]]


def test_documents_of_no_weight_are_left_out():
    rng = np.random.default_rng(5)
    X, Y, weights = rng.random((20, 6)), rng.random((20, 2)) < 0.5, (rng.random(20) < 0.7) * 1.0
    model = rb.classifiers.CLASSI(epochs=3).fit(X, Y.astype(int), sample_weight=weights)
    other = np.where(weights[:, None] > 0, X, 9.0)
    again = rb.classifiers.CLASSI(epochs=3).fit(other, Y.astype(int), sample_weight=weights)
    np.testing.assert_allclose(model.decision_function(X), again.decision_function(X))


def test_engines_and_scales_do_not_matter():
    rng = np.random.default_rng(1)
    X, Y = (
        sparse.random_array((40, 15), density=0.3, rng=rng, format="csr"),
        sparse.csr_array(rng.random((40, 4)) < 0.3),
    )
    scores = rb.classifiers.CLASSI(5, engine="serial").fit(X, Y).decision_function(X)
    assert (rb.classifiers.CLASSI(5, engine="threads").fit(X, Y).decision_function(X) == scores).all()
    np.testing.assert_allclose(rb.classifiers.CLASSI(5).fit(8 * X, Y).decision_function(8 * X), scores)


def test_evidence_adds_up_to_the_score():
    rng = np.random.default_rng(0)
    X, Y = sparse.random_array((20, 8), density=0.5, rng=rng, format="csr"), rng.random((20, 2)) < 0.5
    model = rb.classifiers.CLASSI().fit(X, sparse.csr_array(Y))
    added = [sum(reason.weight for reason in one) for one in model.explain(X, 1, limit=8)]
    np.testing.assert_allclose(added + model.intercept_[1], model.decision_function(X)[:, 1])


@pytest.mark.parametrize("size", [1e-300, 1e160, 1e300])
def test_the_size_of_the_values_does_not_matter(size):
    X = np.random.default_rng(0).poisson(0.4, (60, 8)).astype(float)
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] > X[:, 2]])
    plain, scaled = rb.classifiers.CLASSI().fit(X, Y), rb.classifiers.CLASSI().fit(X * size, Y)
    np.testing.assert_allclose(scaled.decision_function(X * size), plain.decision_function(X), rtol=1e-9)


def test_bad_options_are_named():
    X, y = np.eye(2), [0, 1]
    for name in ("terms", "epochs"):
        with pytest.raises(InvalidInput, match=f"{name} must be a whole number from 1 on.*got 0"):
            rb.classifiers.CLASSI(**{name: 0}).fit(X, y)
    with pytest.raises(InvalidInput, match="margin must be a number of 0 or more"):
        rb.classifiers.CLASSI(margin=-1).fit(X, y)
    for seed in (-1, "abc", None):
        with pytest.raises(InvalidInput, match="CLASSI: seed must be a whole number from 0 on; got"):
            rb.classifiers.CLASSI(seed=seed).fit(X, y)
    with pytest.raises(UnknownName, match="Did you mean 'average'"):
        rb.classifiers.CLASSI(kept="averaged").fit(X, y)


@pytest.mark.slow
def test_reuters_training_documents_in_seconds(reuters_v3):
    """Half of the training documents of v3 judged by the other half; yang1999, table 6, has .80 for test documents."""
    half = np.arange(len(reuters_v3.train)) % 2 == 0
    learn, held = reuters_v3.train.take(np.flatnonzero(half)), reuters_v3.train.take(np.flatnonzero(~half))
    vectors = rb.text.Vectors()
    X, began = vectors.fit_transform(learn), time.process_time()
    model = rb.classifiers.CLASSI(engine="serial").fit(X, learn.labels)
    assert time.process_time() - began < 10
    scores = model.decision_function(vectors.transform(held))
    assert break_even_point(pooled_sweep(scores, held.labels).counts).value > 0.82
