"""Cuts for any classifier: scikit-learn's contract, forms of y, folds, seeds, engines, rare categories."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from rubricate.classifiers import Scorer
from rubricate.errors import InvalidInput
from rubricate.folds import assign_folds, fold_scores
from rubricate.labels import indicator
from rubricate.thresholds import MicroMacro, RankLimit, Scut, Thresholded

pytestmark = pytest.mark.slow


@parametrize_with_checks(
    [
        Thresholded(RidgeClassifier()),
        Thresholded(GaussianNB(), cut="micro_macro"),
        Thresholded(OneVsRestClassifier(GaussianNB()), cut="fixed:0.5"),
    ]
)
def test_scikit_learn_contract(estimator, check):
    """No exceptions are needed."""
    check(estimator)


@pytest.fixture
def problem():
    """60 documents, 5 categories; the last has a single document."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 6))
    Y = (X[:, :4] @ rng.standard_normal((4, 5)) > 1).astype(int)
    Y[:, 4] = 0
    Y[3, 4] = 1
    return X, Y


INNERS = [
    OneVsRestClassifier(LinearSVC()),
    OneVsRestClassifier(GaussianNB()),
    MultiOutputClassifier(GaussianNB()),
    ClassifierChain(RidgeClassifier()),
    RandomForestClassifier(4, max_depth=3, random_state=0),
    KNeighborsClassifier(),
    make_pipeline(KNeighborsClassifier(3)),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("inner", INNERS, ids=lambda e: type(e).__name__)
def test_any_classifier_and_any_form_of_labels(inner, problem):
    # serial: scikit-learn saves and restores warning filters in its own loops, which is not safe on threads
    X, Y = problem
    dense = Thresholded(inner, engine="serial").fit(X, Y)
    stored = Thresholded(inner, engine="serial").fit(X, sparse.csr_matrix(Y))
    assert dense.cut_.cuts_.tolist() == stored.cut_.cuts_.tolist()
    assert isinstance(dense.predict(X), np.ndarray)
    assert isinstance(stored.predict(X), sparse.csr_array)
    assert (dense.predict(X) == stored.predict(X).toarray()).all()
    for columns in ([0], [0, 4]):
        one = Thresholded(inner, engine="serial").fit(X, sparse.csr_array(Y[:, columns]))
        assert one.predict(X).shape == (60, len(columns))


def test_cuts_are_learned_from_out_of_fold_scores_and_the_classifier_from_all(problem):
    X, Y = problem
    Y = Y[:, :4]
    labels = indicator(Y)
    model = Thresholded(OneVsRestClassifier(LinearSVC()), folds=4, seed=7, keep_scores=True).fit(X, Y)
    folds = assign_folds(labels, 4, seed=7)
    scores = fold_scores(OneVsRestClassifier(LinearSVC()), X, labels, folds=folds)
    assert np.array_equal(model.out_of_fold_scores_, scores[None])
    assert model.cut_.cuts_.tolist() == Scut().fit(scores, labels).cuts_.tolist()
    whole = OneVsRestClassifier(LinearSVC()).fit(X, Y).decision_function(X)
    assert np.array_equal(model.decision_function(X), whole)
    assert (model.decide(X).toarray() == (whole >= model.cut_.cuts_)).all()


def test_category_missing_from_a_fold_scores_minus_infinity_there(problem):
    """MultiOutputClassifier refuses a column with one value; the single document of category 4 is held out once."""
    X, Y = problem
    model = Thresholded(MultiOutputClassifier(LogisticRegression()), keep_scores=True).fit(X, Y)
    scores = model.out_of_fold_scores_[0]
    held = np.flatnonzero(np.isinf(scores[:, 4]))
    assert 3 in held
    assert len(held) == 12
    assert np.isfinite(scores[:, :4]).all()
    assert model.cut_.cuts_[4] == np.nextafter(scores[np.isfinite(scores[:, 4]), 4].max(), 2)


def test_categories_that_no_document_or_every_document_has(problem):
    X, Y = problem
    Y = np.column_stack([Y[:, 0], np.zeros(60, int), np.ones(60, int)])
    model = Thresholded(MultiOutputClassifier(LogisticRegression())).fit(X, Y)
    assert model.predict(X)[:, 1:].tolist() == [[0, 1]] * 60
    nothing = Thresholded(OneVsRestClassifier(LinearSVC())).fit(X, Y[:, 1:])
    assert nothing.classifier_ is None
    assert nothing.predict(X[:3]).tolist() == [[0, 1]] * 3


def test_median_over_seeds(problem):
    X, Y = problem
    inner = OneVsRestClassifier(LinearSVC())
    one_by_one = [Thresholded(inner, seed=s).fit(X, Y).cut_.cuts_ for s in range(3)]
    together = Thresholded(inner, seeds=3, keep_scores=True).fit(X, Y)
    assert together.cut_.cuts_.tolist() == np.median(one_by_one, axis=0).tolist()
    assert together.out_of_fold_scores_.shape == (3, 60, 5)
    limited = Thresholded(inner, cut=RankLimit(rank=4, cut=MicroMacro(seeds=3, folds=3)), keep_scores=True).fit(X, Y)
    assert limited.out_of_fold_scores_.shape == (3, 60, 5)


def test_threads_give_the_same_cuts(problem):
    X, Y = problem
    cuts = [Thresholded(OneVsRestClassifier(LinearSVC()), engine=e).fit(X, Y).cut_.cuts_ for e in ("serial", "threads")]
    assert cuts[0].tolist() == cuts[1].tolist()


def test_two_classes_are_cut_and_zero_is_the_cut():
    """F1 on a rare class wants a cut under one half."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((400, 2))
    y = np.where(X[:, 0] + rng.standard_normal(400) > 2, "yes", "no")
    model = Thresholded(LogisticRegression()).fit(X, y)
    plain = LogisticRegression().fit(X, y)
    assert model.cut_.cuts_[0] < 0
    assert (model.predict(X) == np.where(model.decision_function(X) >= 0, "yes", "no")).all()
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X) - model.cut_.cuts_[0])


@pytest.mark.parametrize("inner", [LogisticRegression(), GaussianNB(), SVC(), KNeighborsClassifier()], ids=str)
def test_one_of_several_classes_is_the_best_one(inner):
    rng = np.random.default_rng(2)
    y = np.repeat(["a", "b", "c"], [30, 30, 2])
    X = rng.standard_normal((62, 3)) + np.eye(3)[np.unique(y, return_inverse=True)[1]] * 2
    model = Thresholded(inner).fit(X, y)
    assert (model.predict(X) == model.classes_[model.decision_function(X).argmax(axis=1)]).all()
    assert (model.predict(X) == inner.fit(X, y).predict(X)).mean() > 0.95
    assert model.decide(X).shape == (62, 3)


def test_class_missing_from_a_fold():
    """Class c has one document: two classes are left where it is held out, so one score stands for both."""
    X, y = np.arange(11.0)[:, None], np.array([*"aaaaabbbbb", "c"])
    model = Thresholded(LogisticRegression(), keep_scores=True, folds=2).fit(X, y)
    scores = model.out_of_fold_scores_[0]
    missing = np.isneginf(scores[:, 2])
    assert missing[10]
    assert (scores[missing, 0] == -scores[missing, 1]).all()
    assert (np.diff(scores[missing, 1]) > 0).all()


def test_texts_through_a_pipeline_and_a_grid():
    texts = ["wheat corn", "corn", "oil gas", "gas", "wheat", "oil"] * 5
    Y = np.array([[("wheat" in t) | ("corn" in t), ("oil" in t) | ("gas" in t)] for t in texts]).astype(int)
    model = Thresholded(make_pipeline(TfidfVectorizer(), OneVsRestClassifier(LinearSVC())), cut=Scut())
    assert (model.fit(texts, Y).predict(["corn", "gas oil"]) == [[1, 0], [0, 1]]).all()
    grid = GridSearchCV(
        model, {"cut__fbr": [0.1, 0.5], "classifier__onevsrestclassifier__estimator__C": [0.1, 1.0]}, cv=3
    )
    assert grid.fit(texts, Y).best_score_ == 1.0


def test_our_classifiers_get_sparse_labels():
    seen = []

    class Echo(Scorer):
        def _learn(self, X, labels, weights):
            seen.append(self.sparse_labels_)

        def _score(self, X):
            return np.asarray(X)[:, : len(self.classes_)]

    X = np.random.default_rng(0).standard_normal((20, 3))
    Thresholded(Echo()).fit(X, X > 0)
    assert seen == [True] * 6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seeds": 0}, "seeds must be 1 or more"),
        ({"folds": 1}, "1 folds of 60 documents"),
        ({"cut": "scat"}, "no threshold named 'scat'"),
        ({"classifier": SVC(decision_function_shape="ovo")}, "gave 6 scores per document for 4 categories"),
        ({"classifier": TfidfVectorizer()}, "neither decision_function nor predict_proba"),
    ],
)
def test_what_cannot_be_done_is_said(change, message):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 2)), np.arange(60) % 4
    texts = isinstance(change.get("classifier"), TfidfVectorizer)
    with pytest.raises((InvalidInput, LookupError), match=message):
        Thresholded(LogisticRegression()).set_params(**change).fit(["corn oil"] * 60 if texts else X, y)
