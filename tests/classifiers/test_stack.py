from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

import rubricate as rb
from rubricate.classifiers.blend import (
    FLOOR,
    Cells,
    blend_scores,
    gather_cells,
    join_cells,
    learn_blend,
    surroundings,
    true_cells,
)
from rubricate.classifiers.knn import KNN
from rubricate.classifiers.nb import NB
from rubricate.classifiers.stack import Stack
from rubricate.classifiers.svm import SVM
from rubricate.errors import InvalidInput
from rubricate.text.vectors import Vectors

pytestmark = pytest.mark.slow

WORDS = ["wheat corn grain", "oil crude barrel", "ship port vessel", "gold ounce mine", "bank rate loan"]


@pytest.fixture(scope="module")
def news():
    """200 short texts of five topics, a third of them of two, with words of no topic between."""
    rng = np.random.default_rng(3)
    labels = np.zeros((200, 5), bool)
    labels[np.arange(200), rng.choice(5, 200, p=[0.4, 0.3, 0.15, 0.1, 0.05])] = True
    labels[np.arange(0, 200, 3), 2] |= labels[np.arange(0, 200, 3), 0]
    texts = []
    for row in labels:
        pool = [w for c in np.flatnonzero(row) for w in WORDS[c].split()] + ["said", "year", "market", "price"]
        texts.append(" ".join(rng.choice(pool, 12)))
    return texts, sparse.csr_array(labels)


def pipelines():
    return [
        ("svm", make_pipeline(Vectors(), SVM())),
        ("knn", make_pipeline(Vectors(select="chi2:10"), KNN(k=7))),
        ("nb", make_pipeline(Vectors(weights="nnn"), NB())),
    ]


def test_members_have_representations_of_their_own(news):
    texts, labels = news
    stack = Stack(pipelines(), rounds=20).fit(texts[:150], labels[:150])
    decided = stack.predict(texts[150:])
    assert sparse.issparse(decided)
    assert (decided.toarray() == labels[150:].toarray()).mean() > 0.9
    assert [len(member[0].vocabulary_) for member in stack.members_][1] == 10
    assert stack.names_ == ("svm", "knn", "nb")


def test_documents_and_lists_of_texts_are_the_same(news):
    texts, labels = news
    documents = rb.Documents([str(i) for i in range(200)], texts, labels, tuple("abcde"))
    one = Stack(pipelines()[:2], rounds=5).fit(texts, labels).decision_function(texts[:20])
    two = Stack(pipelines()[:2], rounds=5).fit(documents, labels).decision_function(documents.take(range(20)))
    assert (one == two).all()


def test_members_of_scikit_learn_and_unnamed_ones(news):
    texts, labels = news
    peer = make_pipeline(TfidfVectorizer(), OneVsRestClassifier(LogisticRegression()))
    stack = Stack([peer, make_pipeline(Vectors(), SVM())], rounds=5).fit(texts, labels)
    assert stack.names_ == ("Pipeline 1", "Pipeline 2")
    assert (stack.predict(texts).toarray() == labels.toarray()).mean() > 0.9


def test_labels_of_held_out_documents_do_not_reach_their_scores(news):
    """Test labels zeroed: bit-identical scores. The second level of a fold does not see its labels either."""
    texts, labels = news
    stack = Stack(pipelines()[:2], rounds=20, keep_scores=True)
    scores = stack.fit(texts[:150], labels[:150]).decision_function(texts[150:])
    assert (scores == stack.decision_function(texts[150:])).all()
    cells = gather_cells([m.decision_function(texts) for m in stack.members_], 12)
    rows = np.arange(200) < 150
    blind = sparse.csr_array(labels.toarray() & rows[:, None])
    option = {"rows": rows, "C": 0.3, "rounds": 20, "rate": 0.05, "leaves": 15}
    told, untold = (learn_blend(cells, one, **option) for one in (labels, blind))
    assert (blend_scores(told, cells.of(~rows)) == blend_scores(untold, cells.of(~rows))).all()


