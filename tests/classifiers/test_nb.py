"""Naive Bayes: the formulas, scikit-learn's numbers, exact updates, and what happens at the edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.stats import rankdata
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from tests.oracles.nb import mixture_log_odds, rest_log_odds

import rubricate as rb
from rubricate.classifiers.nb import NEVER, log_odds
from rubricate.errors import InvalidInput, UnknownName
from rubricate.measures import micro
from rubricate.measures.contingency import f1
from rubricate.types import Counts

pytestmark = pytest.mark.slow

PEERS = {"multinomial": MultinomialNB, "bernoulli": BernoulliNB, "complement": ComplementNB}
MODELS = pytest.mark.parametrize("model", PEERS)
WAYS = pytest.mark.parametrize("against", ["categories", "rest"])


@st.composite
def counted(draw):
    """Counts and labels; every category has a document inside and one outside."""
    documents, terms, categories = draw(st.integers(2, 12)), draw(st.integers(1, 6)), draw(st.integers(2, 4))
    X = draw(arrays(float, (documents, terms), elements=st.sampled_from([0.0, 0.0, 1.0, 2.0, 5.0, 0.5])))
    Y = draw(arrays(bool, (documents, categories)))
    Y[0], Y[1] = True, False
    return X, Y, draw(st.sampled_from([1.0, 0.1, 2.5]))


def stories(documents=150, terms=60, categories=5, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.random((documents, categories)) < 0.3
    labels[0], labels[1] = True, False
    return rng.poisson(0.2 + labels @ rng.random((categories, terms))).astype(float), labels


@MODELS
@given(data=counted())
def test_the_formulas_of_one_mixture(model, data):
    X, Y, alpha = data
    found = rb.NB(model, alpha=alpha).fit(X, sparse.csr_array(Y)).decision_function(X)
    wanted = [mixture_log_odds(x, X.tolist(), Y.tolist(), alpha, model) for x in X.tolist()]
    np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-11)


@MODELS
@given(data=counted())
def test_the_formulas_against_the_rest(model, data):
    X, Y, alpha = data
    found = rb.NB(model, alpha=alpha, against="rest").fit(X, sparse.csr_array(Y)).decision_function(X)
    wanted = [rest_log_odds(x, X.tolist(), Y.tolist(), alpha, model) for x in X.tolist()]
    np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-11)


@MODELS
@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_single_label_y_as_scikit_learn(model, classes, weighted):
    X, _ = stories()
    rng = np.random.default_rng(1)
    y, weights = np.array(list("abcde"))[rng.integers(0, classes, 150)], rng.random(150) if weighted else None
    ours, peer = rb.NB(model, alpha=0.3).fit(X, y, weights), PEERS[model](alpha=0.3).fit(X, y, weights)
    np.testing.assert_allclose(ours.predict_log_proba(X), peer.predict_log_proba(X), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), rtol=1e-9, atol=1e-15)
    assert (ours.predict(X) == peer.predict(X)).all()


@MODELS
@pytest.mark.parametrize("prior", ["empirical", "uniform"])
def test_labels_against_the_rest_as_scikit_learn(model, prior):
    X, labels = stories(seed=2)
    free = {} if model == "complement" else {"fit_prior": prior == "empirical"}
    peer = OneVsRestClassifier(PEERS[model](alpha=0.7, **free)).fit(X, labels.astype(int))
    ours = rb.NB(model, alpha=0.7, against="rest", prior=prior).fit(X, labels.astype(int))
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), rtol=1e-9, atol=1e-15)
    assert (ours.predict(X) == peer.predict(X)).all()


def test_a_single_label_y_against_the_rest_as_scikit_learn():
    X, _ = stories(seed=3)
    y = np.random.default_rng(4).integers(0, 4, 150)
    peer = OneVsRestClassifier(MultinomialNB()).fit(X, y)
    ours = rb.NB(against="rest").fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), rtol=1e-9)
    np.testing.assert_allclose(np.exp(ours.predict_log_proba(X)), peer.predict_proba(X), rtol=1e-9)
    assert (ours.predict(X) == peer.predict(X)).all()


def test_given_priors_as_scikit_learn():
    X, _ = stories(seed=5)
    y = np.random.default_rng(6).integers(0, 3, 150)
    prior = [0.5, 0.3, 0.2]
    peer = MultinomialNB(class_prior=prior).fit(X, y)
    np.testing.assert_allclose(rb.NB(prior=prior).fit(X, y).predict_proba(X), peer.predict_proba(X), rtol=1e-9)
    flat = MultinomialNB(fit_prior=False).fit(X, y)
    np.testing.assert_allclose(rb.NB(prior="uniform").fit(X, y).predict_proba(X), flat.predict_proba(X), rtol=1e-9)


def test_given_priors_against_the_rest():
    X, labels = stories(seed=7)
    prior = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    given_odds = rb.NB(against="rest", prior=prior).fit(X, labels.astype(int)).decision_function(X)
    flat = rb.NB(against="rest", prior="uniform").fit(X, labels.astype(int)).decision_function(X)
    np.testing.assert_allclose(given_odds - flat, np.tile(np.log(prior / (1 - prior)), (150, 1)), atol=1e-9)


@MODELS
@WAYS
def test_learning_in_parts_is_learning_at_once(model, against):
    X, labels = stories(seed=8)
    Y = sparse.csr_array(labels)
    whole = rb.NB(model, against=against).fit(X, Y)
    parts = rb.NB(model, against=against).partial_fit(X[:60], Y[:60])
    parts.decision_function(X)
    parts.partial_fit(sparse.csr_array(X[60:61]), Y[60:61]).update(X[61:], Y[61:])
    assert (parts.decision_function(X) == whole.decision_function(X)).all()
    assert (parts.term_counts_ != whole.term_counts_).nnz == 0


def test_parts_with_weights_and_classes_as_scikit_learn():
    X, _ = stories(seed=9)
    rng = np.random.default_rng(10)
    y, weights = np.sort(rng.integers(0, 3, 150)), rng.random(150)
    ours, peer = rb.NB(), MultinomialNB()
    for part in (slice(0, 40), slice(40, 150)):
        ours.partial_fit(X[part], y[part], classes=[0, 1, 2], sample_weight=weights[part])
        peer.partial_fit(X[part], y[part], classes=[0, 1, 2], sample_weight=weights[part])
    np.testing.assert_allclose(ours.predict_log_proba(X), peer.predict_log_proba(X), rtol=1e-10, atol=1e-10)


def test_a_class_announced_but_not_yet_seen_is_never_chosen():
    X, _ = stories(seed=11)
    nb = rb.NB().partial_fit(X, np.arange(150) % 2, classes=[0, 1, 2])
    assert (nb.predict_proba(X)[:, 2] == 0).all()
    assert set(nb.predict(X)) <= {0, 1}


@MODELS
@WAYS
def test_a_weight_of_two_is_two_documents(model, against):
    X, labels = stories(seed=12)
    twice = np.where(np.arange(150) % 3 == 0, 2.0, 1.0)
    rows = np.repeat(np.arange(150), twice.astype(int))
    weighted = rb.NB(model, against=against).fit(X, labels.astype(int), sample_weight=twice)
    repeated = rb.NB(model, against=against).fit(X[rows], labels[rows].astype(int))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=1e-10, atol=1e-10)


@WAYS
def test_log_odds_tell_apart_what_posteriors_round_to_one(against):
    X, labels = stories(seed=13)
    nb = rb.NB(against=against).fit(X, labels.astype(int))
    long = X[:40] * 300
    posteriors, odds = nb.predict_proba(long), nb.decision_function(long)
    certain = posteriors == 1
    assert certain.sum() > 10
    assert len(np.unique(odds[certain])) > 0.9 * certain.sum()
    assert (nb.predict(long) == (posteriors > 0.5)).all()


@given(arrays(float, (3, 4), elements=st.floats(-30, 30)))
def test_log_odds_are_those_of_the_posteriors(joint):
    posteriors = np.exp(joint - joint.max(axis=1, keepdims=True))
    others = posteriors.sum(axis=1, keepdims=True) - posteriors
    safe = others > 1e-3 * posteriors
    np.testing.assert_allclose(log_odds(joint)[safe], np.log(posteriors / np.where(safe, others, 1))[safe], atol=1e-9)


def test_log_odds_of_the_best_keep_their_digits():
    assert log_odds(np.array([[0.0, -800.0]])).tolist() == [[800.0, -800.0]]
    assert log_odds(np.array([[5.0, 5.0, -np.inf]])).tolist() == [[0.0, 0.0, -np.inf]]


@MODELS
@WAYS
def test_an_empty_category_is_never_assigned_and_changes_nothing_else(model, against):
    X, labels = stories(seed=14)
    padded = np.hstack([labels, np.zeros((150, 1), bool)])
    without = rb.NB(model, against=against).fit(X, labels.astype(int)).decision_function(X)
    scored = rb.NB(model, against=against).fit(X, padded.astype(int)).decision_function(X)
    assert (scored[:, 5] == NEVER).all()
    np.testing.assert_allclose(scored[:, :5], without, rtol=1e-9, atol=1e-9)


@MODELS
def test_a_category_of_all_documents(model):
    X, labels = stories(seed=15)
    labels[:, 2] = True
    rest = rb.NB(model, against="rest").fit(X, labels.astype(int))
    assert (rest.decision_function(X)[:, 2] == -NEVER).all()
    assert np.isfinite(rb.NB(model).fit(X, labels.astype(int)).decision_function(X)).all()


@MODELS
def test_one_column_is_scored_against_the_rest(model):
    X, labels = stories(seed=16)
    Y = sparse.csr_array(labels[:, :1])
    alone, rest = rb.NB(model).fit(X, Y), rb.NB(model, against="rest").fit(X, Y)
    assert (alone.decision_function(X) == rest.decision_function(X)).all()


@MODELS
@WAYS
def test_nothing_labelled_assigns_nothing(model, against):
    X, _ = stories(seed=17)
    nb = rb.NB(model, against=against).fit(X, sparse.csr_array((150, 3), dtype=bool))
    assert (nb.decision_function(X) == NEVER).all()
    assert nb.predict(X).nnz == 0


def test_rows_of_zeros_score_by_the_prior():
    X, labels = stories(seed=18)
    nb = rb.NB(against="rest").fit(X, labels.astype(int))
    share = labels.mean(axis=0)
    np.testing.assert_allclose(nb.decision_function(np.zeros((1, 60)))[0], np.log(share / (1 - share)), rtol=1e-12)


def test_a_category_of_one_document_and_opposite_twins():
    X = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0], [0.0, 1.0]])
    nb = rb.NB(against="rest", prior="uniform").fit(X, [[1, 0], [0, 0], [0, 1], [0, 0]])
    odds = nb.decision_function([[1.0, 0.0]])[0]
    assert odds[0] == pytest.approx(np.log((2 / 3) / (2 / 6)))


@MODELS
def test_explains_by_parts_of_the_log_odds(model):
    X, labels = stories(seed=19)
    nb = rb.NB(model, against="rest", prior="uniform").fit(X, labels.astype(int))
    reasons = nb.explain(X, 3, limit=60)
    parts = np.array([sum(reason.weight for reason in row) for row in reasons])
    nothing = nb.decision_function(np.zeros((1, 60)))[0, 3]
    np.testing.assert_allclose(parts + nothing, nb.decision_function(X)[:, 3], rtol=1e-9)
    mixed = rb.NB(model).fit(X, labels.astype(int)).explain(X, 3, limit=60)
    assert mixed == reasons


def test_scores_and_posteriors_rank_alike():
    """What scikit-learn's check_decision_proba_consistency asks, on values that are not negative."""
    rng = np.random.default_rng(20)
    X, y = np.abs(rng.normal(3, 1, (100, 4))), np.arange(100) % 2
    for nb in (rb.NB(model, against=against) for model in PEERS for against in ("categories", "rest")):
        fitted = nb.fit(X, y)
        assert (rankdata(fitted.predict_proba(X)[:, 1]) == rankdata(fitted.decision_function(X))).all()


