"""Classifiers that find the best categories by lists of weights: the same as from the scores of all."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse

import rubricate as rb
from rubricate.classifiers import svm_linear as linear_solver
from rubricate.classifiers.base import Scorer, keep_best

CATEGORIES = 300


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(5)
    X = sparse.random_array((600, 80), density=0.15, rng=rng, format="csr")
    return X, np.arange(600) % CATEGORIES


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(linear_solver, "MAX_DENSE_WEIGHTS", 0)


def classifiers():
    return [rb.SVM(threads=1), rb.classifiers.Rocchio(), rb.classifiers.Rocchio(negatives="clip")]


@pytest.mark.slow
@pytest.mark.parametrize("classifier", classifiers(), ids=repr)
@pytest.mark.parametrize("k", [1, 7, CATEGORIES])
def test_top_is_that_of_all_scores(classifier, corpus, k):
    X, y = corpus
    model = classifier.fit(X, y)
    assert model.finds_best(X)
    wanted = keep_best(model.decision_function(X), k)
    best = model.top(X, k)
    assert np.array_equal(best.values.indices, wanted.indices)
    assert np.array_equal(best.values.data, wanted.data)
    assert best.floor == wanted.data.min()


@pytest.mark.parametrize("classifier", classifiers(), ids=repr)
def test_predictions_are_those_of_all_scores(classifier, corpus):
    X, y = corpus
    model = classifier.fit(X, y)
    assert np.array_equal(model.predict(X), model.classes_[np.argmax(model.decision_function(X), axis=1)])


def test_the_number_of_threads_changes_nothing(corpus):
    X, y = corpus
    alone, both = (rb.SVM(threads=n).fit(X, y).top(X, 5).values for n in (1, 2))
    assert np.array_equal(alone.data, both.data)
    assert np.array_equal(alone.indices, both.indices)


def test_lists_follow_the_weights_and_stay_out_of_copies(corpus):
    X, y = corpus
    model = rb.classifiers.Rocchio().fit(X, y)
    model.top(X, 2)
    size = len(pickle.dumps(rb.classifiers.Rocchio().fit(X, y)))
    assert len(pickle.dumps(model)) < size + 200
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.top(X, 2).values.data, model.top(X, 2).values.data)
    model.partial_fit(X[:50], y[::-1][:50])
    assert np.array_equal(model.top(X, 2).values.data, keep_best(model.decision_function(X), 2).data)


def test_few_categories_and_dense_documents_take_the_product(corpus):
    X, y = corpus
    few = rb.classifiers.Rocchio().fit(X, y % 20)
    assert not few.finds_best(X)
    many = rb.classifiers.Rocchio().fit(X, y)
    assert not many.finds_best(X.toarray())
    a, b = many.top(X.toarray(), 4).values, many.top(X, 4).values
    assert np.array_equal(a.indices, b.indices)
    assert np.allclose(a.data, b.data, rtol=1e-12)


def test_the_best_of_scores_that_are_not_finite_are_found_by_sorting():
    scores = np.array([[-np.inf, 1.0, -np.inf], [np.nan, 0.5, 2.0]])
    kept = keep_best(scores, 2)
    assert kept.indices.tolist() == [0, 1, 1, 2]
    assert not Scorer().finds_best(scores)
