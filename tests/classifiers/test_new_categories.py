"""Batches that bring new categories: the oracle is one fit with all documents on the same vectors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import rubricate as rb
from rubricate import registry
from rubricate.errors import InvalidInput

LEARNERS = [name for name in registry.names("classifiers") if registry.load("classifiers", name).learns_on]
CASES = [
    *((name, {}) for name in LEARNERS),
    *(("nb", {"model": model, "against": "rest"}) for model in ("multinomial", "bernoulli", "complement")),
    ("nb", {"model": "bernoulli"}),
    ("nb", {"prior": "uniform"}),
    ("knn", {"votes": "best", "k": 5}),
    ("rocchio", {"negatives": "clip"}),
]
UNLIKE = 40
"""From this document on there are categories that no document had before."""


def learner(name, options):
    return registry.load("classifiers", name)(**options)


@pytest.fixture(scope="module")
def counted():
    rng = np.random.default_rng(0)
    return sparse.csr_array(rng.poisson(0.4, (90, 25)).astype(float))


def test_the_classifiers_that_learn_on_are_known():
    assert sorted(LEARNERS) == ["experts", "knn", "nb", "rocchio"]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), CASES)
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_array.toarray])
def test_new_columns_are_as_if_known_from_the_start(counted, name, options, form):
    Y = np.random.default_rng(1).random((90, 5)) < 0.3
    Y[:UNLIKE, 3:] = False
    X, whole = form(counted), learner(name, options).fit(form(counted), sparse.csr_array(Y))
    parts = learner(name, options).partial_fit(X[:UNLIKE], sparse.csr_array(Y[:UNLIKE, :3]))
    parts.decision_function(X)  # what it makes ready for scores must not outlive the next batch
    parts.partial_fit(X[UNLIKE:], sparse.csr_array(Y[UNLIKE:]))
    assert parts.categories_ == whole.categories_
    np.testing.assert_allclose(parts.decision_function(X), whole.decision_function(X), rtol=1e-12, atol=1e-12)
    assert (parts.predict(X) != whole.predict(X)).nnz == 0
    for row, other in zip(parts.explain(X[:9], "4"), whole.explain(X[:9], "4"), strict=True):
        assert [(each.source, pytest.approx(each.weight)) for each in row] == [(e.source, e.weight) for e in other]


@pytest.mark.parametrize(("name", "options"), CASES)
def test_new_classes_are_as_if_known_from_the_start(counted, name, options):
    y = np.array(["oil", "gold", "corn", "art"])[np.random.default_rng(2).integers(0, 4, 90)]
    y[:UNLIKE] = np.where(np.arange(UNLIKE) % 2, "gold", "oil")
    whole = learner(name, options).fit(counted, y)
    parts = learner(name, options).fit(counted[:UNLIKE], y[:UNLIKE]).partial_fit(counted[UNLIKE:], y[UNLIKE:])
    assert parts.classes_.tolist() == ["gold", "oil", "art", "corn"]
    order = [parts.categories_.index(category) for category in whole.categories_]
    scores = parts.decision_function(counted)
    np.testing.assert_allclose(scores[:, order], whole.decision_function(counted), rtol=1e-12, atol=1e-12)
    assert (parts.predict(counted) == parts.classes_[scores.argmax(axis=1)]).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
def test_one_class_one_document_at_a_time(counted, name):
    """The stream begins with a single class; `fit` would refuse it, for there is nothing to tell apart yet."""
    y = ["tin"] * 3 + ["art"] * 3 + ["tin", "corn"] * 42
    parts = learner(name, {})
    for row, label in enumerate(y):
        parts.partial_fit(counted[[row]], [label])
        assert parts.predict(counted[:4]).shape == (4,)
    whole = learner(name, {}).fit(counted, y)
    order = [parts.categories_.index(category) for category in whole.categories_]
    np.testing.assert_allclose(parts.decision_function(counted)[:, order], whole.decision_function(counted), atol=1e-9)


@pytest.mark.parametrize("name", LEARNERS)
def test_names_of_a_data_frame_decide_the_columns(counted, name):
    frame = pd.DataFrame({"corn": [1, 0, 1], "gold": [0, 1, 1]})
    parts = learner(name, {}).partial_fit(counted[:3], frame)
    parts.partial_fit(counted[3:6], pd.DataFrame({"tin": [1, 0, 0], "corn": [0, 1, 1]}))
    assert parts.categories_ == ("corn", "gold", "tin")
    Y = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 0], [1, 0, 0]]
    whole = learner(name, {}).fit(counted[:6], sparse.csr_array(Y))
    np.testing.assert_allclose(parts.decision_function(counted), whole.decision_function(counted), atol=1e-12)


@pytest.mark.parametrize("name", LEARNERS)
def test_many_classes_among_few_documents_are_no_cause_to_warn(counted, name, recwarn):
    learner(name, {}).fit(counted, np.arange(90) % 30).partial_fit(counted[:30], np.arange(30) + 7)
    assert not recwarn.list


def test_a_given_prior_admits_no_further_category(counted):
    nb = rb.NB(prior=[0.5, 0.5]).fit(counted, np.arange(90) % 2)
    with pytest.raises(InvalidInput, match="or 3 probabilities above 0"):
        nb.partial_fit(counted[:1], [2])
    assert nb.update(counted[:1], [1]).classes_.tolist() == [0, 1], "what is refused leaves no category"
