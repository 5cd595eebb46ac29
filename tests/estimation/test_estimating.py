"""`rb.estimate` on texts, corpora, vectors, fitted and unfitted systems; labels that may be wrong."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB

import rubricate as rb
from rubricate.errors import InvalidInput, UnknownName
from rubricate.estimation.xi_alpha import xi_alpha
from rubricate.measures import counts, micro

pytestmark = pytest.mark.slow

TEXTS = ["wheat and corn", "corn exports", "crude oil", "oil and gas", "wheat harvest", "gas pipeline"] * 5
LABELS = [["grain"], ["grain", "trade"], ["fuel"], ["fuel"], ["grain"], ["fuel"]] * 5
SINGLE = [labels[0] for labels in LABELS]


def test_a_fitted_model_gives_its_own_solution():
    model = rb.Categorizer("svm").fit(TEXTS, LABELS)
    found = rb.estimate(model, TEXTS, LABELS)
    assert found.method == "xi_alpha"
    assert found.categories == ("fuel", "grain", "trade")
    labels = np.array([[name in one for name in found.categories] for one in LABELS])
    own = xi_alpha(model.classifier_, model.features(TEXTS), labels)
    np.testing.assert_array_equal(found.error, own.error)


def test_an_unfitted_model_is_trained_once_and_left_as_it_is():
    model = rb.Categorizer(rb.SVM(C=1.0))
    a = rb.estimate(model, TEXTS, LABELS)
    b = rb.estimate(rb.Categorizer(rb.SVM(C=1.0)).fit(TEXTS, LABELS), TEXTS, LABELS)
    np.testing.assert_array_equal(a.table.fn, b.table.fn)
    assert not hasattr(model, "model_")


def test_two_classes_of_a_column_are_both_there():
    found = rb.estimate(rb.Categorizer("svm").fit(TEXTS, SINGLE), TEXTS, SINGLE, method="leave_one_out")
    assert found.categories == ("fuel", "grain")
    np.testing.assert_allclose(found.scores[:, 0], -found.scores[:, 1], atol=0.05)


def test_other_documents_than_those_learned_are_refused():
    model = rb.Categorizer("svm").fit(TEXTS, LABELS)
    with pytest.raises(InvalidInput, match="learned from other documents"):
        rb.estimate(model, TEXTS[:12], LABELS[:12])


@pytest.mark.parametrize("method", ["cross_validation", "holdout", "training_error"])
def test_a_whole_categorizer_is_learned_anew(method):
    found = rb.estimate(rb.Categorizer("nb", folds=2), TEXTS, LABELS, method=method)
    assert found.micro["f1"] > 0.5
    assert "nb" in found.signature.classifier.lower()


def test_a_corpus_a_bare_classifier_and_a_name():
    corpus = rb.load("newswire", documents=500, categories=60)
    a = rb.estimate("svm", corpus)
    b = rb.estimate(rb.SVM(), corpus.train)
    np.testing.assert_array_equal(a.f1, b.f1)
    assert a.signature.corpus == "newswire"
    assert rb.estimate("nb", corpus, folds=3).method == "cross_validation"


def test_vectors_and_scikit_learns_classifiers():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = np.eye(3)[y] + rng.normal(size=(60, 3)) * 0.3
    for classifier in (RidgeClassifier(), GaussianNB(), rb.SVM()):
        found = rb.estimate(classifier, X, y, method="cross_validation", folds=5)
        assert found.micro["f1"] > 0.8
        assert (found.table.tp + found.table.fp).sum() == 60


def test_unknown_methods_and_options():
    with pytest.raises(UnknownName, match=r"no estimator named 'xi_alfa'\. Did you mean 'xi_alpha'"):
        rb.estimate("svm", TEXTS, LABELS, method="xi_alfa")
    with pytest.raises(UnknownName, match="no option of xi_alpha named 'fold'"):
        rb.estimate("svm", TEXTS, LABELS, fold=3)
    with pytest.raises(InvalidInput, match="30 documents and 2 label sets"):
        rb.estimate("svm", TEXTS, LABELS[:2])
    with pytest.raises(InvalidInput, match="nothing to estimate"):
        rb.estimate("svm", TEXTS, [["a"]] * 30)


def test_leave_one_out_scores_serve_a_cut():
    """Scut learned from leave-one-out scores does about as well on them as the SVM's own cut, or better."""
    corpus = rb.load("newswire", documents=500, categories=60)
    X, labels = rb.text.Vectors().fit_transform(corpus.train), corpus.train.labels
    found = rb.estimate(rb.SVM().fit(X, labels), X, labels, method="leave_one_out", every=True)
    decided = rb.thresholds.Scut().fit(found.scores, labels).decide(found.scores)
    assert micro("f1", counts(labels, decided)) >= found.micro["f1"] - 0.02


def test_a_method_spelled_with_a_hyphen_warns_and_works():
    with pytest.warns(DeprecationWarning, match="'xi-alpha' is now 'xi_alpha'"):
        assert rb.estimate("svm", TEXTS, LABELS, method="xi-alpha").method == "xi_alpha"


def test_names_of_categories_reach_classifiers_that_match_them():
    texts = ["wheat corn", "oil gas", "corn harvest", "gas pipe"] * 5
    labels = ["corn", "gas", "corn", "gas"] * 5
    found = rb.estimate(rb.Categorizer("word", cut=0.1, folds=0), texts, labels, method="cross_validation", folds=2)
    assert found.micro["f1"] == 1.0
