"""The tolerant descent: a parent's error is recovered; chances are of one document alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.classifiers.hierarchical.hierarchies import NAMES, TREE, labelled_graphs, matrix, newswire
from tests.classifiers.hierarchical.test_top_down import margins

import rubricate as rb
from rubricate.errors import InvalidInput


@pytest.mark.slow
def test_children_recover_a_parents_error():
    X, labels = newswire(documents=600, noise=0.4)
    train, new = slice(0, 300), slice(300, 600)
    truth = labels[new].toarray()
    hard = rb.classifiers.TopDown(taxonomy=TREE, categories=NAMES).fit(X[train], labels[train])
    soft = rb.classifiers.Tolerant(taxonomy=TREE, categories=NAMES).fit(X[train], labels[train])
    visited, _ = hard.decide_nodes(X[new])
    lost = 0
    for c, name in enumerate(NAMES):
        if name not in ("crude", "grain"):
            parent = next(p for p, child in TREE if child == name)
            refused = truth[:, c] & ~visited[:, hard.nodes_.index(parent)]
            lost += int((soft.predict(X[new]).toarray()[refused, c]).sum())
    assert lost > 0, "some document that its parent refused is found again"


@pytest.mark.slow
@given(labelled_graphs(), st.integers(0, 1000), st.sampled_from(["product", "mean"]))
def test_chances_are_of_one_document_alone_and_multiply_along_paths(case, seed, combine):
    edges, names, labels = case
    rng = np.random.default_rng(seed)
    model = rb.classifiers.Tolerant(taxonomy=edges, categories=names, slope=2.0, beam=None, combine=combine)
    model.fit(rng.random((12, 5)), matrix(labels, names))
    new = rng.random((4, 5))
    whole = model.predict_proba(new)
    assert ((whole >= 0) & (whole <= 1)).all()
    np.testing.assert_allclose(np.vstack([model.predict_proba(new[[d]]) for d in range(4)]), whole, rtol=1e-12)
    if combine == "product":
        assert ((model.decision_function(new) > 0) == (whole > 0.5)).all()


def test_the_product_of_the_links():
    X, labels = newswire()
    model = rb.classifiers.Tolerant(taxonomy=TREE, categories=NAMES, slope=1.5, beam=None, choose="all").fit(X, labels)
    found = model.predict_proba(X[:7])
    links, stays = margins(model, X[:7])
    sigmoid = {key: 1 / (1 + np.exp(-1.5 * values)) for key, values in {**links, **stays}.items()}
    top = model.nodes_[0]
    np.testing.assert_allclose(found[:, NAMES.index("crude")], sigmoid[top, "crude"] * sigmoid["crude"])
    np.testing.assert_allclose(found[:, NAMES.index("corn")], sigmoid[top, "grain"] * sigmoid["grain", "corn"])
    mean = rb.classifiers.Tolerant(taxonomy=TREE, categories=NAMES, slope=1.5, beam=None, choose="all", combine="mean")
    scores = mean.fit(X, labels).decision_function(X[:7])
    np.testing.assert_allclose(1 / (1 + np.exp(-scores)), np.sqrt(found))
    assert (mean.predict_proba(X[:7]) == found).all()


def test_a_beam_of_all_nodes_changes_nothing_and_a_narrow_one_only_lowers():
    X, labels = newswire()
    full = (
        rb.classifiers.Tolerant(taxonomy=TREE, categories=NAMES, slope=2.0, beam=None).fit(X, labels).predict_proba(X)
    )
    wide = rb.classifiers.Tolerant(taxonomy=TREE, categories=NAMES, slope=2.0, beam=9).fit(X, labels).predict_proba(X)
    thin = rb.classifiers.Tolerant(taxonomy=TREE, categories=NAMES, slope=2.0, beam=1).fit(X, labels).predict_proba(X)
    assert (wide == full).all()
    assert (thin <= full).all()
    assert (thin < full).any()


@pytest.mark.slow
def test_a_flat_hierarchy_decides_as_the_base():
    X, labels = newswire()
    base = rb.SVM(C=2.0, bias="penalised", tol=1e-6)
    flat = base.fit(X, labels).decision_function(X)
    soft = rb.classifiers.Tolerant(base).fit(X, labels).predict(X).toarray()
    clear = np.abs(flat) > 0.01
    assert (soft[clear] == (flat > 0)[clear]).all()


def test_one_label_a_document_makes_the_choices_of_a_node_exclusive():
    X, labels = newswire()
    y = np.array(NAMES)[labels.toarray().argmax(axis=1)]
    model = rb.classifiers.Tolerant(taxonomy=TREE, beam=None).fit(X, y)
    assert model.single_
    np.testing.assert_allclose(np.exp(model._logs(sparse.csr_array(X))).sum(axis=1), 1.0)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.parametrize(
    ("option", "value"), [("combine", "sum"), ("beam", 0), ("slope", -1.0), ("folds", 1), ("choose", "some")]
)
def test_bad_options_are_named(option, value):
    X, labels = newswire()
    with pytest.raises(InvalidInput, match=f"Tolerant: {option} must be"):
        rb.classifiers.Tolerant(**{option: value}).fit(X, labels)
