"""Top-down categorization: training selections, the descent, hostile hierarchies, any base, cut and selection."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC
from tests.classifiers.hierarchical.hierarchies import NAMES, TREE, labelled_graphs, matrix, newswire
from tests.oracles.hierarchical_classifiers import best_path, local_documents, subtree_documents

import rubricate as rb
from rubricate.classifiers.hierarchical import machines as linear
from rubricate.classifiers.hierarchical.descent import Cuts, Descent, Guards, Scoring
from rubricate.classifiers.hierarchical.groups import NONE, per_parent
from rubricate.classifiers.hierarchical.machines import Machines
from rubricate.classifiers.hierarchical.nodes import Layout, place_labels
from rubricate.errors import InvalidInput
from rubricate.hierarchy import Hierarchy

pytestmark = pytest.mark.slow


def learned(model, kind):
    """Return a learned part of a model from its attributes."""
    return kind(*(getattr(model, f"{name}_") for name in kind.__match_args__))


def descent_of(model):
    """Return the descent that a model has learned."""
    return Descent(*(learned(model, kind) for kind in (Layout, Machines, Guards, Cuts)))


def problem_scores(model, X):
    return learned(model, Machines).scores(X)


def documents_of(problems, number):
    """Positives and negatives of a problem."""
    for group in problems.groups:
        if number < group.labels.shape[1]:
            marks = group.labels[:, number]
            return {*group.rows[marks].tolist()}, {*group.rows[~marks].tolist()}
        number -= group.labels.shape[1]
    raise AssertionError(number)


@given(labelled_graphs())
def test_classifiers_learn_from_the_documents_of_the_paper(case):
    edges, names, labels = case
    tree = Hierarchy.from_edges(edges)
    problems = per_parent(place_labels(matrix(labels, names), tree, names))
    for link, (number, child) in enumerate(zip(problems.guards, tree.child_ids, strict=True)):
        parent = int(np.searchsorted(tree.child_starts, link, side="right")) - 1
        expected = subtree_documents(edges, labels, tree.names[parent], tree.names[child])
        assert documents_of(problems, number) == expected
    for node, number in enumerate(problems.stays):
        if number != NONE:
            assert documents_of(problems, number) == local_documents(edges, labels, tree.names[node])


@given(labelled_graphs())
def test_contested_documents_are_negative_too(case):
    edges, names, labels = case
    tree = Hierarchy.from_edges(edges)
    problems = per_parent(place_labels(matrix(labels, names), tree, names), contested=True)
    for link, (number, child) in enumerate(zip(problems.guards, tree.child_ids, strict=True)):
        parent = tree.names[int(np.searchsorted(tree.child_starts, link, side="right")) - 1]
        inside, outside = subtree_documents(edges, labels, parent, tree.names[child])
        beside = [name for name in tree.children(parent) if name != tree.names[child]]
        elsewhere = set().union(*(subtree_documents(edges, labels, parent, name)[0] for name in beside))
        itself = {d for d, own in enumerate(labels) if tree.names[child] in own}
        assert documents_of(problems, number) == (inside, outside | (inside & elsewhere) - itself)


@given(labelled_graphs(), st.integers(0, 1000))
def test_scores_are_the_least_margin_of_the_best_path_and_decide_as_the_descent(case, seed):
    edges, names, labels = case
    X = np.random.default_rng(seed).random((12, 5))
    model = rb.classifiers.TopDown(taxonomy=edges, categories=names).fit(X, matrix(labels, names))
    new = np.random.default_rng(seed + 1).random((4, 5))
    scores = model.decision_function(new)
    links, stays = margins(model, new)
    for d in range(4):
        own = {pair: values[d] for pair, values in links.items()}
        stay = {name: values[d] for name, values in stays.items()}
        for c, name in enumerate(names):
            assert scores[d, c] == pytest.approx(best_path(edges, "n0", own, stay, name), abs=1e-12)
    assert (model.predict(new).toarray() == (scores > 0)).all()


def margins(model, X):
    """The margin of every link and of staying at every internal category, by name."""
    scoring, links, stays = Scoring(descent_of(model), sparse.csr_array(X)), {}, {}
    for node, name in enumerate(model.nodes_):
        children = model.child_ids_[model.child_starts_[node] : model.child_starts_[node + 1]]
        if len(children):
            found = scoring.margins(node, np.arange(X.shape[0]))
            links |= {(name, model.nodes_[child]): found[:, k] for k, child in enumerate(children)}
            if model.stays_[node] != NONE:
                stays[name] = found[:, -1]
    return links, stays


@given(labelled_graphs(graph=False), st.integers(0, 1000))
def test_nothing_below_a_refusal_is_visited(case, seed):
    edges, names, labels = case
    rng = np.random.default_rng(seed)
    model = rb.classifiers.TopDown(taxonomy=edges, categories=names).fit(rng.random((12, 5)), matrix(labels, names))
    new = rng.random((6, 5))
    visited, assigned = model.decide_nodes(new)
    at = {name: k for k, name in enumerate(model.nodes_)}
    for parent, child in edges:
        assert not (visited[:, at[child]] & ~visited[:, at[parent]]).any()
        assert not (assigned[:, at[child]] & ~visited[:, at[parent]]).any()
    below = descent_of(model).reach(sparse.csr_array(new), pruned=True)[0]
    for parent, child in edges:
        refused = ~(below[at[parent]] > 0)
        assert np.isneginf(below[at[child]][refused]).all()


def test_a_flat_hierarchy_gives_flat_results():
    X, labels = newswire()
    base = rb.SVM(C=2.0, bias="penalised", tol=1e-7)
    flat = base.fit(X, labels).decision_function(X)
    for model in (
        rb.classifiers.TopDown(base),
        rb.classifiers.TopDown(base, taxonomy=[("root", name) for name in NAMES], categories=NAMES),
    ):
        found = model.fit(X, labels)
        np.testing.assert_allclose(found.decision_function(X), flat, atol=2e-3)


def test_small_groups_are_solved_as_the_svm_solves_them(monkeypatch):
    counts, labels = newswire()
    X = normalize(counts)
    model = rb.classifiers.TopDown(rb.SVM(bias="penalised", tol=1e-4), taxonomy=TREE, categories=NAMES)
    quick = clone(model).fit(X, labels)
    assert all(machine is None for machine in quick.machines_)
    monkeypatch.setattr(linear, "MAX_WEIGHTS", 0)
    slow = clone(model).fit(X, labels)
    assert any(machine is not None for machine in slow.machines_)
    np.testing.assert_allclose(quick.decision_function(X), slow.decision_function(X), atol=0.03)


def test_documents_stop_at_internal_categories_and_several_at_once():
    X, labels = newswire(noise=0.05)
    decided = rb.classifiers.TopDown(taxonomy=TREE, categories=NAMES).fit(X, labels).predict(X).toarray()
    truth = labels.toarray()
    for name in ("crude", "grain"):
        c = NAMES.index(name)
        assert (decided[:, c] & truth[:, c]).sum() > 0.8 * truth[:, c].sum()
    several = truth.sum(axis=1) > 1
    assert (decided[several] == truth[several]).all(axis=1).mean() > 0.5


def test_relabelling_nodes_and_reordering_columns_changes_nothing():
    X, labels = newswire()
    plain = (
        rb.classifiers.TopDown(rb.SVM(tol=1e-8), taxonomy=TREE, categories=NAMES).fit(X, labels).decision_function(X)
    )
    order = [4, 2, 0, 5, 1, 3]
    names = [f"z{9 - k}" for k in range(6)]
    edges = [(names[NAMES.index(p)], names[NAMES.index(c)]) for p, c in TREE]
    other = rb.classifiers.TopDown(rb.SVM(tol=1e-8), taxonomy=edges, categories=[names[k] for k in order])
    np.testing.assert_allclose(other.fit(X, labels[:, order]).decision_function(X), plain[:, order], atol=1e-3)


def test_pairs_may_be_columns_and_names_may_come_from_a_column_of_classes():
    X, labels = newswire()
    by_name = rb.classifiers.TopDown(taxonomy=TREE, categories=NAMES).fit(X, labels).decision_function(X)
    numbers = [(NAMES.index(p), NAMES.index(c)) for p, c in TREE]
    assert (rb.classifiers.TopDown(taxonomy=numbers).fit(X, labels).decision_function(X) == by_name).all()
    y = labels.toarray().argmax(axis=1)
    base = rb.SVM(bias="penalised", tol=1e-8)
    named = rb.classifiers.TopDown(base, taxonomy=TREE).fit(X, np.array(NAMES)[y])
    counted = rb.classifiers.TopDown(base, taxonomy=TREE, categories=NAMES).fit(X, y)
    moved = [named.categories_.index(name) for name in NAMES]
    np.testing.assert_allclose(named.decision_function(X)[:, moved], counted.decision_function(X), atol=1e-3)


@pytest.mark.parametrize(
    "base",
    [
        rb.NB(),
        rb.KNN(k=5),
        rb.LLSF(ridge=1.0),
        rb.SVM(kernel="rbf"),
        MultiOutputClassifier(LogisticRegression()),
        OneVsRestClassifier(LinearSVC()),
        LogisticRegression(),
        LinearSVC(),
        MultinomialNB(),
    ],
    ids=lambda base: type(base).__name__,
)
def test_any_base_classifier(base):
    X, labels = newswire(noise=0.1)
    model = rb.classifiers.TopDown(base, taxonomy=TREE, categories=NAMES).fit(X, labels)
    scores, truth = model.decision_function(X), labels.toarray()
    for c in range(6):
        assert (scores[truth[:, c], c][:, None] > scores[~truth[:, c], c]).mean() > 0.75
    assert (model.predict(X).toarray() == (scores > 0)).all()


def test_a_base_for_one_column_is_fitted_for_each_problem(tmp_path):
    X, labels = newswire(noise=0.1)
    weights = np.random.default_rng(0).uniform(0.5, 2, X.shape[0])
    model = rb.classifiers.TopDown(LogisticRegression(), taxonomy=TREE, categories=NAMES).fit(X, labels, weights)
    twin = LogisticRegression().fit(X, labels[:, :3].sum(axis=1) > 0, weights)
    np.testing.assert_allclose(problem_scores(model, X)[:, 0], twin.decision_function(X), atol=1e-12)
    again = rb.open(rb.save(model, tmp_path / "m"))
    assert (again.decision_function(X) == model.decision_function(X)).all()
    model.machines_ = tuple(machine[:-1] for machine in model.machines_)
    with pytest.raises(ValueError, match="machines and problems"):
        model.check_state()


def test_a_base_for_many_columns_only_is_given_a_single_problem_as_one_column():
    X, labels = newswire(noise=0.1)
    base = MultiOutputClassifier(LogisticRegression())
    many = rb.classifiers.TopDown(base, taxonomy=TREE, categories=NAMES, contested=True).fit(X, labels)
    one = clone(many).set_params(base=LogisticRegression(), cut=0.0).fit(X, labels)
    assert (many.predict(X) != one.predict(X)).nnz == 0


@pytest.mark.parametrize("base", ["svm", rb.SVM, 5])
def test_a_base_that_is_no_classifier_is_named(base):
    with pytest.raises(InvalidInput, match="base must be a classifier"):
        rb.classifiers.TopDown(base).fit(*newswire())


def test_terms_are_selected_at_each_node():
    X, labels = newswire(noise=0.1)
    model = rb.classifiers.TopDown(taxonomy=TREE, categories=NAMES, select=rb.text.Select("chi2:4")).fit(X, labels)
    assert [len(chosen) for chosen in model.selected_] == [4, 4, 4]
    assert len({tuple(chosen) for chosen in model.selected_}) == 3
    crude = int(np.flatnonzero(np.array(model.nodes_) == "crude")[0])
    group = model.choice_groups_[crude]
    assert {*model.selected_[group]} <= {*range(9), 18, 19}, "the words of crude, nat-gas and ship"
    assert {*model.block_terms_[model.block_starts_[group] : model.block_starts_[group + 1]]} <= {
        *model.selected_[group]
    }
    for base in (rb.NB(), rb.SVM()):
        narrow = rb.classifiers.TopDown(base, taxonomy=TREE, categories=NAMES, select=rb.text.Select("chi2:4")).fit(
            X, labels
        )
        assert narrow.explain(X[:3], "0" if "0" in narrow.categories_ else 0)


def test_cuts_of_any_kind():
    X, labels = newswire()
    model = rb.classifiers.TopDown(taxonomy=TREE, categories=NAMES)
    natural = model.fit(X, labels).predict(X).sum()
    assert clone(model).set_params(cut=0.0).fit(X, labels).predict(X).sum() == natural
    assert clone(model).set_params(cut=0.5).fit(X, labels).predict(X).sum() < natural
    assert clone(model).set_params(cut=-0.5).fit(X, labels).predict(X).sum() > natural
    learned = clone(model).set_params(cut=rb.thresholds.Scut()).fit(X, labels)
    assert learned.problem_cuts_.std() > 0
    best = clone(model).set_params(cut=rb.thresholds.Rcut(t=1)).fit(X, labels).predict(X)
    assert (np.diff(best.indptr) == 1).all(), "the best choice at every node ends at one category"
    with pytest.raises(InvalidInput, match="cut must be"):
        clone(model).set_params(cut="scut").fit(X, labels)
    with pytest.raises(InvalidInput, match="cut must be"):
        clone(model).set_params(cut=np.nan).fit(X, labels)
    for never, wanted in ((np.inf, 0), (-np.inf, labels.shape[0] * labels.shape[1])):
        fitted = clone(model).set_params(cut=never).fit(X, labels)
        assert fitted.predict(X).sum() == wanted
        assert np.isfinite(fitted.decision_function(X)).all()
    with pytest.raises(InvalidInput, match="select must be a selector"):
        clone(model).set_params(select="chi2:4").fit(X, labels)


def test_the_root_has_a_classifier_of_its_own_on_request():
    X, labels = newswire(noise=0.05)
    outside = sparse.csr_array(np.pad(np.random.default_rng(1).poisson(1.5, (300, 3)), ((0, 0), (22, 0))).astype(float))
    wide = sparse.csr_array(sparse.vstack([sparse.hstack([X, sparse.csr_array((240, 3))]), outside]))
    every = sparse.csr_array(sparse.vstack([labels, sparse.csr_array((300, 6), dtype=bool)]))
    model = rb.classifiers.TopDown(taxonomy=TREE, categories=NAMES, root="classifier").fit(wide, every)
    assert model.root_guard_ != NONE
    assert model.predict(wide)[240:].sum() < 15
    strict = clone(model).set_params(cut=1.0).fit(wide, every)
    score = problem_scores(model, wide)[:, model.root_guard_]
    assert (strict.decide_nodes(wide)[0][:, 0] == (score > 1.0)).all(), "the cut holds at the root too"
    learned = clone(model).set_params(cut=rb.thresholds.Scut()).fit(wide, every)
    assert (learned.decide_nodes(wide)[0][:, 0] == (score > learned.problem_cuts_[model.root_guard_])).all()
    assert rb.classifiers.TopDown(taxonomy=TREE, categories=NAMES, root="classifier").fit(X, labels).root_guard_ == NONE
    with pytest.raises(InvalidInput, match="root must be"):
        rb.classifiers.TopDown(root="guard").fit(X, labels)


def test_explains_the_weakest_classifier_of_the_path():
    X, labels = newswire(noise=0.1)
    model = rb.classifiers.TopDown(taxonomy=TREE, categories=NAMES).fit(X, labels)
    corn = NAMES.index("corn")
    row = int(np.flatnonzero(labels.toarray()[:, corn])[0])
    (reasons,) = model.explain(X[[row]], corn, limit=3)
    assert reasons
    assert {one.source for one in reasons} <= {f"x{t}" for t in range(22)}


@given(labelled_graphs(), st.integers(0, 5))
def test_explanations_are_of_the_classifier_that_sets_the_score(case, seed):
    edges, names, labels = case
    X = sparse.csr_array(np.random.default_rng(seed).poisson(1.0, (12, 5)).astype(float))
    model = rb.classifiers.TopDown(rb.classifiers.Rocchio(), taxonomy=edges, categories=names).fit(
        X, matrix(labels, names)
    )
    margins, scores = problem_scores(model, X), model.decision_function(X)
    for category, node in enumerate(model.columns_):
        weakest = descent_of(model).weakest(X, int(node))
        assert (weakest != NONE).all()
        np.testing.assert_array_equal(margins[np.arange(12), weakest], scores[:, category])


def test_threads_change_nothing():
    X, labels = newswire()
    one = rb.classifiers.TopDown(taxonomy=TREE, categories=NAMES).fit(X, labels).decision_function(X)
    two = rb.classifiers.TopDown(taxonomy=TREE, categories=NAMES, engine="threads").fit(X, labels).decision_function(X)
    assert (one == two).all()


def test_saved_and_opened_with_its_tree(tmp_path):
    X, labels = newswire()
    for base in (None, rb.NB()):
        model = rb.classifiers.TopDown(base, taxonomy=TREE, categories=NAMES, select=rb.text.Select("chi2:6")).fit(
            X, labels
        )
        again = rb.open(rb.save(model, tmp_path / "m"))
        assert (again.decision_function(X) == model.decision_function(X)).all()
        assert (again.predict(X) != model.predict(X)).nnz == 0


# ---------------------------------------------------------------- hostile hierarchies


def test_a_label_outside_the_taxonomy_is_named():
    X, labels = newswire()
    with pytest.raises(InvalidInput, match="1 of 6 categories are not in the taxonomy: 'wheat'; add a pair"):
        rb.classifiers.TopDown(taxonomy=TREE[:-1], categories=NAMES).fit(X, labels)
    for strange in (Hierarchy.from_edges(TREE), "crude", [("crude",)], 5):
        with pytest.raises(InvalidInput, match=r"must be \(parent, child\) pairs"):
            rb.classifiers.TopDown(taxonomy=strange, categories=NAMES).fit(X, labels)
    with pytest.raises(InvalidInput, match="9 is not a column"):
        rb.classifiers.TopDown(taxonomy=[(0, 9)]).fit(X, labels)
    with pytest.raises(InvalidInput, match="2 names in `categories` for 6 columns"):
        rb.classifiers.TopDown(taxonomy=TREE, categories=NAMES[:2]).fit(X, labels)
    with pytest.raises(InvalidInput, match="below itself"):
        rb.classifiers.TopDown(taxonomy=[("crude", "ship"), ("ship", "crude")], categories=NAMES).fit(X, labels)


def test_a_node_and_its_ancestor_on_one_document_are_both_learned():
    X = np.vstack([np.eye(3)] * 6)
    y = np.tile([[1, 1, 0], [1, 0, 0], [0, 0, 1]], (6, 1))
    model = rb.classifiers.TopDown(taxonomy=[("grain", "corn")], categories=("grain", "corn", "ship"))
    with pytest.raises(InvalidInput, match="not in the taxonomy: 'ship'"):
        clone(model).fit(X, y)
    model.set_params(taxonomy=[("top", "grain"), ("grain", "corn"), ("top", "ship")])
    assert model.fit(X, y).predict(np.eye(3)).tolist() == [[1, 1, 0], [1, 0, 0], [0, 0, 1]]


def test_nodes_without_documents_are_never_assigned():
    X, labels = newswire()
    edges = [*TREE, ("grain", "rice"), ("metal", "tin")]
    wider = sparse.csr_array(sparse.hstack([labels, sparse.csr_array((240, 2), dtype=bool)]))
    model = rb.classifiers.TopDown(taxonomy=edges, categories=(*NAMES, "rice", "tin")).fit(X, wider)
    assert model.predict(X)[:, 6:].sum() == 0
    assert np.isfinite(model.decision_function(X)).all()
    assert (model.decision_function(X)[:, 6:] <= -1).all()


def test_a_chain_of_single_children_and_a_great_depth():
    X = np.vstack([np.eye(2)] * 5)
    chain = [(f"c{k}", f"c{k + 1}") for k in range(30)]
    edges = [("top", "c0"), ("top", "other"), *chain]
    y = ["c30", "other"] * 5
    model = rb.classifiers.TopDown(taxonomy=edges).fit(X, y)
    assert model.predict(np.eye(2)).tolist() == ["c30", "other"]
    both = rb.classifiers.TopDown(taxonomy=edges).fit(np.vstack([np.eye(3)] * 5), ["c30", "other", "c15"] * 5)
    assert both.predict(np.eye(3)).tolist() == ["c30", "other", "c15"]


def test_a_diamond_is_reached_by_either_side():
    edges = [("p", "x"), ("q", "x"), ("p", "a"), ("q", "b")]
    X = np.vstack([np.eye(3)] * 6)
    model = rb.classifiers.TopDown(taxonomy=edges).fit(X, ["x", "a", "b"] * 6)
    assert model.predict(np.eye(3)).tolist() == ["x", "a", "b"]


def test_twenty_thousand_nodes():
    rng = np.random.default_rng(0)
    edges = [(f"n{(k - 1) // 27}", f"n{k}") for k in range(1, 20_000)]
    leaves = rng.integers(1000, 20_000, 400)
    X = sparse.random_array((400, 500), density=0.02, rng=rng, format="csr")
    start = time.perf_counter()
    model = rb.classifiers.TopDown(taxonomy=edges).fit(X, np.array([f"n{k}" for k in leaves]))
    model.predict(X[:20])
    assert time.perf_counter() - start < 20
    assert len(model.nodes_) == 20_000


def test_the_tree_of_rcv1_with_documents_at_every_node(data_folder):
    """103 topics, 4 levels; a word for each topic and one for each node above it."""
    edges = rb.hierarchy.read_taxonomy(data_folder / "rcv1" / "rcv1.topics.hier.orig")
    tree = Hierarchy.from_edges(edges)
    names = [name for name in tree.names if name != tree.root]
    covers = tree.coverage_matrix().toarray().T.astype(float)
    X = np.repeat(covers[1:], 3, axis=0) + 2 * np.repeat(np.eye(len(tree))[1:], 3, axis=0)
    truth = sparse.csr_array(np.repeat(np.eye(len(names), dtype=bool), 3, axis=0))
    model = rb.classifiers.TopDown(taxonomy=edges, categories=names).fit(X, truth)
    assert len(names) == 103
    assert (model.predict(X) != truth).nnz <= 3
    assert (model.decision_function(X).argmax(axis=1) == np.repeat(np.arange(103), 3)).mean() > 0.99
