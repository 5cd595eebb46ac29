"""Plain settings → a categorizer."""

from __future__ import annotations

import pytest
from sklearn.model_selection import GridSearchCV

import rubricate as rb
from rubricate.errors import InvalidInput, UnknownName
from rubricate.training.categorizer import configured
from rubricate.training.config import read_setting


@pytest.mark.parametrize(
    ("pair", "found"),
    [
        ("C=2", ("C", 2)),
        ("C=2.5", ("C", 2.5)),
        ("select=chi2:2415", ("select", "chi2:2415")),
        ("stop=[1]", ("stop", [1])),
        ("a=b=c", ("a", "b=c")),
        ("x=", ("x", "")),
        ("x=true", ("x", True)),
    ],
)
def test_values_are_json_where_they_read_as_such(pair, found):
    assert read_setting(pair) == found


@pytest.mark.parametrize("pair", ["C", "=2", ""])
def test_a_pair_needs_a_name_and_a_sign(pair):
    with pytest.raises(InvalidInput, match="NAME=VALUE"):
        read_setting(pair)


def test_settings_reach_the_part_they_belong_to():
    made = configured({"C": 3, "cut": "scut", "analyzer__stem": None, "folds": 2})
    assert made.classifier.C == 3
    assert (made.cut, made.folds, made.analyzer.stem, made.analyzer.title) == ("scut", 2, None, 2)
    assert configured({}).get_params() == rb.Categorizer().get_params()
    assert configured({"classifier": rb.SVM(C=5), "kernel": "rbf"}).classifier.get_params()["C"] == 5
    assert configured({"cut": rb.thresholds.Scut(), "cut__fbr": 0.3}).cut.fbr == 0.3


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"classifier": "svn", "C": 1}, "Did you mean 'svm'"),
        ({"classifier": "knn", "C": 1}, "no parameter of the classifier named 'C'"),
        ({"analyser__stem": None}, "Did you mean 'analyzer'"),
        ({"analyzer__stm": None}, "Did you mean 'stem'"),
    ],
)
def test_wrong_names_are_answered_with_the_nearest(settings, reason):
    with pytest.raises(UnknownName, match=reason):
        configured(settings)


def test_shorthand_with_parameters_becomes_an_object():
    assert configured({"select": "chi2:5", "select__by": "max"}).select.get_params()["by"] == "max"
    made = configured({"cut": "scut:0.3", "cut_fallback": "infinity"}).cut
    assert (made.fbr, made.fallback) == (0.3, "infinity")
    assert configured({"by": "max"}).select is None, "nothing is selected, so nothing is joined"


def test_analyzer_options_may_stand_alone_and_none_is_none():
    made = configured({"stem": "none", "stop": False, "analyzer__ngrams": "1,2", "select": "none"})
    assert (made.analyzer.stem, made.analyzer.stop, made.analyzer.ngrams, made.select) == (None, None, (1, 2), None)
    assert configured({"classifier": "word", "weights": "ltc"}).classifier == "word"


def test_settings_leave_the_objects_they_are_given_alone():
    svm = rb.SVM(C=5)
    assert configured({"classifier": svm, "C": 2}).classifier.C == 2
    assert svm.C == 5


def test_a_part_without_parameters_says_so():
    with pytest.raises(InvalidInput, match="no parameters of its own"):
        configured({"weights": "ltc", "weights__scheme": "lnc"})


@pytest.mark.slow
def test_a_grid_search_over_the_default_keeps_choosing_the_representation():
    texts = ["how do i pay", "can you pay it", "why was it sent", "who sent that", "stop it now", "please stop"] * 4
    search = GridSearchCV(rb.Categorizer(), {"classifier__C": [0.5, 2.0]}, cv=2)
    search.fit(texts, ["pay", "pay", "send", "send", "stop", "stop"] * 4)
    best = search.best_estimator_
    assert best.get_params()["classifier__C"] == search.best_params_["classifier__C"]
    assert best.screening_ is not None
    assert best.representation == "auto"


def test_parts_open_as_their_parameters_are_set():
    model = rb.Categorizer(cut="scut", select="chi2:5")
    model.set_params(cut__fbr=0.2, select__by="mean", analyzer__stop=None, classifier="knn", classifier__k=3)
    assert (model.cut.fbr, model.select.by, model.analyzer.stop, model.classifier.k) == (0.2, "mean", None, 3)
    assert model.representation is None
    with pytest.raises(ValueError, match="Invalid parameter"):
        rb.Categorizer().set_params(classifier__gammma=1)
