"""Local schemes: the documents of each policy, agreement of schemes, the descent, real documents."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from tests.classifiers.hierarchical.hierarchies import NAMES, TREE, labelled_graphs, matrix, newswire
from tests.classifiers.hierarchical.test_top_down import documents_of
from tests.oracles.hierarchical_classifiers import policy_documents

import rubricate as rb
from rubricate.classifiers.hierarchical.groups import POLICIES, per_level, per_node
from rubricate.classifiers.hierarchical.nodes import place_labels
from rubricate.errors import InvalidInput, UnknownName
from rubricate.hierarchy import Hierarchy

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("policy", POLICIES)
@given(case=labelled_graphs())
def test_nodes_learn_from_the_documents_of_the_policy(policy, case):
    edges, names, labels = case
    tree = Hierarchy.from_edges(edges)
    problems = per_node(place_labels(matrix(labels, names), tree, names), policy)
    for number, child in zip(problems.guards, tree.child_ids, strict=True):
        assert documents_of(problems, number) == policy_documents(policy, edges, labels, tree.names[child])


@given(case=labelled_graphs())
def test_a_level_learns_from_the_documents_at_or_below_it(case):
    edges, names, labels = case
    tree = Hierarchy.from_edges(edges)
    problems = per_level(place_labels(matrix(labels, names), tree, names))
    for number, child in zip(problems.guards, tree.child_ids, strict=True):
        level = [name for name in tree.names if tree.depth(name) == tree.depths[child]]
        inside = {d for d, own in enumerate(labels) if own & {*tree.coverage(tree.names[child])}}
        every = {d for d, own in enumerate(labels) if any(own & {*tree.coverage(name)} for name in level)}
        everyone = set(range(12)) if tree.depths[child] == 1 else every
        assert documents_of(problems, number) == (inside, everyone - inside)


@pytest.mark.parametrize("scheme", ["node", "parent", "level"])
@given(case=labelled_graphs(), seed=st.integers(0, 1000))
def test_predictions_are_where_the_scores_say(scheme, case, seed):
    edges, names, labels = case
    rng = np.random.default_rng(seed)
    model = rb.classifiers.Local(scheme=scheme, choose="all", taxonomy=edges, categories=names)
    model.fit(rng.random((12, 5)), matrix(labels, names))
    new = rng.random((5, 5))
    assert (model.predict(new).toarray() == (model.decision_function(new) > 0)).all()


def test_the_best_choice_ends_at_one_category():
    X, labels = newswire()
    single = sparse.csr_array(np.eye(6, dtype=bool)[labels.toarray().argmax(axis=1)])
    for scheme in ("parent", "node", "level"):
        model = rb.classifiers.Local(scheme=scheme, taxonomy=TREE, categories=NAMES).fit(X, single)
        assert model.rank_ == 1
        decided, scores = model.predict(X), model.decision_function(X)
        assert (np.diff(decided.indptr) == 1).all()
        assert (decided.indices == scores.argmax(axis=1)).all()
    assert rb.classifiers.Local(taxonomy=TREE, categories=NAMES).fit(X, labels).rank_ == 0


def test_parent_and_sibling_schemes_agree_where_no_document_stays():
    X, labels = newswire()
    leaves = [k for k, name in enumerate(NAMES) if name not in ("crude", "grain")]
    rows = np.flatnonzero(labels.toarray()[:, leaves].any(axis=1) & ~labels.toarray()[:, [0, 3]].any(axis=1))
    part, names = labels[rows][:, leaves], [NAMES[k] for k in leaves]
    found = [
        rb.classifiers.Local(scheme=scheme, choose="all", taxonomy=TREE, categories=names)
        .fit(X[rows], part)
        .decision_function(X)
        for scheme in ("parent", "node")
    ]
    assert (found[0] == found[1]).all()


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_learns(policy):
    X, labels = newswire(noise=0.05)
    model = rb.classifiers.Local(scheme="node", negatives=policy, choose="all", taxonomy=TREE, categories=NAMES).fit(
        X, labels
    )
    scores, truth = model.decision_function(X), labels.toarray()
    below = [] if "exclusive" in policy else [1, 2, 4, 5]  # else a node lets only its own documents through
    for c in (0, 3, *below):
        assert (scores[truth[:, c], c][:, None] > scores[~truth[:, c], c]).mean() > 0.7


def test_bad_options_are_named():
    X, labels = newswire()
    with pytest.raises(UnknownName, match="no scheme named 'tree'"):
        rb.classifiers.Local(scheme="tree").fit(X, labels)
    with pytest.raises(UnknownName, match="Did you mean 'siblings'"):
        rb.classifiers.Local(scheme="node", negatives="sibling").fit(X, labels)
    with pytest.raises(InvalidInput, match="choose must be"):
        rb.classifiers.Local(choose="some").fit(X, labels)


def test_wikivitals_better_than_the_published_peer(data_folder):
    """HiClass 5.0.8 with LinearSVC at each parent, same documents and terms: hF .6565 (benchmarks/hierarchy.py)."""
    files = [data_folder / "hwv" / name for name in ("hwv_val.json", "hwv_test.json")]
    rows = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    texts, paths = [" ".join(row["token"]) for row in rows], [row["label"] for row in rows]
    order = np.random.default_rng(0).permutation(len(rows))
    train, test = order[:2600], order[2600:]
    terms = TfidfVectorizer(sublinear_tf=True, stop_words="english", min_df=2)
    X = terms.fit_transform([texts[i] for i in train])
    taxonomy = sorted({pair for path in paths for pair in zip(["Root", *path], path, strict=False)})
    model = rb.classifiers.Local(taxonomy=taxonomy).fit(X, [paths[i][-1] for i in train])
    above = {path[-1]: {*path} for path in paths}
    found = [above[str(name)] for name in model.predict(terms.transform([texts[i] for i in test]))]
    truth = [{*paths[i]} for i in test]
    shared = sum(len(a & b) for a, b in zip(truth, found, strict=True))
    score = 2 * shared / sum(len(a) + len(b) for a, b in zip(truth, found, strict=True))
    assert score == pytest.approx(0.686, abs=0.003)
    assert score > 0.6565