@MODELS
def test_counts_stay_sparse_where_categories_are_many(model):
    rng = np.random.default_rng(21)
    X = sparse.csr_array(sparse.random_array((400, 200_000), density=1e-4, rng=rng))
    Y = sparse.csr_array((np.ones(400, bool), np.arange(400) % 3000, np.arange(401)), shape=(400, 3000))
    nb = rb.NB(model).fit(X, Y)
    assert nb.term_counts_.nnz <= X.nnz
    assert nb.top(X[:5], 2).values.nnz == 10


@pytest.mark.parametrize("alpha", [0, -1.0, np.nan, np.inf, "1"])
def test_an_alpha_that_cannot_smooth(alpha):
    with pytest.raises(InvalidInput, match=r"alpha must be a number from 1e-100 to 1e\+100"):
        rb.NB(alpha=alpha).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("prior", ["flat", [0.5], [0.0, 1.0], [0.5, np.nan]])
def test_priors_that_are_none(prior):
    with pytest.raises(InvalidInput, match="prior must be"):
        rb.NB(prior=prior).fit([[1.0], [2.0]], [0, 1])


def test_what_is_learned_is_all_that_scoring_needs():
    X, labels = stories(seed=22)
    fitted, opened = rb.NB("bernoulli", against="rest"), rb.NB("bernoulli", against="rest")
    fitted.fit(X, labels.astype(int))
    for name, value in vars(fitted).items():
        if name.endswith("_"):
            setattr(opened, name, value)
    assert (opened.decision_function(X) == fitted.decision_function(X)).all()


