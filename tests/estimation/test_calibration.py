"""Cut and confidence from leave-one-out scores."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import rubricate as rb
from rubricate.errors import InvalidInput
from rubricate.estimation.calibration import calibrate
from rubricate.thresholds import resolve
from rubricate.training.confidence import exactly_right

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def corpus():
    return rb.load("newswire", documents=1500)


@pytest.fixture(scope="module")
def trained(corpus):
    return rb.Categorizer(rb.SVM(C=1.0), cut=0.0, folds=0).fit(corpus.train)


@pytest.fixture(scope="module")
def calibrated(trained, corpus):
    return calibrate(trained, corpus.train, cut="scut")


def test_the_model_given_is_left_as_it_is(trained, calibrated):
    assert trained.confidence_ is None
    assert trained.cut == 0.0
    assert calibrated.confidence_ is not None
    assert calibrated.classifier_ is trained.classifier_


def test_cuts_are_those_learned_from_leave_one_out_scores(trained, calibrated, corpus):
    exact = rb.estimate(trained, corpus.train, method="leave_one_out", every=True)
    place = [calibrated.categories_.index(name) for name in exact.categories]
    by_hand = resolve("scut").fit(exact.scores, corpus.train.labels[:, place])
    np.testing.assert_allclose(calibrated.cut_.cuts_[place], by_hand.cuts_)


def test_confidence_is_the_share_of_documents_decided_right(calibrated, corpus):
    chance = calibrated.confidence(corpus.test)
    right = exactly_right(calibrated.decide(corpus.test).values, corpus.test.labels)
    assert abs(chance.mean() - right.mean()) < 0.06
    sure = chance > np.median(chance)
    assert right[sure].mean() > right[~sure].mean() + 0.2


def test_as_good_as_by_folds(trained, calibrated, corpus):
    folds = rb.Categorizer(rb.SVM(C=1.0), cut="scut", folds=5).fit(corpus.train)
    macro = [rb.evaluate(one.run(corpus.test)).macro["f1"] for one in (trained, folds, calibrated)]
    assert macro[2] > macro[0] + 0.05
    assert macro[2] > macro[1] - 0.03
    assert calibrated.cross_validated["folds"] == len(corpus.train)


def test_saved_and_opened_it_is_the_same(calibrated, corpus, tmp_path):
    opened = rb.Categorizer.open(calibrated.save(tmp_path / "model.rubric"))
    np.testing.assert_array_equal(opened.confidence(corpus.test), calibrated.confidence(corpus.test))


def test_one_label_a_document_and_two_classes():
    texts = ["wheat and corn", "corn exports", "crude oil", "oil and gas", "wheat harvest", "gas pipeline"] * 5
    labels = ["grain", "grain", "fuel", "fuel", "grain", "fuel"] * 5
    model = calibrate(rb.Categorizer("svm", cut="rcut:1", folds=0).fit(texts, labels), texts, labels)
    assert model.classify(["wheat", "oil"]) == [("grain",), ("fuel",)]
    assert model.cross_validated["exactly_right"] == 1.0


def test_other_documents_other_classifiers_and_unfitted_models_are_refused(trained, corpus):
    with pytest.raises(InvalidInput, match="learned from other documents"):
        calibrate(trained, corpus.test)
    with pytest.raises(NotFittedError):
        calibrate(rb.Categorizer(rb.SVM()), corpus.train)
    bayes = rb.Categorizer("nb", folds=0, cut="rcut:1").fit(corpus.train)
    with pytest.raises(InvalidInput, match="only an SVM"):
        calibrate(bayes, corpus.train)