def test_out_of_fold_scores_serve_a_cut(news):
    texts, labels = news
    stack = Stack(pipelines()[:2], rounds=20, keep_scores=True, seeds=2).fit(texts, labels)
    held = stack.out_of_fold_scores()
    assert len(held) == len(stack.blends_) == 2
    assert held[0].floor == FLOOR
    cut = rb.thresholds.MicroMacro().merge([rb.thresholds.MicroMacro().fit(one, labels) for one in held])
    decided = cut.decide(stack.decision_function(texts))
    assert (decided.toarray() == labels.toarray()).mean() > 0.9
    honest = held[0].values.toarray()
    assert ((honest > 0) == labels.toarray()).mean() < 1.0
    with pytest.raises(InvalidInput, match="keep_scores=True"):
        Stack(pipelines()[:2], rounds=2).fit(texts, labels).out_of_fold_scores()


def test_better_than_a_poor_member_alone(news):
    texts, labels = news
    stack = Stack(pipelines(), rounds=50, keep_scores=True).fit(texts, labels)
    right = (stack.held_scores_[0].toarray() > 0) == labels.toarray()
    assert right.mean() > 0.93


def test_engine_and_blocks_do_not_matter(news, monkeypatch):
    texts, labels = news
    plain = Stack(pipelines()[:2], rounds=5).fit(texts, labels).decision_function(texts)
    threads = Stack(pipelines()[:2], rounds=5, engine="threads").fit(texts, labels)
    assert (threads.decision_function(texts) == plain).all()
    monkeypatch.setattr("rubricate.classifiers.base.BLOCK", 35)
    np.testing.assert_allclose(threads.decision_function(texts), plain, rtol=1e-9)


def test_candidates_are_the_best_of_each_member():
    first, other = np.array([[5.0, 4, 3, 2, 1, 0]]), np.array([[0.0, 0, 0, 0, 0, 9]])
    cells = gather_cells([first, other], 3)
    assert cells.categories.tolist() == [0, 1, 2, 5]
    assert cells.scores[:, 1].tolist() == [0, 0, 0, 9]
    assert cells.maxima.tolist() == [[5, 9]]


def test_joined_parts_are_in_order():
    scores = np.random.default_rng(0).normal(size=(2, 6, 4))
    whole = gather_cells(list(scores), 2)
    parts = [
        (rows, gather_cells([one[rows] for one in scores], 2))
        for rows in (np.array([1, 4, 5]), np.arange(4)[[0, 2, 3]])
    ]
    joined = join_cells(parts, (6, 4))
    for name in ("documents", "categories", "scores", "maxima"):
        assert (getattr(joined, name) == getattr(whole, name)).all()


def test_surroundings_by_hand():
    """Two documents; company is Σ P(c | c') p(c'), with two documents added to each category."""
    labels = sparse.csr_array(np.array([[1, 1, 0], [1, 0, 0], [1, 1, 0], [0, 0, 1]], dtype=bool))
    cells = Cells(np.array([0, 0, 1]), np.array([0, 1, 2]), np.zeros((3, 1)), np.zeros((2, 1)), (2, 3))
    train = Cells(
        np.repeat(np.arange(4), 3),
        np.tile(np.arange(3), 4),
        labels.toarray().reshape(-1, 1) * 1.0,
        np.ones((4, 1)),
        (4, 3),
    )
    blend = learn_blend(train, labels, rows=np.ones(4, bool), C=0.3, rounds=0, rate=0.1, leaves=2)
    even = blend._replace(belief=np.zeros(3))
    company, rank, expected = surroundings(even, cells).T
    np.testing.assert_allclose(company, [0.5 * 2 / 4, 0.5 * 2 / 5, 0.0])
    assert rank.tolist() == [0, 1, 0]
    assert expected.tolist() == [1.0, 1.0, 0.5]
    assert true_cells(train, labels).reshape(4, 3).astype(bool).tolist() == labels.toarray().tolist()


