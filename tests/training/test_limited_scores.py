"""Scores of the best categories alone: the same as those of all, limited afterwards."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import rubricate as rb
from rubricate.classifiers import svm_linear as linear_solver
from rubricate.folds import score_matrix
from rubricate.thresholds.rank_limit import RankLimit
from rubricate.training import scoring
from rubricate.training.adapters import Aligned

COLUMNS = 305
EMPTY, FULL = 4, 9


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(6)
    X = sparse.random_array((400, 60), density=0.2, rng=rng, format="csr")
    labels = np.zeros((400, COLUMNS), bool)
    labels[np.arange(400), np.arange(400) % COLUMNS] = True
    labels[:, EMPTY], labels[:, FULL] = False, True
    return X, sparse.csr_array(labels)


@pytest.mark.slow
@pytest.mark.parametrize("limit", [1, 8])
@pytest.mark.parametrize(
    "classifier", [rb.SVM(), rb.classifiers.Rocchio(), rb.classifiers.LabelTree(leaf=20, trees=2)], ids=repr
)
def test_limited_scores_are_those_of_the_dense_matrix(classifier, corpus, limit, monkeypatch):
    monkeypatch.setattr(linear_solver, "MAX_DENSE_WEIGHTS", 0)
    X, labels = corpus
    aligned = Aligned(classifier, form="matrix", classes=np.arange(COLUMNS)).fit(X, labels)
    assert aligned.finds_best(X)
    wanted = RankLimit(rank=limit).limit(score_matrix(aligned, X))
    (block,) = scoring.blocks(aligned, X, columns=COLUMNS, limit=limit)
    for part in ("data", "indices", "indptr"):
        assert np.array_equal(getattr(block.values, part), getattr(wanted.values, part)), part
    assert (block.floor, wanted.floor) == (-np.inf, -np.inf)
    assert FULL in block.values.indices
    assert EMPTY not in block.values.indices


def test_blocks_of_documents_are_as_large_as_what_is_kept(corpus, monkeypatch):
    monkeypatch.setattr(scoring, "BLOCK", 64 * 100)
    X, labels = corpus
    aligned = Aligned(rb.classifiers.Rocchio(), form="matrix", classes=np.arange(COLUMNS)).fit(X, labels)
    sizes = [block.values.shape[0] for block in scoring.blocks(aligned, X, columns=COLUMNS, limit=3)]
    assert sizes == [100] * 4
    whole = scoring.score_all(aligned, X, columns=COLUMNS, limit=3)
    assert np.array_equal(whole.values.data, RankLimit(rank=3).limit(score_matrix(aligned, X)).values.data)


def test_other_classifiers_are_scored_in_full(corpus):
    X, labels = corpus
    aligned = Aligned(rb.KNN(k=3), form="matrix", classes=np.arange(COLUMNS)).fit(X, labels)
    assert not aligned.finds_best(X)
    assert scoring.score_all(aligned, X, columns=COLUMNS, limit=3).values.shape == (400, COLUMNS)


def test_the_best_class_of_a_column_is_that_of_all_scores():
    words = [
        "wheat",
        "corn",
        "gold",
        "ship",
        "sugar",
        "trade",
        "rice",
        "tin",
        "zinc",
        "tea",
        "oil",
        "gas",
        "nut",
        "pea",
        "rye",
    ]
    texts = [f"{words[i % 7]} {words[7 + i % 5]} {words[12 + i % 3]}" for i in range(105)]
    model = rb.Categorizer(rb.SVM(), folds=0, cut="rcut:1").fit(texts, [f"c{i % 7}" for i in range(105)])
    assert model.predict(texts).tolist() == model.classes_[np.argmax(model.decision_function(texts), axis=1)].tolist()
