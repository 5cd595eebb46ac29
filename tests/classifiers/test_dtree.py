from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import binom
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier
from tests.oracles import trees as slow

import rubricate as rb
from rubricate.classifiers.classic.dtree import DTree
from rubricate.errors import InvalidInput, UnknownName
from rubricate.native.trees import expected_errors
from rubricate.rules.form import All, Not, Word

pytestmark = pytest.mark.slow


def one_column(truth):
    return sparse.csr_array(np.asarray(truth, bool)[:, None])


def nested(tree, node=None):
    """The first tree of a DTree as the oracle's nested tuples."""
    node = int(tree.starts_[0]) if node is None else node
    if tree.asked_[node] < 0:
        return (tree.positives_[node], tree.documents_[node])
    return (int(tree.asked_[node]), nested(tree, tree.present_[node]), nested(tree, tree.without_[node]))


@st.composite
def cases(draw, largest=60):
    """Random words, and a truth that depends on two of them with some noise; whole weights, some of them 0."""
    rng = np.random.default_rng(draw(st.integers(0, 100_000)))
    rows, columns = draw(st.integers(1, largest)), draw(st.integers(1, 12))
    X = (rng.random((rows, columns)) < rng.uniform(0.05, 0.6, columns)).astype(float)
    noise = draw(st.sampled_from([0.0, 0.1, 0.3]))
    truth = ((X[:, 0] > 0) & (X[:, -1] == 0)) ^ (rng.random(rows) < noise)
    weights = rng.integers(0, 4, rows).astype(float) if draw(st.booleans()) else np.ones(rows)
    weights[0] = 1.0
    return X, truth, weights


@given(case=cases(), least=st.sampled_from([1, 2, 5]), confidence=st.sampled_from([0.05, 0.25, 0.5, 1.0]))
def test_c45_agrees_with_the_slow_twin(case, least, confidence):
    X, truth, weights = case
    tree = DTree(min_documents=least, confidence=confidence).fit(X, one_column(truth), weights)
    assert nested(tree) == slow.plain(slow.c45(X, truth, weights, least=least, confidence=confidence))


def test_c45_raises_subtrees_as_the_slow_twin_does(monkeypatch):
    """Noisy data on which many branches are raised, which the twin counts."""
    raised, estimate = [], slow.estimate

    def counting(node, *rest, update):
        before = node.asked
        found = estimate(node, *rest, update=update)
        raised.append(update and node.asked not in (before, -1))
        return found

    monkeypatch.setattr(slow, "estimate", counting)
    rng = np.random.default_rng(5)
    for _ in range(6):
        X = (rng.random((150, 12)) < 0.4).astype(float)
        truth = (X[:, 0] > 0) ^ (rng.random(150) < 0.25)
        tree = DTree(min_documents=1, confidence=0.7).fit(X, one_column(truth))
        assert nested(tree) == slow.plain(slow.c45(X, truth, np.ones(150), least=1, confidence=0.7))
    assert sum(raised) >= 5


@given(case=cases(), least=st.sampled_from([1, 3, 10]))
def test_ind_grows_as_the_slow_twin(case, least):
    X, truth, weights = case
    tree = DTree("ind", min_documents=least).fit(X, one_column(truth), weights)
    assert nested(tree) == slow.plain(slow.ind(X, truth, weights, least=least))


@given(case=cases(largest=25), a=st.sampled_from([0.5, 1.0]), leaf=st.sampled_from([0.1, 0.5, 0.9]))
def test_smoothing_is_the_mean_over_all_prunings(case, a, leaf):
    X, truth, weights = case
    tree = DTree("ind", min_documents=3, alpha=a, leaf_prior=leaf).fit(X, one_column(truth), weights)
    root = slow.ind(X, truth, weights, least=3)
    expected = [slow.averaged(root, x, a, leaf) for x in X]
    np.testing.assert_allclose(tree.decision_function(X)[:, 0], expected, rtol=1e-9)


def test_fractional_weights_count_as_they_are():
    rng = np.random.default_rng(1)
    X = (rng.random((80, 8)) < 0.4).astype(float)
    truth, weights = (X[:, 2] > 0) ^ (rng.random(80) < 0.2), rng.uniform(0.2, 3.0, 80)
    tree = DTree(min_documents=2.5).fit(X, one_column(truth), weights)
    found, expected = nested(tree), slow.plain(slow.c45(X, truth, weights, least=2.5))
    assert _tests(found) == _tests(expected)
    assert len(_tests(found)) > 2
    np.testing.assert_allclose(_leaves(found), _leaves(expected), rtol=1e-9, atol=1e-9)


def _tests(tree):
    return [] if len(tree) == 2 else [tree[0], *_tests(tree[1]), *_tests(tree[2])]


def _leaves(tree):
    return [tree] if len(tree) == 2 else _leaves(tree[1]) + _leaves(tree[2])


