"""Label trees: machines against scikit-learn, the search against a plain one, damaged files."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import LinearSVC

import rubricate as rb
from rubricate.classifiers.label_tree import LabelTree, centroids_of, grow
from rubricate.errors import InvalidInput
from rubricate.native.label_trees import LabelForest

EPSILON = 1e-3
"""Weight of the second part of the loss, as in native/label_trees.c."""


def corpus(documents=400, categories=40, columns=200, seed=0):
    """Documents of one or two categories, each with words of its own among others."""
    draw = np.random.default_rng(seed)
    words = [draw.choice(columns, 8, replace=False) for _ in range(categories)]
    X, Y = np.zeros((documents, columns)), np.zeros((documents, categories), bool)
    for i in range(documents):
        for c in draw.choice(categories, min(1 + i % 2, categories), replace=False):
            X[i, draw.choice(words[c], 5, replace=False)] += 1
            Y[i, c] = True
        X[i, draw.choice(columns, 4, replace=False)] += 1
    return sparse.csr_array(X / np.linalg.norm(X, axis=1, keepdims=True)), sparse.csr_array(Y)


X, Y = corpus()


@pytest.fixture(scope="module")
def model():
    return LabelTree(trees=2, leaf=6, branch=4).fit(X, Y)


def test_a_leaf_is_scikit_learns_squared_hinge():
    """One node, no prior, a bias that is penalised as LIBLINEAR penalises it: the same weights."""
    ours = LabelTree(trees=1, leaf=100, prior=0, bias=1.0, least=0, tol=1e-6, sweeps=3000).fit(X, Y)
    forest = ours._recall(LabelForest)
    for category in (0, 17):
        y = np.where(Y[:, [category]].toarray().ravel(), 1, -1)
        # LIBLINEAR draws the bias to 0 and ours to −1: compare by the objective of ours, and look around its minimum.
        w, b = weights_of(forest, category, X.shape[1])
        theirs = LinearSVC(loss="squared_hinge", C=1.0, dual=True, tol=1e-8, max_iter=100_000).fit(X, y)
        value = objective(w, b + 1.0, b, y)
        assert value <= objective(theirs.coef_[0], theirs.intercept_[0] + 1.0, theirs.intercept_[0], y) + 1e-4
        for step in np.random.default_rng(0).normal(size=(20, X.shape[1])) * 1e-2:
            assert objective(w + step, b + 1.0, b, y) >= value - 1e-5
        assert all(objective(w, b + 1.0 + move, b + move, y) >= value - 1e-5 for move in (-0.01, 0.01))


def objective(w, from_start, b, y):
    margin = np.maximum(0, 1 - y * (X @ w + b))
    return 0.5 * w @ w + 0.5 * from_start**2 + np.sum(margin**2)


def weights_of(forest, category, columns):
    branch = int(
        np.flatnonzero((forest.targets == category) & np.repeat(forest.leaf, np.diff(forest.branch_starts)))[0]
    )
    node = int(np.searchsorted(forest.branch_starts, branch, side="right")) - 1
    w = np.zeros(columns)
    for entry in range(forest.term_starts[node], forest.term_starts[node + 1]):
        for q in range(forest.weight_starts[entry], forest.weight_starts[entry + 1]):
            if forest.weight_branches[q] == branch - forest.branch_starts[node]:
                w[forest.terms[entry]] += forest.weights[q]
    return w, float(forest.biases[branch])


def plain_scores(model, x):
    """The score of every category, by walking all of every tree."""
    forest = model._recall(LabelForest)
    total = np.zeros(len(model.categories_))
    for root in forest.roots:
        waiting = [(int(root), 0.0)]
        while waiting:
            node, before = waiting.pop()
            first, last = forest.branch_starts[node], forest.branch_starts[node + 1]
            f = forest.biases[first:last].astype(float)
            for entry in range(forest.term_starts[node], forest.term_starts[node + 1]):
                for q in range(forest.weight_starts[entry], forest.weight_starts[entry + 1]):
                    f[forest.weight_branches[q]] += x[forest.terms[entry]] * forest.weights[q]
            loss = np.maximum(0, 1 - f) ** 2 + EPSILON / 2 * (1 - f / (1 + np.abs(f)))
            for target, value in zip(forest.targets[first:last], before - loss, strict=True):
                if forest.leaf[node]:
                    total[target] += np.exp(value) / len(forest.roots)
                else:
                    waiting.append((int(target), value))
    return total


def test_a_wide_beam_scores_as_a_walk_over_all_nodes(model):
    wide = LabelTree(**model.get_params() | {"beam": 1000}).fit(X, Y)
    for i in range(0, 40, 7):
        np.testing.assert_allclose(
            wide.decision_function(X[[i]])[0], plain_scores(wide, X[[i]].toarray()[0]), atol=1e-6
        )


def test_the_search_finds_what_is_there(model):
    best = model.top(X, 2).ranking(2)
    truth = Y.toarray()
    assert np.mean([truth[i, best[i, 0]] for i in range(len(best))]) > 0.95


def test_threads_and_copies_change_nothing(model):
    for other in (LabelTree(trees=2, leaf=6, branch=4, threads=1), LabelTree(trees=2, leaf=6, branch=4, threads=3)):
        again = other.fit(X, Y)
        assert np.array_equal(again.decision_function(X), model.decision_function(X))


def test_weights_are_copies_where_steps_are_small():
    weights = 1.0 + (np.arange(X.shape[0]) % 2)
    rows = np.repeat(np.arange(X.shape[0]), weights.astype(int))
    exact = {"trees": 1, "leaf": 100, "tol": 1e-5, "sweeps": 2000}
    one, other = LabelTree(**exact).fit(X, Y, sample_weight=weights), LabelTree(**exact).fit(X[rows], Y[rows])
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=2e-3)


@given(st.integers(1, 60), st.integers(2, 9), st.integers(1, 12), st.integers(0, 99))
def test_every_category_has_one_leaf(categories, branch, leaf, seed):
    X, Y = corpus(documents=80, categories=categories, columns=60, seed=seed)
    present = np.flatnonzero(Y.sum(axis=0))
    nodes = grow(centroids_of(X, Y, np.ones(80)), present, columns=60, branch=branch, leaf=leaf, seed=seed)
    leaves = [node for node in nodes if not node.children]
    assert sorted(np.concatenate([node.categories for node in leaves])) == sorted(present)
    assert max(len(node.categories) for node in leaves) <= leaf
    for node in nodes:
        sizes = [len(nodes[child].categories) for child in node.children]
        assert not sizes or (sum(sizes) == len(node.categories) and max(sizes) - min(sizes) <= 1)


def test_a_category_without_documents_and_more_categories_than_documents():
    labels = sparse.csr_array(np.hstack([np.zeros((400, 1), bool), Y.toarray()]))
    assert (LabelTree(trees=1).fit(X, labels).decision_function(X)[:, 0] == 0).all()
    few = sparse.csr_array(np.eye(5, 50, dtype=bool))
    assert LabelTree(leaf=2).fit(X[:5], few).top(X[:5], 3).best().tolist() == [0, 1, 2, 3, 4]
    same = sparse.csr_array(np.ones((6, 3)))
    assert np.isfinite(
        LabelTree(leaf=1).fit(same, sparse.csr_array(np.eye(3, dtype=bool).repeat(2, 0))).top(same, 1).values.data
    ).all()


@pytest.mark.parametrize(
    "wrong", [{"trees": 0}, {"leaf": 0}, {"branch": 1}, {"beam": 0}, {"C": 0}, {"C": np.nan}, {"tol": 0}, {"prior": -1}]
)
def test_wrong_settings(wrong):
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        LabelTree(**wrong).fit(X, Y)


@pytest.mark.parametrize(
    "name, place, value",
    [
        ("targets_", 0, 10**6), ("targets_", 0, 0), ("targets_", -1, -1), ("roots_", 0, 10**6), ("terms_", 0, -1),
        ("terms_", 0, 10**6), ("weight_branches_", 0, 500), ("branch_starts_", 1, 10**6), ("term_starts_", 1, -1),
        ("weight_starts_", 1, 10**9), ("weights_", 0, np.nan), ("biases_", 0, np.inf),
    ],
)  # fmt: skip
def test_a_damaged_model_is_refused(name, place, value, model):
    import copy

    damaged = copy.deepcopy(model)
    getattr(damaged, name)[place] = value
    with pytest.raises(ValueError, match=r"\w_ |a child|biases_"):
        damaged.check_state()


def test_a_model_file_keeps_it(tmp_path):
    texts = ["wheat corn", "corn farm wheat", "oil crude", "crude oil barrel"] * 5
    labels = ["grain", "grain", "oil", "oil"] * 5
    fitted = rb.Categorizer(LabelTree(leaf=1, trees=2)).fit(texts, labels)
    fitted.save(tmp_path / "model.rubric")
    opened = rb.Categorizer.open(tmp_path / "model.rubric")
    new = ["corn and wheat", "crude"]
    assert list(opened.predict(new)) == list(fitted.predict(new)) == ["grain", "oil"]
    answers = opened.answers(new, explain=3)
    assert {reason.name for reason in answers[0].evidence["grain"]} <= {"corn", "wheat"}


@pytest.mark.parametrize("documents", [1, 5])
def test_one_category_of_all_documents(documents):
    X, Y = np.eye(5)[:documents], sparse.csr_array(np.ones((documents, 1), bool))
    best = LabelTree().fit(X, Y).top(X, 3)
    assert best.best().tolist() == [0] * documents


def test_duplicates_only():
    """Nothing tells the categories apart: every category gets a finite score, the same on every run."""
    X = np.tile([[1.0, 2.0, 0.0]], (40, 1))
    Y = sparse.csr_array(np.eye(10, dtype=bool)[np.arange(40) % 10])
    first, again = (LabelTree(leaf=2).fit(X, Y).decision_function(X) for _ in range(2))
    assert np.isfinite(first).all()
    assert first.tobytes() == again.tobytes()
    assert np.ptp(first, axis=0).max() == 0
