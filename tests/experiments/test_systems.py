from __future__ import annotations

import numpy as np
import pytest

import rubricate as rb
from rubricate.errors import InvalidInput, UnknownName
from rubricate.experiments.chosen import choose, cross_fitted, run_chosen
from rubricate.experiments.systems import Setting, System, run_system
from rubricate.folds import out_of_fold, stratified_folds
from rubricate.thresholds.scut import Scut


def system(name="S", origin="paper", **settings):
    return System(name, {key: Setting(value, origin) for key, value in settings.items()})


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


def test_one_recovered_setting_marks_the_system():
    settings = {"classifier": Setting("svm", "paper"), "C": Setting(1.0, "recovered")}
    assert System("S", settings).origin == "recovered"
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
        Setting(1, "guessed")


def test_a_run_is_what_the_parts_give(corpus):
    run = run_system(system("kNN", classifier="knn", k=5, select="chi2:200", cut="scut", held_out="folds"), corpus)
    vectors = rb.text.Vectors(select="chi2:200")
    X = vectors.fit_transform(corpus.train)
    labels = corpus.train.labels
    held = out_of_fold(rb.KNN(k=5), X, labels, folds=stratified_folds(labels, 5, seed=0))
    scores = rb.KNN(k=5).fit(X, labels).decision_function(vectors.transform(corpus.test))
    assert (run.decisions.values != Scut().fit(held, labels).decide(scores)).nnz == 0
    assert (run.train_counts == labels.sum(axis=0)).all()
    assert "KNN(k=5)" in str(run.signature)


@pytest.mark.parametrize("held_out", ["none", "third", "training"])
def test_each_way_of_holding_out_decides(corpus, held_out):
    cut = "fixed:0" if held_out == "none" else "scut"
    run = run_system(system(classifier="svm", cut=cut, held_out=held_out), corpus)
    assert run.decisions.values.nnz > 0


def test_cuts_never_see_test_labels(corpus):
    """With the labels of the test documents zeroed, scores and decisions are bit-identical."""
    test = corpus.test
    blind = rb.Documents(test.ids, test.bodies, test.labels[:, :] * False, test.categories, test.titles)
    other = rb.Corpus(corpus.name, corpus.split, corpus.train, blind)
    made = system(classifier="svm", cut="micro_macro", held_out="folds", vectors_in="folds", title="mark")
    one, two = run_system(made, corpus), run_system(made, other)
    assert (one.scores.values == two.scores.values).all()
    assert (one.decisions.values != two.decisions.values).nnz == 0


@pytest.mark.slow
def test_choosing_a_stack_by_cross_validation(corpus):
    members = {
        "a": system("a", classifier="svm", title="mark"),
        "b": system("b", classifier="nb", weights="nnn", select="chi2:300"),
    }
    stack = system("stack", classifier="stack", members=["a", "b"], cut="micro_macro", seeds=2, rounds=20)
    chosen = choose(stack, corpus.train, members)
    run = run_chosen(chosen, corpus)
    assert 0 < chosen.macro <= 1
    assert rb.evaluate(run).row()["miF1"] == pytest.approx(chosen.micro, abs=0.15)
    single = choose(system("svm", classifier="svm", title="mark", cut="micro_macro", seeds=2), corpus.train)
    assert chosen.micro > single.micro - 0.03


def test_cross_fitting_uses_only_other_folds():
    rng = np.random.default_rng(0)
    labels = rb.load("newswire", documents=500, categories=60).train.labels
    folds = np.arange(labels.shape[0]) % 4
    scores = rng.normal(size=labels.shape)
    before = cross_fitted(Scut(fbr=None), scores, labels, folds)
    assert before != (1.0, 1.0)
    assert cross_fitted(Scut(fbr=None), labels.toarray() * 1.0, labels, folds)[0] == 1.0
