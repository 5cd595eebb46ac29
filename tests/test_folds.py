"""Folds are even for every category, and out-of-fold scores come from a classifier that has not seen the document."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator

from rubricate.errors import InvalidInput
from rubricate.folds import assign_folds, fold_scores, out_of_fold, score_matrix, sparse_scores, splits, take_rows
from rubricate.labels import indicator


def _random_labels(documents, categories, seed, density=0.2):
    return indicator(np.random.default_rng(seed).random((documents, categories)) < density)


@given(st.integers(6, 60), st.integers(1, 8), st.integers(2, 6), st.integers(0, 1000))
def test_every_document_gets_one_fold_and_folds_are_reproducible(documents, categories, folds, seed):
    labels = _random_labels(documents, categories, seed)
    fold_ids = assign_folds(labels, folds, seed=seed)
    assert fold_ids.min() >= 0
    assert fold_ids.max() < folds
    assert np.array_equal(fold_ids, assign_folds(labels, folds, seed=seed))


@given(st.integers(2, 6), st.integers(1, 40), st.integers(0, 100))
def test_single_label_categories_differ_by_at_most_one_between_folds(folds, size, seed):
    column = np.repeat(np.arange(3), [size, 2 * size, 3 * size + 1])
    labels = indicator(column[:, None] == np.arange(3))
    held = np.array(
        [
            np.bincount(assign_folds(labels, min(folds, len(column)), seed=seed)[column == c], minlength=folds)
            for c in range(3)
        ]
    )
    assert (held.max(axis=1) - held.min(axis=1)).max() <= 1


def test_the_rarest_category_is_spread_first():
    labels = np.zeros((100, 2), bool)
    labels[:, 0] = True
    labels[:5, 1] = True
    fold_ids = assign_folds(indicator(labels), 5, seed=3)
    assert sorted(fold_ids[:5]) == [0, 1, 2, 3, 4]
    assert np.bincount(fold_ids).tolist() == [20] * 5


def test_documents_without_labels_fill_the_smallest_folds():
    labels = sparse.csr_array((11, 3), dtype=bool)
    assert sorted(np.bincount(assign_folds(labels, 4)).tolist()) == [2, 3, 3, 3]


def test_another_seed_gives_another_dealing():
    labels = _random_labels(200, 5, 0)
    assert not np.array_equal(assign_folds(labels, 5, seed=0), assign_folds(labels, 5, seed=1))


@pytest.mark.parametrize("folds", [0, 1, 8])
def test_an_impossible_number_of_folds_is_refused(folds):
    with pytest.raises(InvalidInput, match=f"{folds} folds of 7 documents"):
        assign_folds(_random_labels(7, 2, 0), folds)


class Remembering(BaseEstimator):
    """Scores 1 for a document it was trained on (known by its only feature), else 0."""

    def fit(self, X, y):
        self.seen_ = {float(value) for value in np.asarray(X)[:, 0]}
        self.columns_ = y.shape[1]
        return self

    def decision_function(self, X):
        seen = [float(value) in self.seen_ for value in np.asarray(X)[:, 0]]
        return np.repeat(np.array(seen, float)[:, None], self.columns_, axis=1)


@pytest.mark.parametrize("engine", ["serial", "threads"])
def test_no_document_is_scored_by_a_classifier_that_saw_it(engine):
    labels = _random_labels(40, 3, 0)
    X = np.arange(40.0)[:, None]
    folds = assign_folds(labels, 4)
    assert fold_scores(Remembering(), X, labels, folds=folds, engine=engine).max() == 0.0


def test_texts_and_frames_are_taken_by_row():
    class Lengths(BaseEstimator):
        def fit(self, X, y):
            self.fitted_ = True
            return self

        def decision_function(self, X):
            return np.array([[float(len(text))] for text in X])

    texts = ["a", "bb", "ccc", "dddd"]
    folds = np.array([0, 1, 0, 1])
    assert fold_scores(Lengths(), texts, _random_labels(4, 1, 0), folds=folds).ravel().tolist() == [1, 2, 3, 4]


def test_scores_come_from_either_method():
    class Probabilities:
        def predict_proba(self, X):
            return [np.array([[0.2, 0.8]]), np.array([[0.9, 0.1]])]

    assert score_matrix(Probabilities(), None).tolist() == [[0.8, 0.1]]
    with pytest.raises(InvalidInput, match="neither decision_function nor predict_proba"):
        score_matrix(object(), None)


FOLDS = np.array([1, 0, 2, 0, 1, 2, 0])


@pytest.mark.parametrize("engine", ["serial", "threads"])
def test_results_of_every_kind_come_back_in_the_order_of_the_documents(engine):
    cells = np.arange(7.0)[:, None] + [0.0, 100.0]
    kinds = {
        "array": (lambda held: cells[held], cells),
        "vector": (lambda held: cells[held, 0], cells[:, 0]),
        "sparse": (lambda held: sparse.csr_array(cells[held]), cells),
        "scores": (lambda held: sparse_scores(sparse.csr_array(cells[held]), -1.0), cells),
        "list": (lambda held: [str(row) for row in held], [str(row) for row in range(7)]),
    }
    for name, (make, expected) in kinds.items():
        result = out_of_fold(lambda kept, held, make=make: make(held), FOLDS, engine=engine)
        values = getattr(result, "values", result)
        plain = values.toarray() if sparse.issparse(values) else values
        assert np.array_equal(plain, expected), name
    assert out_of_fold(lambda kept, held: sparse_scores(sparse.csr_array(cells[held]), -1.0), FOLDS).floor == -1.0
    both = out_of_fold(lambda kept, held: (cells[held], [*held]), FOLDS, engine=engine)
    assert np.array_equal(both[0], cells)
    assert both[1] == [*range(7)]


def test_no_row_is_kept_and_held_at_once():
    for kept, held in splits(FOLDS):
        assert not set(kept) & set(held)
        assert sorted([*kept, *held]) == [*range(7)]
        assert len(set(FOLDS[held])) == 1


def test_results_of_another_kind_are_joined_by_the_caller():
    joined = out_of_fold(lambda kept, held: len(held), FOLDS, join=dict_of_sizes)
    assert joined == {0: 3, 1: 2, 2: 2}


def dict_of_sizes(parts):
    return {int(FOLDS[held[0]]): size for held, size in parts}


def test_rows_are_taken_from_whatever_holds_them():
    import pandas as pd

    index = np.array([2, 0])
    assert take_rows(["a", "b", "c"], index) == ["c", "a"]
    assert take_rows(np.arange(3), index).tolist() == [2, 0]
    assert take_rows(pd.Series(["a", "b", "c"], index=[7, 8, 9]), index).tolist() == ["c", "a"]
    scores = take_rows(sparse_scores(sparse.csr_array(np.eye(3)), -2.0), index)
    assert scores.values.toarray().tolist() == [[0, 0, 1], [1, 0, 0]]
    assert scores.floor == -2.0