def test_expected_errors_are_those_of_quinlan():
    """quinlan1993, section 4.2, prints these U(E, N) for a confidence of .25."""
    for E, N, rate in ((0, 6, 0.206), (0, 9, 0.143), (0, 1, 0.750), (1, 16, 0.157)):
        assert expected_errors(N, E, confidence=0.25, z=0.6925) / N == pytest.approx(rate, abs=5e-4)


def test_expected_errors_come_near_the_exact_binomial_limit():
    """U(E, N) is defined by P(at most E errors | U) = confidence; C4.5 takes an approximation for E > 0."""
    for N, E in ((16, 1), (30, 3), (168, 2), (500, 40)):
        u = expected_errors(N, E, confidence=0.25, z=0.6925) / N
        assert binom.cdf(E, N, u) == pytest.approx(0.25, abs=0.02)


def test_the_tree_of_information_gain_is_that_of_scikit_learn():
    """Entropy is the same criterion; without ties the same splits, hence the same leaves."""
    rng = np.random.default_rng(0)
    X = (rng.random((400, 15)) < rng.uniform(0.1, 0.9, 15)).astype(float)
    truth = (X[:, 0] + X[:, 1] * X[:, 2] + rng.random(400)) > 1.3
    tree = DTree("ind", min_documents=20).fit(X, one_column(truth))
    peer = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=20, random_state=0).fit(X, truth)
    leaves = tree.asked_ < 0
    assert leaves.sum() == peer.get_n_leaves()
    shares = tree.positives_[leaves] / tree.documents_[leaves]
    own = peer.tree_.value[peer.tree_.children_left < 0, 0, 1]
    np.testing.assert_allclose(np.sort(shares), np.sort(own), rtol=1e-12)


def test_a_long_chain_needs_no_recursion():
    """Each document has a word of its own that decides it: the tree is a list of 1,200 tests."""
    n = 1200
    X = sparse.csr_array(sparse.hstack([sparse.eye_array(n), sparse.csr_array((n, 1))]))
    truth = np.arange(n) % 2 == 0
    tree = DTree(min_documents=1, confidence=1.0).fit(X, one_column(truth))
    assert tree.asked_.max() >= n - 3
    assert (tree.predict(X).toarray()[:, 0] == truth).all()
    assert tree.text(0).count("\n") >= n // 2
    assert len(tree.rule_base().rules) > n // 4
    ET.fromstring(tree.svg(0))
    tree.check_state()
    pruned = DTree(min_documents=1).fit(X, one_column(truth))
    assert pruned.decision_function(X).shape == (n, 1)


def test_a_tree_on_one_document():
    for truth in (True, False):
        tree = DTree().fit(sparse.csr_array([[1.0, 0.0]]), one_column([truth]))
        assert nested(tree) == (float(truth), 1.0)
        assert tree.predict([[0.0, 5.0]]).toarray().tolist() == [[truth]]
        assert tree.explain([[1.0, 0.0]], 0) == [[]]
        assert tree.text(0) == f"0: {int(truth)} of 1 documents, {'.67' if truth else '.33'}"


def test_constant_columns_negative_values_and_no_columns_that_split():
    X = np.array([[1.0, -2.0, 0.0], [3.0, -1.0, 0.0], [2.0, 4.0, 0.0], [2.0, 1.0, 0.0]])
    tree = DTree(min_documents=2, confidence=1.0).fit(X, ["a", "a", "b", "b"])
    assert set(tree.asked_.tolist()) == {1, -1}
    assert tree.predict([[9.0, -1.0, 0.0], [0.0, 1.0, 0.0]]).tolist() == ["a", "b"]
    leaf = DTree().fit(X[:, [0, 2]], ["a", "a", "a", "b"])
    assert leaf.asked_.tolist() == [-1, -1]
    assert leaf.predict(X[:, [0, 2]]).tolist() == ["a"] * 4


def test_threads_change_nothing():
    rng = np.random.default_rng(2)
    X, Y = sparse.csr_array((rng.random((300, 40)) < 0.2).astype(float)), rng.random((300, 7)) < 0.3
    one, many = (DTree(threads=t, confidence=0.6).fit(X, Y.astype(int)) for t in (1, None))
    for name in ("starts_", "asked_", "present_", "without_", "positives_", "documents_", "chances_"):
        assert np.array_equal(getattr(one, name), getattr(many, name))


@pytest.fixture(scope="module")
def grains():
    X = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1], [0, 1, 0], [0, 0, 1], [0, 0, 0], [1, 1, 1]] * 5, float)
    truth = (X[:, 0] > 0) & (X[:, 1] == 0)
    return DTree().fit(X, one_column(truth)), X, truth


def test_rules_decide_as_the_tree_does(grains):
    tree, X, truth = grains
    base = tree.rule_base(["wheat", "gold", "a<b"], ["grain"])
    assert [rule.condition for rule in base.rules] == [All((Word("wheat"), Not(Word("gold"))))]
    assert (base.rules[0].category, base.rules[0].positives, base.rules[0].negatives) == ("grain", 10, 0)
    assert (tree.predict(X).toarray()[:, 0] == truth).all()