def test_bad_input_is_named():
    with pytest.raises(UnknownName, match="Did you mean 'multinomial'"):
        rb.NB("multinomal").fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(UnknownName, match="no against named 'all'"):
        rb.NB(against="all").fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="Negative values"):
        rb.NB().fit([[1.0], [-2.0]], [0, 1])
    fitted = rb.NB().fit([[1.0], [2.0]], [0, 1])
    for wrong in ([[-1.0]], [[np.nan]]):
        with pytest.raises(ValueError, match=r"Negative|NaN"):
            fitted.predict(wrong)
    with pytest.raises(ValueError, match="Negative"):
        fitted.update([[-1.0]], [0])


def _micro_f1(said, truth):
    tp, fp, fn = (said & truth).sum(axis=0), (said & ~truth).sum(axis=0), (~said & truth).sum(axis=0)
    return micro(f1, Counts(tp, fp, fn, len(said) - tp - fp - fn))


def test_bernoulli_scores_what_joachims_reports_on_apte_mod(aptemod):
    """yangliu1999, section 5.2, cite .720 micro-F1 for the Bernoulli model of joachims1998; multinomial is better."""
    vectors = rb.text.Vectors(weights="nnn", select="chi2:2000")
    X, new = vectors.fit_transform(aptemod.train), vectors.transform(aptemod.test)
    truth = aptemod.test.labels.toarray()
    bernoulli = rb.NB("bernoulli").fit(X, aptemod.train.labels)
    assert _micro_f1(bernoulli.predict(new).toarray(), truth) == pytest.approx(0.720, abs=0.005)
    assert _micro_f1(rb.NB().fit(X, aptemod.train.labels).predict(new).toarray(), truth) > 0.78
    peer = OneVsRestClassifier(MultinomialNB()).fit(X, aptemod.train.labels)
    ours = rb.NB(against="rest").fit(X, aptemod.train.labels)
    np.testing.assert_allclose(ours.predict_proba(new), peer.predict_proba(new), rtol=1e-8, atol=1e-14)
