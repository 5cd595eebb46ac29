"""What a study says of its SVMs before the test documents are looked at."""

from __future__ import annotations

import numpy as np
import pytest

import rubricate as rb
from rubricate.experiments import expectations
from rubricate.experiments.expectations import expected
from rubricate.experiments.plan import CorpusChoice, Plan, SystemChoice, TrialChoice
from rubricate.experiments.study import CorpusResult, TrialResult
from rubricate.experiments.trial import Trial
from rubricate.reports.report import study_data
from rubricate.training.data import TrainingData

pytestmark = pytest.mark.slow

SETTINGS = {
    "SVM, learned cut": {"classifier": "svm", "C": 0.5},
    "SVM, plain": {"classifier": "svm", "C": 0.5, "cut": 0.0, "folds": 0},
    "RBF": {"classifier": "svm", "kernel": "rbf", "cut": 0.0, "folds": 0},
    "chosen C": {},
    "NB": {"classifier": "nb", "weights": "nnn"},
}


@pytest.fixture
def result(corpus, store):
    plan = Plan((CorpusChoice("small"),), (SystemChoice("svm", {"classifier": "svm"}),))
    material, trials = TrainingData(corpus, test=corpus.test), []
    for name, settings in SETTINGS.items():
        trial = Trial(name, settings, material, store)
        run, seconds = trial.run()
        trials.append(TrialResult(TrialChoice(name, "svm", "ltc", None, settings), run, seconds, trial))
    return CorpusResult(plan, corpus, tuple(trials))


def test_every_svm_has_its_estimates(result, corpus):
    found = expected(result)
    assert {name: [one.method for one in each] for name, each in found.items()} == {
        "SVM, learned cut": ["xi_alpha", "leave_one_out"],
        "SVM, plain": ["xi_alpha", "leave_one_out"],
        "RBF": ["xi_alpha"],
        "chosen C": ["xi_alpha", "leave_one_out"],
    }
    assert found["SVM, plain"] is found["SVM, learned cut"]
    model = rb.Categorizer(rb.SVM(C=0.5), cut=0.0, folds=0).fit(corpus.train)
    for one in found["SVM, plain"]:
        other = rb.estimate(model, corpus.train, method=one.method)
        np.testing.assert_array_equal(one.table.fn, other.table.fn)
        assert one.categories == other.categories


def test_what_the_store_has_is_not_computed_again(result, monkeypatch):
    first = expected(result)

    def refuse(*arguments, **options):
        raise AssertionError("computed again")

    monkeypatch.setattr(expectations, "_estimates", refuse)
    again = expected(result)
    assert [*again] == [*first]
    for name, each in first.items():
        for one, other in zip(each, again[name], strict=True):
            assert (one.method, one.documents, one.categories, one.bias) == (
                (other.method, other.documents, other.categories, other.bias)
            )
            assert (one.micro, one.macro) == (other.micro, other.macro)


def test_the_report_has_them(result):
    assert list(study_data(result).extras["estimate"]) == ["SVM, learned cut", "SVM, plain", "RBF", "chosen C"]


def test_large_corpora_are_left_out(result, monkeypatch):
    monkeypatch.setattr(expectations, "CHEAP", 100)
    assert expected(result) == {}
