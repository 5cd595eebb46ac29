from __future__ import annotations

import numpy as np
import pytest

import rubricate as rb
from rubricate.errors import InvalidInput, UnknownName
from rubricate.folds import assign_folds, fold_scores
from rubricate.papers.systems import PaperSystem, SourcedSetting, SystemExecution
from rubricate.thresholds.scut import Scut
from rubricate.training.choosing import cross_fit


def system(name="S", origin="paper", **settings):
    return PaperSystem(name, {key: SourcedSetting(value, origin) for key, value in settings.items()})


@pytest.fixture(scope="module")
def corpus():
    return rb.load("newswire", documents=600, categories=60)


def test_settings_go_to_vectors_classifier_and_cut():
    made = system(
        classifier="svm", C=3.0, title="mark", stem="none", ngrams=[1, 2], select="chi2:50", by="avg",
        cut="scut:0.3", cut_fallback="infinity", held_out="folds",
    )  # fmt: skip
    assert made.classifier().C == 3.0
    assert made.vectors().analyzer.get_params()["stem"] is None
    assert made.vectors().analyzer.ngrams == (1, 2)
    assert made.vectors().select.by == "avg"
    assert (made.cut().fbr, made.cut().fallback) == (0.3, "infinity")


def test_a_classifier_that_is_changed_changes_no_other():
    made = system(classifier="svm", C=3.0)
    made.classifier().set_params(C=7.0)
    assert made.classifier().C == 3.0


def test_one_recovered_setting_marks_the_system():
    settings = {
        "classifier": SourcedSetting("svm", "paper"),
        "C": SourcedSetting(1.0, "recovered", where="table 1", tried=3),
    }
    assert PaperSystem("S", settings).origin == "recovered"
    assert system(classifier="svm").origin == "paper"
    assert system(origin="cross-validation", classifier="svm").origin == "cross-validation"


def test_wrong_settings_are_named():
    with pytest.raises(UnknownName, match="'kk'"):
        system(classifier="knn", kk=3)
    with pytest.raises(InvalidInput, match="names no classifier"):
        system(k=3)
    with pytest.raises(UnknownName, match="held_out"):
        system(classifier="knn", held_out="half")
    with pytest.raises(UnknownName, match="origin"):
        SourcedSetting(1, "guessed")
    with pytest.raises(InvalidInput, match="against which figures"):
        SourcedSetting(1, "recovered")


def test_a_run_is_what_the_parts_give(corpus):
    run = SystemExecution(
        system("kNN", classifier="knn", k=5, select="chi2:200", cut="scut", held_out="folds"), corpus
    ).run()
    vectors = rb.text.Vectors(select="chi2:200")
    X = vectors.fit_transform(corpus.train)
    labels = corpus.train.labels
    held = fold_scores(rb.KNN(k=5), X, labels, folds=assign_folds(labels, 5, seed=0))
    scores = rb.KNN(k=5).fit(X, labels).decision_function(vectors.transform(corpus.test))
    assert (run.decisions.values != Scut().fit(held, labels).decide(scores)).nnz == 0
    assert (run.train_counts == labels.sum(axis=0)).all()
    assert "KNN(k=5)" in str(run.signature)


@pytest.mark.parametrize("held_out", ["none", "third", "training"])
def test_each_way_of_holding_out_decides(corpus, held_out):
    cut = "fixed:0" if held_out == "none" else "scut"
    run = SystemExecution(system(classifier="svm", cut=cut, held_out=held_out), corpus).run()
    assert run.decisions.values.nnz > 0


@pytest.mark.slow
def test_cuts_never_see_test_labels(corpus):
    """With the labels of the test documents zeroed, scores and decisions are bit-identical."""
    test = corpus.test
    blind = rb.Documents(test.ids, test.bodies, test.labels[:, :] * False, test.categories, test.titles)
    other = rb.Corpus(corpus.name, corpus.split, corpus.train, blind)
    made = system(classifier="svm", cut="micro_macro", held_out="folds", vectors_in="folds", title="mark")
    one, two = SystemExecution(made, corpus).run(), SystemExecution(made, other).run()
    assert (one.scores.values == two.scores.values).all()
    assert (one.decisions.values != two.decisions.values).nnz == 0


@pytest.mark.slow
def test_choosing_a_stack_by_cross_validation(corpus):
    members = {
        "a": system("a", classifier="svm", title="mark"),
        "b": system("b", classifier="nb", weights="nnn", select="chi2:300"),
    }
    stack = system("stack", classifier="stack", members=["a", "b"], cut="micro_macro", seeds=2, rounds=20)
    execution = SystemExecution(stack, corpus, members=members)
    micro, macro = execution.cross_validated()
    assert 0 < macro <= 1
    assert rb.evaluate(execution.run()).row()["miF1"] == pytest.approx(micro, abs=0.15)
    single = system("svm", classifier="svm", title="mark", cut="micro_macro", seeds=2, held_out="folds")
    assert micro > SystemExecution(single, corpus).cross_validated()[0] - 0.03


def test_cross_fitting_uses_only_other_folds():
    rng = np.random.default_rng(0)
    labels = rb.load("newswire", documents=500, categories=60).train.labels
    folds = np.arange(labels.shape[0]) % 4
    decided, _ = cross_fit(Scut(fbr=None), [rng.normal(size=labels.shape)], labels, folds=folds)
    assert (decided != labels).nnz > 0
    known, _ = cross_fit(Scut(fbr=None), [labels.toarray() * 1.0], labels, folds=folds)
    table = rb.measures.counts(labels, known)
    assert rb.measures.micro("f1", table) == 1.0
