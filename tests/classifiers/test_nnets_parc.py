"""NNets.PARC: its inputs, its networks as NNet would train them, explanations, edges, and Reuters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse
from tests.damaged import write_damaged

import rubricate as rb
from rubricate.classifiers.category_terms import chosen_terms, relevancy
from rubricate.classifiers.latent import directions
from rubricate.errors import InvalidFile, InvalidInput, UnknownName
from rubricate.measures import break_even_point, pooled_sweep

pytestmark = pytest.mark.slow

WAYS = pytest.mark.parametrize(
    ("inputs", "size", "hidden"), [("lsi", 4, 0), ("local", 3, 2), ("relevancy", 5, 0), ("correlation", 5, 3)]
)


@pytest.fixture(scope="module")
def documents():
    rng = np.random.default_rng(7)
    labels = rng.random((120, 4)) < [0.5, 0.3, 0.2, 0.1]
    labels[:4] = np.eye(4, dtype=bool)
    rates = np.hstack([0.1 + labels @ np.kron(np.eye(4), np.full((1, 4), 2.0)), np.full((120, 8), 0.5)])
    return sparse.csr_array(rng.poisson(rates).astype(float)), sparse.csr_array(labels)


def test_relevancy_by_hand():
    """wiener1995: ln((share of the topic's documents with the term + 1/6) / (share of the others + 1/6))."""
    X, Y = sparse.csr_array([[1, 0], [1, 2], [0, 3], [5, 1]]), sparse.csr_array([[1], [1], [1], [0]], dtype=bool)
    wanted = [[math.log((2 / 3 + 1 / 6) / (1 + 1 / 6)), math.log((2 / 3 + 1 / 6) / (1 + 1 / 6))]]
    np.testing.assert_allclose(relevancy(X, Y).toarray(), wanted)
    assert chosen_terms(relevancy(X, Y), 5)[0].tolist() == []


def test_latent_inputs_are_the_singular_vectors(documents):
    X, Y = documents
    model = rb.classifiers.NNetsPARC(size=4, epochs=3).fit(X, Y)
    V = np.linalg.svd(X.toarray())[2][:4].T
    np.testing.assert_allclose(np.abs(np.sum(model.directions_ * V, axis=0)), 1, atol=1e-6)
    wide = rb.classifiers.NNetsPARC(size=4, epochs=3).fit(X[:10], Y[:10])
    V = np.linalg.svd(X[:10].toarray())[2][:4].T
    np.testing.assert_allclose(np.abs(np.sum(wide.directions_ * V, axis=0)), 1, atol=1e-6)


def test_local_inputs_are_the_singular_vectors_of_a_region(documents):
    """A region: the documents of the category and as many others, those whose terms speak most for it."""
    X, Y = documents
    model = rb.classifiers.NNetsPARC(inputs="local", size=3, terms=6, epochs=2).fit(X, Y)
    worth = relevancy(X, Y)
    for c in range(4):
        terms = chosen_terms(worth, 6)[c]
        own, known = X.toarray()[:, terms], Y.toarray()[:, c]
        speaking = (own != 0) @ worth.toarray()[c, terms]
        others = sorted(np.flatnonzero(~known), key=lambda row: (-speaking[row], row))[: max(known.sum(), 3)]
        V = np.linalg.svd(own[[*np.flatnonzero(known), *others]])[2][:3].T
        np.testing.assert_allclose(np.abs(np.sum(model.local_[c] * V, axis=0)), 1, atol=1e-6)
        assert model.inputs_[[c]].indices.tolist() == terms.tolist()


def test_weights_decompose_as_copies_do(documents):
    X, Y = documents
    weights = np.arange(120) % 3
    rows = np.repeat(np.arange(120), weights)
    weighted = rb.classifiers.NNetsPARC(size=3, epochs=1).fit(X, Y, sample_weight=weights).directions_
    np.testing.assert_allclose(
        weighted, rb.classifiers.NNetsPARC(size=3, epochs=1).fit(X[rows], Y[rows]).directions_, atol=1e-8
    )


def test_networks_are_those_of_nnet(documents):
    X, Y = documents
    model = rb.classifiers.NNetsPARC(2, size=4, epochs=20, seed=3).fit(X, Y)
    twin = rb.NNet(2, outputs="separate", epochs=20, seed=3).fit(X @ model.directions_, Y)
    assert (model.decision_function(X) == twin.decision_function(X @ model.directions_)).all()
    model = rb.classifiers.NNetsPARC(2, inputs="correlation", size=4, epochs=20).fit(X, Y)
    for c in range(4):
        terms = model.inputs_[[c]].indices
        twin = rb.NNet(2, epochs=20).fit(X[:, terms], Y[:, [c]])
        np.testing.assert_allclose(model.decision_function(X)[:, c], twin.decision_function(X[:, terms])[:, 0])


@WAYS
def test_evidence_is_the_gradient_times_the_input(documents, inputs, size, hidden):
    X, Y = documents
    model = rb.classifiers.NNetsPARC(hidden, inputs=inputs, size=size, epochs=10).fit(X, Y)
    row, step = X[[0]].toarray(), 1e-4
    found = {reason.source: reason.weight for reason in model.explain(row, 1, limit=99)[0]}
    for t in np.flatnonzero(row[0]):
        moved = np.repeat(row, 2, axis=0)
        moved[:, t] += [step, -step]
        slope = np.diff(model.decision_function(moved)[::-1, 1])[0] / (2 * step)
        assert found.get(f"x{t}", 0.0) == pytest.approx(slope * row[0, t], rel=1e-3, abs=1e-5)


@WAYS
def test_learns_on_any_engine_and_from_file(documents, inputs, size, hidden, tmp_path):
    X, Y = documents
    model = rb.classifiers.NNetsPARC(hidden, inputs=inputs, size=size, epochs=40, engine="serial").fit(X, Y)
    scores, truth = model.decision_function(X), Y.toarray()
    assert all((scores[truth[:, c], c][:, None] > scores[~truth[:, c], c]).mean() > 0.85 for c in range(4))
    threads = rb.classifiers.NNetsPARC(hidden, inputs=inputs, size=size, epochs=40, engine="threads").fit(X, Y)
    assert (threads.decision_function(X) == scores).all()
    assert (rb.open(rb.save(model, tmp_path / "m")).decision_function(X) == scores).all()


@WAYS
def test_edges(documents, inputs, size, hidden):
    X, Y = documents
    model = rb.classifiers.NNetsPARC(hidden, inputs=inputs, size=size, epochs=5)
    empty = sparse.csr_array(sparse.hstack([Y, sparse.csr_array((120, 1), dtype=bool)]))
    scores = model.fit(X, empty).decision_function(sparse.csr_array(sparse.vstack([X, sparse.csr_array((1, 24))])))
    assert np.isfinite(scores).all()
    assert (scores[:, 4] < 0).all()
    if inputs != "lsi":
        assert model.networks_[4] is None
        assert (scores[:, 4] == model.floor_).all()
        assert model.floor_ == pytest.approx(math.log(0.5 / 120.5))
        assert model.explain(X[:1], 4) == [[]]
    assert np.isfinite(model.fit([[1.0, 0.0]], sparse.csr_array([[1, 0]])).decision_function([[0.0, 1.0]])).all()
    assert np.isfinite(model.fit(np.zeros((3, 2)), ["a", "b", "a"]).decision_function([[1.0, 1.0]])).all()


@pytest.mark.parametrize(
    ("inputs", "part"),
    [("lsi", "directions_"), ("relevancy", "inputs_"), ("relevancy", "networks_"), ("local", "local_")],
)
def test_a_model_of_other_shapes_is_refused(documents, inputs, part, tmp_path):
    model = rb.classifiers.NNetsPARC(inputs=inputs, size=3, epochs=2).fit(*documents)
    setattr(model, part, getattr(model, part)[:-1])
    path = write_damaged(model, tmp_path / "m")
    with pytest.raises(InvalidFile):
        rb.open(path)


def test_a_network_missing_from_a_file_is_refused(documents, tmp_path):
    model = rb.classifiers.NNetsPARC(size=3, epochs=2).fit(*documents)
    model.networks_ = (None,)
    path = write_damaged(model, tmp_path / "m")
    with pytest.raises(InvalidFile):
        rb.open(path)


def test_huge_values_have_the_same_latent_dimensions():
    X = sparse.csr_array(np.random.default_rng(0).poisson(0.4, (60, 30)).astype(float))
    for size in (2.0**-900, 2.0**900):
        np.testing.assert_array_equal(directions(X * size, 5), directions(X, 5))


def test_bad_options_are_named(documents):
    with pytest.raises(UnknownName, match="Did you mean 'lsi'"):
        rb.classifiers.NNetsPARC(inputs="lsa").fit(*documents)
    with pytest.raises(InvalidInput, match="size must be a whole number from 1 on; got 0"):
        rb.classifiers.NNetsPARC(size=0).fit(*documents)
    with pytest.raises(InvalidInput, match="hidden must be a whole number from 0 on"):
        rb.classifiers.NNetsPARC(-1).fit(*documents)
    for bad in ({"seed": -1}, {"hidden": True}, {"rate": 0}):
        with pytest.raises(InvalidInput, match=f"NNetsPARC: {next(iter(bad))} must be"):
            rb.classifiers.NNetsPARC(**bad).fit(*documents)


def test_reuters_training_documents(reuters_v3):
    """A half of the training documents of v3 in ten topics judged by the other half."""
    half = np.arange(len(reuters_v3.train)) % 2 == 0
    learn, held = reuters_v3.train.take(np.flatnonzero(half)), reuters_v3.train.take(np.flatnonzero(~half))
    top = np.argsort(-np.asarray(learn.labels.sum(axis=0)).ravel(), kind="stable")[:10]
    vectors = rb.text.Vectors()
    model = rb.classifiers.NNetsPARC(size=50, epochs=15, engine="serial").fit(
        vectors.fit_transform(learn), learn.labels[:, top]
    )
    scores = model.decision_function(vectors.transform(held))
    assert break_even_point(pooled_sweep(scores, held.labels[:, top]).counts).value > 0.85