def test_empty_and_full_categories(news):
    texts, labels = news
    more = sparse.csr_array(np.column_stack([labels.toarray(), np.zeros(200, bool), np.ones(200, bool)]))
    scores = Stack(pipelines()[:1], rounds=5).fit(texts, more).decision_function(texts)
    assert (scores[:, 5] == FLOOR).all()
    assert (scores[:, 6] == -FLOOR).all()


def test_no_labels_at_all(news):
    texts, _ = news
    stack = Stack(pipelines()[:1], rounds=5).fit(texts, sparse.csr_array((200, 3), dtype=bool))
    assert (stack.decision_function(texts) == FLOOR).all()


def test_explains_by_member(news):
    texts, labels = news
    stack = Stack(pipelines(), rounds=5).fit(texts, labels)
    (reasons,) = stack.explain(texts[:1], int(labels[[0]].indices[0]))
    assert {one.source for one in reasons} >= {"svm", "knn", "nb", "gradient boosting"}
    total = stack.decision_function(texts[:1])[0, labels[[0]].indices[0]]
    assert sum(one.weight for one in reasons) == pytest.approx(total)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"members": []}, "no members"),
        ({"members": ["svm"]}, "is not a classifier"),
        ({"folds": 1}, "folds must be a whole number from 2"),
        ({"candidates": 0}, "candidates"),
        ({"seeds": True}, "seeds"),
        ({"C": 0}, "C must be a number above 0"),
    ],
)
def test_wrong_options_are_named(wrong, said, news):
    with pytest.raises(InvalidInput, match=said):
        Stack(**wrong).fit(np.eye(4), np.array([0, 1, 0, 1]))


def test_one_document_is_an_error():
    with pytest.raises(InvalidInput, match="2 documents or more"):
        Stack().fit(np.ones((1, 2)), sparse.csr_array([[1, 0]]))


def test_saved_and_opened_it_scores_the_same(news, tmp_path):
    texts, labels = news
    stack = Stack(pipelines(), rounds=20, seeds=2).fit(texts, labels)
    opened = rb.open(rb.save(stack, tmp_path / "stack.rubric"))
    assert (opened.decision_function(texts) == stack.decision_function(texts)).all()
    assert opened.explain(texts[:2], 0) == stack.explain(texts[:2], 0)


def test_in_a_categorizer_on_vectors(news):
    texts, labels = news
    sets = [{str(c) for c in np.flatnonzero(row)} for row in labels.toarray()]
    model = rb.Categorizer(Stack([SVM(), KNN(k=7)], rounds=5), cut="fixed:0").fit(texts, sets)
    right = [set(found) == truth for found, truth in zip(model.predict(texts), sets, strict=True)]
    assert np.mean(right) > 0.8


def test_a_score_of_minus_a_billion_leaves_the_other_scores_of_a_member_apart():
    """Naive Bayes scores −1e9 where a category has no document; the scale is that of the other scores."""
    rng = np.random.default_rng(5)
    labels = sparse.csr_array(rng.random((300, 3)) < 0.4)
    scores = np.where(labels.toarray(), 2.0, -2.0) + rng.normal(0, 1.5, (300, 3))
    usual = learn_blend(gather_cells([scores], 3), labels, rows=np.ones(300, bool), C=0.3, rounds=5, rate=0.1, leaves=4)
    scores[np.flatnonzero(~labels.toarray()[:, 0])[:3], 0] = -1e9
    floored = learn_blend(
        gather_cells([scores], 3), labels, rows=np.ones(300, bool), C=0.3, rounds=5, rate=0.1, leaves=4
    )
    assert floored.centre[0] == pytest.approx(usual.centre[0], abs=0.05)
    assert floored.spread[0] == pytest.approx(usual.spread[0], rel=0.02)
    assert floored.weights[0] == pytest.approx(usual.weights[0], rel=0.1)