@given(case=cases())
def test_rules_hold_where_the_tree_assigns(case):
    X, truth, weights = case
    tree = DTree(min_documents=1, confidence=0.8).fit(X, one_column(truth), weights)
    decided = np.zeros(len(X), bool)
    for rule in tree.rule_base().rules:
        parts = rule.condition.conditions if isinstance(rule.condition, All) else (rule.condition,)
        holds = np.ones(len(X), bool)
        for part in parts:
            absent = isinstance(part, Not)
            column = int((part.condition if absent else part).term[1:])
            holds &= (X[:, column] > 0) ^ absent
        decided |= holds
    assert (decided == tree.predict(X).toarray()[:, 0]).all()


def test_the_picture_shows_every_node_and_any_name(grains):
    tree, _, _ = grains
    drawn = ET.fromstring(tree.svg(0, names=["wheat & rye", "gold\x00", "a<b"]))
    said = "".join(drawn.itertext())
    assert "wheat & rye?" in said
    assert "gold\ufffd?" in said
    assert said.count("?") == 2
    assert "10 of 40 documents" in said
    with pytest.raises(InvalidInput, match="2 names for 3 columns"):
        tree.svg(0, names=["a", "b"])
    with pytest.raises(UnknownName, match="no category named 'corn'"):
        tree.text("corn")
    with pytest.raises(InvalidInput, match="category 4 of 1"):
        tree.text(4)


def test_the_explanation_is_the_path(grains):
    tree, _, _ = grains
    (path,) = tree.explain([[1.0, 0.0, 1.0]], 0)
    assert [(step.source, round(step.weight, 3), step.detail) for step in path] == [
        ("not x1", 0.5, "step 2: 10 of 10"),
        ("x0", 0.25, "step 1: 10 of 20"),
    ]


def test_unusable_parameters_are_named():
    X, y = np.eye(4), ["a", "a", "b", "b"]
    for settings, message in (
        ({"style": "cart"}, "no style named 'cart'"),
        ({"min_documents": 0}, "min_documents must be a number from 1e-6 on"),
        ({"confidence": 0}, "confidence must be above 0"),
        ({"alpha": 0}, "alpha must be a number above 0"),
        ({"style": "ind", "leaf_prior": 1}, "leaf_prior must be above 0 and below 1"),
        ({"threads": 0}, "threads must be 1 or more"),
    ):
        with pytest.raises((InvalidInput, UnknownName), match=message):
            DTree(**settings).fit(X, y)


@pytest.mark.parametrize(
    "attribute, change, message",
    [
        ("asked_", lambda a: np.where(a >= 0, 99, a), "beyond the 3"),
        ("present_", np.zeros_like, "after its parent"),
        ("without_", lambda a: a + 1000, "after its parent"),
        ("starts_", lambda a: a[::-1].copy(), "one tree per category"),
        ("starts_", lambda a: a.astype(float), "whole numbers"),
        ("chances_", lambda a: a * np.nan, "finite"),
        ("chances_", lambda a: a[:-1], "differ in length"),
        ("positives_", lambda a: a[:, None], "differ in length"),
    ],
)
def test_a_hostile_state_is_refused(grains, attribute, change, message):
    _, X, truth = grains
    tree = DTree().fit(X, one_column(truth))
    setattr(tree, attribute, change(getattr(tree, attribute)))
    with pytest.raises(ValueError, match=message):
        tree.check_state()


def test_c45_on_reuters(reuters_v3):
    """docs/methods/trees.md: v3 with 1,000 words; .827 with this program, .79 in yang1999, table 6."""
    model = rb.Categorizer(
        "dtree", analyzer=rb.text.Analyzer(), weights="bnn", min_df=2, select="chi2:1000", cut=0.5, folds=0
    )
    assert rb.evaluate(model.fit(reuters_v3.train).run(reuters_v3.test)).micro["f1"] == pytest.approx(0.8268, abs=0.002)


def test_works_by_name_and_is_saved(tmp_path):
    corpus = rb.load("newswire", documents=500)
    model = rb.Categorizer("dtree", weights="bnn", folds=0, cut=0.5).fit(corpus.train)
    again = rb.Categorizer.open(model.save(tmp_path / "trees.rubric"))
    assert again.classify(corpus.test.texts) == model.classify(corpus.test.texts)
    assert rb.evaluate(model.run(corpus.test)).micro["f1"] > 0.5
    reasons = [
        one for answer in model.answers(corpus.test, explain=9) for why in answer.evidence.values() for one in why
    ]
    words = {one.source.removeprefix("not ") for one in reasons}
    assert words <= {*model.representation_.names()}
    assert any(one.source.startswith("not ") for one in reasons)


@pytest.mark.parametrize("show", [lambda tree: tree.text(0), lambda tree: tree.svg(0), lambda tree: tree.rule_base()])
def test_there_is_no_tree_to_show_before_fit(show):
    with pytest.raises(NotFittedError):
        show(rb.classifiers.DTree())
