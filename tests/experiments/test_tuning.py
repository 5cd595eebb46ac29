"""Tuning: the best of all combinations, the greedy way of yang1999, and the same choice as scikit-learn's search."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import GridSearchCV, PredefinedSplit

import rubricate as rb
from rubricate.classifiers.knn import KNN
from rubricate.errors import InvalidInput, UnknownName
from rubricate.experiments import tuning as judging_module
from rubricate.experiments.store import Store
from rubricate.experiments.tuning import criterion_named as criterion
from rubricate.experiments.tuning import known_criteria, tune
from rubricate.folds import assign_folds
from rubricate.measures import counts, macro, micro
from rubricate.training.categorizer import Categorizer, configured
from rubricate.types import Corpus, Decisions, Run

pytestmark = pytest.mark.slow


def test_the_grid_tries_all_and_takes_the_best(corpus, store):
    grid = {"classifier": ["nb", "svm"], "cut": ["rcut:1", "scut:0.1", "micro_macro"]}
    found = tune(corpus, grid, store=store)
    assert [tuple(one.values.values()) for one in found.tried] == list(itertools.product(*grid.values()))
    assert found.best.value == max(one.value for one in found.tried)
    assert found.combinations == 6


def test_values_are_the_cross_validated_figures_of_the_categorizer(corpus, store):
    found = tune(corpus, {"k": [3, 9]}, settings={"classifier": "knn", "cut": "scut"}, store=store, seed=2)
    for one in found.tried:
        model = Categorizer(KNN(k=one.values["k"]), cut="scut", folds=5, seed=2).fit(corpus)
        assert one.value == model.cross_validated["micro_f1"]


def test_the_same_choice_and_values_as_scikit_learns_search(single, store):
    """With one label a document, folds of one size and a cut that learns nothing, the mean accuracy of the folds that
    GridSearchCV reports is the pooled accuracy here."""
    grid = {"k": [1, 5, 20], "select": ["chi2:10", "chi2:4"]}
    found = tune(
        single, grid, settings={"classifier": "knn", "cut": "rcut:1"}, criterion="subset_accuracy", store=store, folds=4
    )
    folds = assign_folds(single.train.labels, 4, seed=0)
    assert len(set(np.bincount(folds))) == 1
    y = np.array([single.categories[c] for c in single.train.labels.indices])
    search = GridSearchCV(
        Categorizer(KNN(), folds=0, cut="rcut:1"),
        {"classifier__k": grid["k"], "select": grid["select"]},
        cv=PredefinedSplit(folds),
    ).fit(list(single.train.texts), y)
    assert [one.value for one in found.tried] == pytest.approx(list(search.cv_results_["mean_test_score"]))
    assert found.best.values == {"k": search.best_params_["classifier__k"], "select": search.best_params_["select"]}


def surface(monkeypatch, values):
    """An estimate that looks its numbers up; gives the list of what was asked."""
    asked = []

    def look_up(settings, judging):
        asked.extend(tuple(each.values()) for each in settings)
        return [values[tuple(each.values())] for each in settings]

    monkeypatch.setitem(judging_module.WAYS, "look_up", look_up)
    return asked


def greedy_by_hand(values, grid):
    """One parameter after the other, written out."""
    point = [candidates[0] for candidates in grid]
    for i, candidates in enumerate(grid):
        tried = [(values[(*point[:i], c, *point[i + 1 :])], c == point[i], -n) for n, c in enumerate(candidates)]
        point[i] = candidates[-max(tried)[2]]
    return tuple(point)


@given(st.data())
def test_greedy_is_one_parameter_after_the_other(data):
    grid = {"a": [0, 1, 2], "b": [0, 1], "c": [0, 1, 2, 3]}
    points = list(itertools.product(*grid.values()))
    values = dict(zip(points, data.draw(st.lists(st.integers(0, 9), min_size=24, max_size=24)), strict=True))
    with pytest.MonkeyPatch.context() as patch:
        asked = surface(patch, values)
        found = tune(None, grid, by="look_up", greedy=True, store=Store("unused"))
    assert len(asked) == len(set(asked)) == 3 + 2 + 4 - 2, "the sum of the candidates, nothing twice"
    assert values[tuple(found.best.values.values())] == values[greedy_by_hand(values, list(grid.values()))]


def test_greedy_stops_with_a_parameter_that_gets_worse(monkeypatch):
    values = {(a, b): -abs(a - 1) - b for a in range(10) for b in range(3)}
    asked = surface(monkeypatch, values)
    grid = {"a": list(range(10)), "b": [0, 1, 2]}
    found = tune(None, grid, by="look_up", greedy=True, stop=2, store=Store("unused"))
    assert found.best.values == {"a": 1, "b": 0}
    assert asked == [(0, 0), (1, 0), (2, 0), (3, 0), (1, 1), (1, 2)]


def test_further_passes_find_what_one_misses_and_end_when_nothing_changes(monkeypatch):
    values = {(0, 0): 0, (1, 0): -1, (0, 1): 1, (1, 1): 5}
    asked = surface(monkeypatch, values)
    grid = {"a": [0, 1], "b": [0, 1]}
    assert tune(None, grid, by="look_up", greedy=True, store=Store("x")).best.value == 1
    assert tune(None, grid, by="look_up", greedy=True, passes=9, store=Store("x")).best.value == 5
    assert len(asked) == 3 + 4


def test_ties_go_to_the_first_and_nan_to_nobody(monkeypatch):
    surface(monkeypatch, {(0,): float("nan"), (1,): 2.0, (2,): 2.0})
    for greedy in (False, True):
        found = tune(None, {"a": [0, 1, 2]}, by="look_up", greedy=greedy, store=Store("unused"))
        assert found.best.values == {"a": 1}
        assert found.to_dict()["tried"][0]["micro_f1"] is None


def test_errors_are_made_small(monkeypatch):
    surface(monkeypatch, {(0,): 0.3, (1,): 0.1})
    assert tune(None, {"a": [0, 1]}, by="look_up", criterion="micro_error", store=Store("x")).best.values == {"a": 1}


def test_test_documents_have_no_say(corpus, tmp_path):
    shuffled = Corpus("small", "made", corpus.train, corpus.test.take(np.arange(20)[::-1]))
    for by in judging_module.WAYS:
        found = [tune(one, {"C": [0.1, 1]}, by=by, store=Store(tmp_path / by)) for one in (corpus, shuffled)]
        assert found[0] == found[1]


def test_a_search_goes_on_from_the_store(corpus, store, monkeypatch):
    from rubricate.training.adapters import Aligned

    made, fit = [], Aligned.fit
    monkeypatch.setattr(Aligned, "fit", lambda self, X, labels: (made.append(1), fit(self, X, labels))[1])
    tune(corpus, {"C": [0.1, 1]}, store=store)
    assert len(made) == 10
    tune(corpus, {"C": [0.1, 1, 10]}, store=Store(store.folder))
    assert len(made) == 15


def test_the_validation_part_is_about_the_share_and_stratified(corpus, store):
    judging = judging_module.Judging(corpus.train, criterion("micro_f1"), store, share=0.25)
    parts = judging.parted
    assert len(parts.test) == 30
    assert not set(parts.ids) & set(parts.test.ids)
    totals = corpus.train.labels.sum(axis=0)
    assert np.abs(parts.test.labels.sum(axis=0) - totals / 4).max() <= 2


def test_xi_alpha_gives_the_estimate_of_an_svm_and_keeps_it(corpus, store, monkeypatch):
    found = tune(corpus, {"C": [0.1, 1.0]}, by="xi_alpha", criterion="macro_f1", store=store)
    expected = [
        rb.estimate(rb.Categorizer(rb.SVM(C=C)), corpus.train, method="xi_alpha").macro["f1"] for C in (0.1, 1.0)
    ]
    assert [one.value for one in found.tried] == expected
    monkeypatch.setattr(judging_module, "estimate", None)
    assert tune(corpus, {"C": [0.1, 1.0]}, by="xi_alpha", criterion="macro_f1", store=Store(store.folder)) == found
    with pytest.raises(InvalidInput, match="choose one of these"):
        tune(corpus, {"C": [1.0]}, by="xi_alpha", criterion="eleven_point", store=store)


WRONG = {
    "empty": ({}, {}, "nothing to tune"),
    "no candidates": ({"C": []}, {}, "list of candidates"),
    "text for a list": ({"select": "chi2:10"}, {}, "list of candidates"),
    "folds": ({"folds": [3, 5]}, {}, "no parameter to tune"),
    "stop": ({"C": [1]}, {"greedy": True, "stop": 0}, "at least 1"),
    "one fold": ({"C": [1]}, {"folds": 1}, "2 folds or more"),
    "share": ({"C": [1]}, {"by": "validation", "share": 0.9}, "at most half"),
    "value": ({"C": [-1]}, {}, "C=-1"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_tuned_is_said(case, corpus, store):
    grid, options, message = WRONG[case]
    with pytest.raises(InvalidInput, match=message):
        tune(corpus, grid, store=store, **options)


def test_unknown_names_are_answered_with_the_nearest(corpus, store):
    for options, nearest in (({"by": "cross_validatoin"}, "cross_validation"), ({"criterion": "micro_f"}, "micro_f1")):
        with pytest.raises(UnknownName, match=nearest):
            tune(corpus, {"C": [1]}, store=store, **options)


@pytest.mark.parametrize("name", known_criteria())
def test_every_criterion_is_best_for_perfect_answers(name, corpus):
    truth = corpus.train.labels
    scores = truth.toarray().astype(float)
    perfect, wrong = (
        Run(
            "x",
            corpus.train.ids,
            corpus.categories,
            scores=None if name in ("subset_accuracy",) else _scores(corpus, values),
            decisions=Decisions(type(truth)(values > 0.5), corpus.categories, corpus.train.ids),
            truth=truth,
        )
        for values in (scores, 1 - scores)
    )
    one = criterion(name)
    assert one.better(one.value(perfect, "zero"), one.value(wrong, "zero"))


def _scores(corpus, values):
    from rubricate.types import Scores

    return Scores(values, corpus.categories, corpus.train.ids)


def test_averages_are_those_of_the_measures(corpus):
    decided = type(corpus.train.labels)(np.eye(len(corpus.train), 4, dtype=bool))
    run = Run(
        "x",
        corpus.train.ids,
        corpus.categories,
        decisions=Decisions(decided, corpus.categories, corpus.train.ids),
        truth=corpus.train.labels,
    )
    table = counts(corpus.train.labels, decided)
    assert criterion("micro_f1").value(run, "zero") == micro("f1", table)
    assert criterion("macro_f_beta:2").value(run, "omit") == macro("f_beta:2", table, undefined="omit")


@pytest.mark.parametrize(
    "grid",
    [
        {"C": [0.1, 1.0, 10.0]},
        {"kernel": ["rbf"], "gamma": [0.1, 1.0]},
        {"kernel": ["poly"], "degree": [1, 2]},
        {"analyzer__stem": ["porter", None]},
        {"select": ["chi2:10", "chi2:40"]},
        {"weights": ["ltc", "nnc"]},
    ],
)
def test_xi_alpha_chooses_any_setting_by_one_training_each(grid, corpus, store, monkeypatch):
    trained = []
    learn = rb.SVM._learn
    monkeypatch.setattr(rb.SVM, "_learn", lambda self, *given: trained.append(1) or learn(self, *given))
    found = tune(corpus, grid, by="xi_alpha", store=store)
    assert len(trained) == len(found.tried) == max(map(len, grid.values()))
    for one in found.tried:
        model = configured({"classifier": "svm", **one.values})
        whole = rb.estimate(model, corpus.train, method="xi_alpha").micro["f1"]
        assert one.value == pytest.approx(whole, abs=1e-12)


def test_xi_alpha_is_of_svms(corpus, store):
    with pytest.raises(InvalidInput, match="of SVMs, not of"):
        tune(corpus, {"k": [3]}, settings={"classifier": "knn"}, by="xi_alpha", store=store)


def test_a_way_of_judging_spelled_with_a_hyphen_warns_and_works(corpus, store):
    with pytest.warns(DeprecationWarning, match="'xi-alpha' is now 'xi_alpha'"):
        assert tune(corpus, {"C": [1.0]}, by="xi-alpha", store=store).by == "xi_alpha"
