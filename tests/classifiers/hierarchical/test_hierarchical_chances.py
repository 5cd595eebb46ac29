"""Probabilities of the hierarchical classifiers: of one document alone, consistent with the hierarchy, calibrated."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from tests.classifiers.hierarchical.hierarchies import NAMES, TREE, labelled_graphs, matrix, newswire
from tests.classifiers.hierarchical.test_top_down import margins
from tests.oracles.hierarchical_classifiers import likeliest_path
from tests.tally import count_cases

import rubricate as rb
from rubricate.errors import InvalidInput

pytestmark = pytest.mark.slow

ASKED = {"probability": "sigmoid"}
MODELS = [
    rb.classifiers.TopDown(**ASKED),
    rb.classifiers.Local(**ASKED),
    rb.classifiers.Local(scheme="level", choose="all", **ASKED),
    rb.classifiers.Tolerant(beam=None),
    rb.classifiers.BigBang(**ASKED),
    rb.classifiers.Proximity(),
]


@pytest.fixture(params=MODELS, ids=lambda model: type(model).__name__)
def model(request):
    return clone(request.param)


def placed(model, edges, names):
    return model.set_params(taxonomy=edges, categories=names)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@settings(max_examples=25)
@given(case=labelled_graphs(), seed=st.integers(0, 1000))
def test_chances_are_of_one_document_alone_and_never_less_than_below(model, case, seed):
    edges, names, labels = case
    rng = np.random.default_rng(seed)
    fitted = placed(clone(model), edges, names).fit(rng.random((12, 5)), matrix(labels, names))
    new = rng.random((4, 5))
    own, cover = fitted.predict_proba(new), fitted.coverage_proba(new)
    for whole, ask in ((own, fitted.predict_proba), (cover, fitted.coverage_proba)):
        assert ((whole >= 0) & (whole <= 1)).all()
        np.testing.assert_allclose(np.vstack([ask(new[[d]]) for d in range(4)]), whole, rtol=1e-10, atol=1e-15)
        np.testing.assert_allclose(ask(new[::-1]), whole[::-1], rtol=1e-10, atol=1e-15)
    at = {name: k for k, name in enumerate(fitted.nodes_)}
    for parent, child in edges:
        assert (cover[:, at[parent]] >= cover[:, at[child]] - 1e-12).all(), "a diamond has two parents"
    for c, name in enumerate(names):
        assert (cover[:, at[name]] >= own[:, c] - 1e-12).all()


@given(case=labelled_graphs(), seed=st.integers(0, 1000))
def test_the_chance_of_a_category_is_the_product_on_its_likeliest_path(case, seed):
    edges, names, labels = case
    rng = np.random.default_rng(seed)
    fitted = placed(rb.classifiers.TopDown(**ASKED), edges, names).fit(rng.random((12, 5)), matrix(labels, names))
    new = rng.random((3, 5))
    links, stays = margins(fitted, new)
    found = fitted.predict_proba(new)
    if fitted.single_:
        count_cases(0)
        return
    for d in range(3):
        own = {pair: values[d] for pair, values in links.items()}
        stay = {name: values[d] for name, values in stays.items()}
        certain = certain_links(edges, labels)
        for c, name in enumerate(names):
            expected = likeliest_path(edges, "n0", (own, stay), certain, fitted.slope_, name)
            assert found[d, c] == pytest.approx(max(expected, np.exp(-30.0)), rel=1e-9)
    count_cases()


def certain_links(edges, labels):
    """Links, and categories to stay at, that every document of a node has taken."""
    below = {name: {name} for pair in edges for name in pair}
    for parent, child in sorted(edges, key=lambda pair: -int(pair[1][1:])):
        below[parent] |= below[child]
    covered = {name: {d for d, own in enumerate(labels) if own & inside} for name, inside in below.items()}
    covered["n0"] = set(range(len(labels)))
    links = {(p, c) for p, c in edges if covered[p] and covered[c] == covered[p]}
    return links | {n for n in below if covered[n] and all(n in labels[d] for d in covered[n])}


def test_classes_that_exclude_each_other_sum_to_one(model):
    X, labels = newswire()
    y = np.array(NAMES)[labels.toarray().argmax(axis=1)]
    fitted = model.set_params(taxonomy=TREE).fit(X, y)
    own, cover = fitted.predict_proba(X), fitted.coverage_proba(X)
    np.testing.assert_allclose(own.sum(axis=1), 1.0)
    np.testing.assert_allclose(cover[:, 0], 1.0)
    crude = [fitted.categories_.index(name) for name in NAMES[:3]]
    np.testing.assert_allclose(cover[:, fitted.nodes_.index("crude")], own[:, crude].sum(axis=1))


def test_documents_that_stop_at_an_internal_category_are_likeliest_there(model):
    X, labels = newswire(documents=600, noise=0.05)
    truth = labels.toarray()
    fitted = placed(model, TREE, NAMES).fit(X[:300], labels[:300])
    chances = fitted.predict_proba(X[300:])
    for c in (NAMES.index("crude"), NAMES.index("grain")):
        inside = truth[300:, c]
        assert (chances[inside, c] > 0.5).mean() > 0.75
        assert (chances[~inside, c] < 0.5).mean() > 0.75


def test_chances_are_what_happens(model):
    """The mean chance is within .06 of the frequency, for labels and for coverages; log-loss beats the frequencies."""
    X, labels = newswire(documents=1600, noise=0.4)
    truth = labels.toarray()[800:]
    fitted = placed(model, TREE, NAMES).fit(X[:800], labels[:800])
    chances, cover = fitted.predict_proba(X[800:]), fitted.coverage_proba(X[800:])
    assert np.abs(chances.mean(axis=0) - truth.mean(axis=0)).max() < 0.06
    crude = truth[:, :3].any(axis=1)
    assert abs(cover[:, fitted.nodes_.index("crude")].mean() - crude.mean()) < 0.12
    base = truth.mean(axis=0)
    loss, least = (-np.log(np.where(truth, p, 1 - p).clip(1e-9)).mean() for p in (chances, base))
    assert loss < 0.8 * least


@pytest.mark.parametrize("kind", [rb.classifiers.TopDown, rb.classifiers.Tolerant])
def test_a_chain_of_single_children_costs_no_chance(kind):
    chain = [("top", "c0"), ("top", "other"), *((f"c{k}", f"c{k + 1}") for k in range(30))]
    X = np.vstack([np.eye(2)] * 10)
    y = np.tile([[1, 0], [0, 1]], (10, 1))
    options = ASKED if kind is rb.classifiers.TopDown else {"choose": "all"}
    deep = kind(taxonomy=chain, categories=("c30", "other"), **options).fit(X, np.vstack([y[:-1], [[1, 1]]]))
    flat = kind(taxonomy=chain[:2], categories=("c0", "other"), **options).fit(X, np.vstack([y[:-1], [[1, 1]]]))
    np.testing.assert_allclose(deep.predict_proba(np.eye(2)), flat.predict_proba(np.eye(2)))


def test_probabilities_are_given_on_request_alone():
    X, labels = newswire()
    for kind in (rb.classifiers.TopDown, rb.classifiers.Local, rb.classifiers.BigBang):
        plain = kind(taxonomy=TREE, categories=NAMES).fit(X, labels)
        assert not hasattr(plain, "predict_proba")
        assert not hasattr(plain, "coverage_proba")
        with pytest.raises(InvalidInput, match=f"{kind.__name__}: probability must be False or 'sigmoid'"):
            kind(probability=True).fit(X, labels)
        with pytest.raises(InvalidInput, match=f"{kind.__name__}: folds must be a whole number from 2 on"):
            kind(folds=1).fit(X, labels)


def test_scores_and_decisions_do_not_depend_on_the_request():
    X, labels = newswire()
    for kind in (rb.classifiers.TopDown, rb.classifiers.Local, rb.classifiers.BigBang):
        plain = kind(taxonomy=TREE, categories=NAMES).fit(X, labels)
        asked = kind(taxonomy=TREE, categories=NAMES, **ASKED).fit(X, labels)
        assert (plain.decision_function(X) == asked.decision_function(X)).all()
        assert (plain.predict(X) != asked.predict(X)).nnz == 0


def test_saved_and_opened_with_their_chances(model, tmp_path):
    X, labels = newswire()
    fitted = placed(model, TREE, NAMES).fit(X, labels)
    again = rb.open(rb.save(fitted, tmp_path / "m"))
    assert (again.predict_proba(X) == fitted.predict_proba(X)).all()
    assert (again.coverage_proba(X) == fitted.coverage_proba(X)).all()


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (rb.classifiers.TopDown, "slope_", np.nan),
        (rb.classifiers.Tolerant, "slope_", -1.0),
        (rb.classifiers.Local, "columns_", np.full(6, 99)),
        (rb.classifiers.Proximity, "child_ids_", np.zeros(6, np.int64)),
        (rb.classifiers.BigBang, "asked_", np.full(8, -1)),
        (rb.classifiers.BigBang, "coverage_sigmoid_", np.zeros((2, 1))),
    ],
)
def test_a_state_that_does_not_fit_is_refused(kind, name, value):
    X, labels = newswire(documents=60)
    options = {} if kind in (rb.classifiers.Tolerant, rb.classifiers.Proximity) else ASKED
    fitted = kind(taxonomy=TREE, categories=NAMES, **options).fit(X, labels)
    fitted.check_state()
    assert hasattr(fitted, name)
    setattr(fitted, name, value)
    with pytest.raises(ValueError, match=r"fit together|downwards|slope"):
        fitted.check_state()


# ---------------------------------------------------------------- sample weights


def sharp(model):
    return model.set_params(base=rb.SVM(C=2.0, bias="penalised", tol=1e-9))


def test_a_document_that_weighs_nothing_is_as_if_it_were_not_there(model):
    X, labels = newswire(documents=120)
    weights = np.where(np.arange(120) % 4 == 0, 0.0, 1.5)
    kept = np.flatnonzero(weights)
    with_zeros = placed(clone(model), TREE, NAMES).fit(X, labels, weights)
    without = placed(clone(model), TREE, NAMES).fit(X[kept], labels[kept], weights[kept])
    assert (with_zeros.decision_function(X) == without.decision_function(X)).all()
    with pytest.raises(ValueError, match="at least one non-zero"):
        placed(clone(model), TREE, NAMES).fit(X, labels, np.zeros(120))


def test_weight_two_is_the_document_twice():
    X, labels = newswire(documents=120)
    weights = np.where(np.arange(120) % 3 == 0, 2.0, 1.0)
    order = np.repeat(np.arange(120), weights.astype(int))
    for model in (
        rb.classifiers.TopDown(),
        rb.classifiers.Local(),
        rb.classifiers.BigBang(),
        rb.classifiers.Tolerant(slope=1.0),
        rb.classifiers.Proximity(slope=1.0),
    ):
        weighed = placed(sharp(clone(model)), TREE, NAMES).fit(X, labels, weights)
        repeated = placed(sharp(clone(model)), TREE, NAMES).fit(X[order], labels[order])
        np.testing.assert_allclose(weighed.decision_function(X), repeated.decision_function(X), atol=2e-3)


def test_any_base_gets_the_weights_or_says_no():
    X, labels = newswire(documents=120)
    weights = np.random.default_rng(0).random(120) + 0.1
    even = rb.classifiers.TopDown(rb.NB(), taxonomy=TREE, categories=NAMES).fit(X, labels).decision_function(X)
    odd = rb.classifiers.TopDown(rb.NB(), taxonomy=TREE, categories=NAMES).fit(X, labels, weights).decision_function(X)
    assert (even != odd).any()
    with pytest.raises(InvalidInput, match="KNeighborsClassifier takes no sample weights; leave them out"):
        rb.classifiers.TopDown(KNeighborsClassifier(), taxonomy=TREE, categories=NAMES).fit(X, labels, weights)


# ---------------------------------------------------------------- contested documents


def test_contested_documents_are_positive_and_negative():
    """A document under both parents, labelled with the child of one and the other parent."""
    labels = sparse.csr_array(matrix([{"ship", "grain"}, {"crude", "grain"}, {"nat-gas"}, {"corn"}] * 5, NAMES))
    X = np.vstack([np.eye(4)] * 5)
    plain = rb.classifiers.TopDown(taxonomy=TREE, categories=NAMES).fit(X, labels)
    both = rb.classifiers.TopDown(taxonomy=TREE, categories=NAMES, contested=True).fit(X, labels)
    link = {(p, c): k for k, (p, c) in enumerate([(both.nodes_[0], "crude"), (both.nodes_[0], "grain")])}
    scores = {name: margins(one, X[:4])[0] for name, one in (("plain", plain), ("both", both))}
    for pair in link:
        assert scores["plain"][pair][0] > 0.5, "in the coverage of both"
    assert scores["both"][both.nodes_[0], "crude"][0] == pytest.approx(0.0, abs=0.35), "ship is not crude itself"
    assert scores["both"][both.nodes_[0], "crude"][1] > 0.5, "labelled crude itself"
    assert scores["both"][both.nodes_[0], "grain"][:2].min() > 0.5, "labelled grain itself"
