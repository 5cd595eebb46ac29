"""Hand-written rules as a classifier: texts, documents, matrices, saving, and what cannot be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from tests.damaged import write_damaged

import rubricate as rb
from rubricate.errors import InvalidFile, InvalidInput, UnknownName
from rubricate.experiments.store import Store
from rubricate.experiments.trial import Trial
from rubricate.measures import counts, micro
from rubricate.rules.form import Rule, RuleBase, Word
from rubricate.training.categorizer import configured
from rubricate.training.data import TrainingData
from rubricate.training.rule_models import rule_analyzer, rule_answers, rule_model

RULES = """
cereal: grain if wheat or title(corn) or "corn belt";
crude if oil near/3 price* and not vegetable;
"""
TEXTS = ["The price of crude oil", "vegetable oil prices", "Wheat in the Corn Belt", "corn", ""]
WANTED = [[0, 1], [0, 0], [1, 0], [0, 0], [0, 0]]


@pytest.fixture
def model():
    return rb.classifiers.Construe(RULES, analyzer=rb.text.Analyzer(stop=None, stem=None)).fit()


def documents(titles):
    return rb.Documents(
        ids=[f"d{i}" for i in range(len(TEXTS))],
        bodies=TEXTS,
        labels=sparse.csr_array(np.array(WANTED, bool)),
        categories=("grain", "crude"),
        titles=titles,
    )


def test_texts_in_any_form_are_scored_without_training(model):
    for texts in (TEXTS, tuple(TEXTS), np.array(TEXTS), pd.Series(TEXTS), documents(None)):
        assert model.decision_function(texts).tolist() == WANTED
        assert model.predict(texts).toarray().tolist() == [[bool(one) for one in row] for row in WANTED]
    assert model.decision_function(documents(["Corn"] * 5))[:, 0].tolist() == [1.0] * 5
    assert model.decision_function([]).shape == (0, 2)


def test_top_and_explain(model):
    assert model.top(TEXTS, 1).values.toarray().tolist() == [[0, 1], [0, 0], [1, 0], [0, 0], [0, 0]]
    reason = model.explain(TEXTS, "crude")[0][0]
    assert reason.source == "crude if oil near/3 price* and not vegetable;"
    assert reason.detail == "oil near/3 price*: the [price of crude oil]"
    assert model.explain(TEXTS, "crude")[1] == []
    with pytest.raises(UnknownName):
        model.explain(TEXTS, "corn")
    with pytest.raises(InvalidInput, match="at least 1"):
        model.top(TEXTS, 0)


def test_matrices_by_the_names_of_their_columns():
    X = sparse.csr_array(np.array([[1.0, 0, 0], [0, 2, 0], [0, 0, 0.5]]))
    rules = "grain if wheat or corn; crude if oil and not wheat;"
    names = ["wheat", "corn", "oil"]
    for given in (pd.DataFrame(X.toarray(), columns=names), X, X.toarray()):
        found = rb.classifiers.Construe(rules, terms=None if isinstance(given, pd.DataFrame) else names).fit()
        assert found.decision_function(given).tolist() == [[1, 0], [1, 0], [0, 1]]
    with pytest.raises(InvalidInput, match="this matrix has none; give `terms`"):
        rb.classifiers.Construe(rules).fit().predict(X)
    with pytest.raises(InvalidInput, match="2 names for 3 columns"):
        rb.classifiers.Construe(rules, terms=["a", "b"]).fit().predict(X)
    found = rb.classifiers.Construe(rules, terms=names).fit(X, np.array(["grain", "grain", "crude"]))
    assert found.predict(X).tolist() == ["grain", "grain", "crude"]
    assert found.n_features_in_ == 3
    stemmed = rb.classifiers.Construe("grain if Exports;", terms=["export"], analyzer=rb.text.Analyzer()).fit()
    assert stemmed.decision_function(np.ones((1, 1))).tolist() == [[1.0]]


def test_labels_give_the_categories_and_the_form_of_answers(model):
    column = model.fit(TEXTS, ["crude", "other", "grain", "grain", "other"])
    assert column.categories_ == ("crude", "grain", "other")
    assert column.predict(TEXTS).tolist() == ["crude", "crude", "grain", "crude", "crude"]
    frame = pd.DataFrame(np.array(WANTED), columns=["grain", "crude"])
    assert model.fit(TEXTS, frame).predict(TEXTS).tolist() == WANTED
    named = clone(model).set_params(categories=("crude", "grain"))
    assert named.fit(TEXTS, np.array(WANTED)[:, ::-1]).decision_function(TEXTS).tolist() == [r[::-1] for r in WANTED]
    with pytest.raises(UnknownName, match="no category named 'grain'"):
        model.fit(TEXTS, pd.DataFrame(np.array(WANTED), columns=["corn", "crude"]))


def test_rules_from_values_text_and_files(tmp_path):
    place = tmp_path / "base.rules"
    place.write_text(RULES)
    base = rb.rules.parse_rules(RULES)
    for given in (base, RULES, place, str(place)):
        assert rb.classifiers.Construe(given).fit().rule_base() == base
    assert rb.classifiers.Construe("reuters10").fit().categories_[0] == "earn"
    with pytest.raises(InvalidFile, match="cannot read it"):
        rb.classifiers.Construe("nowhere.rules").fit()
    with pytest.raises(InvalidInput, match="a RuleBase, the path"):
        rb.classifiers.Construe(3).fit()
    with pytest.raises(InvalidInput, match="reads texts with an analyzer"):
        rb.classifiers.Construe(RULES).fit().predict(TEXTS)


@pytest.mark.parametrize("given", [RULES, rb.rules.parse_rules(RULES), Path("x.rules")])
def test_is_saved_as_text_and_opened_with_the_same_scores(given, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("x.rules").write_text(RULES)
    model = rb.classifiers.Construe(given, analyzer=rb.text.Analyzer(stop=None, stem=None)).fit()
    rb.save(model, tmp_path / "m.rubric")
    Path("x.rules").unlink()
    opened = rb.open(tmp_path / "m.rubric")
    assert opened.decision_function(TEXTS).tolist() == WANTED
    assert opened.rule_base() == model.rule_base()
    shown = rb.rules.rules_of(opened)
    assert (shown.rules, shown.macros) == (model.rule_base().rules, model.rule_base().macros)
    assert dict(shown.analyzer)["min_length"] == 2
    assert (
        rb.rules.run_rules(rb.rules.parse_rules(rb.rules.format_rules(shown)), TEXTS).scores.values.tolist() == WANTED
    )


def test_a_model_with_damaged_rules_is_refused(model, tmp_path):
    model.rules_ = "grain if (wheat;"
    write_damaged(model, tmp_path / "m.rubric")
    with pytest.raises(InvalidFile, match="parts do not fit"):
        rb.open(tmp_path / "m.rubric")
    model.rules_ = "corn if wheat;"
    write_damaged(model, tmp_path / "m.rubric")
    with pytest.raises(InvalidFile, match="no category named 'corn'"):
        rb.open(tmp_path / "m.rubric")


def test_learned_and_hand_written_scores_stand_side_by_side():
    base = RuleBase((Rule("c", Word("a"), 8, 0), Rule("c", Word("b"))))
    scores = rule_model(base).decision_function(["a", "b", "a b", "x"])
    assert scores[:, 0].tolist() == [0.9, 1.0, 1.0, 0.0]


def test_runs_carry_the_truth_and_their_origin():
    run = rb.rules.run_rules(rb.rules.parse_rules(RULES + "corn if corn;"), documents(None))
    assert run.categories == ("grain", "crude", "corn")
    assert micro("f1", counts(run.truth[:, :2], run.decisions.values[:, :2])) == 1.0
    assert run.signature.terms == "alphanumeric1+stop None+stem None"
    assert rb.rules.run_rules(rb.rules.parse_rules(RULES), TEXTS).truth is None


def test_answers_name_the_rule_and_its_words():
    answers = rule_answers(rule_model(rb.rules.parse_rules(RULES)), documents(None), explain=2)
    assert answers[2].labels == ("grain",)
    assert answers[2].scores == (("grain", 1.0),)
    assert answers[2].evidence["grain"][0].source.startswith("cereal (wheat: [wheat] in the corn belt")
    assert answers[4].labels == ()
    assert answers[4].evidence == {}


def test_the_analyzer_line_is_checked():
    assert rule_analyzer(rb.rules.parse_rules("analyzer stem = porter, ngrams = (1, 2), title = mark;")).ngrams == 1
    with pytest.raises(UnknownName, match="option of the analyzer named 'stemm'"):
        rule_analyzer(rb.rules.parse_rules("analyzer stemm = porter;"))
    with pytest.raises(UnknownName, match="stemmer"):
        rule_analyzer(rb.rules.parse_rules("analyzer stem = snow;"))
    with pytest.raises(InvalidInput, match="min_length must be a whole number, 1 or more, got 'long'"):
        rule_analyzer(rb.rules.parse_rules("analyzer min_length = long;"))


CORPUS = ["wheat and corn", "corn exports", "crude oil", "oil and gas", "wheat harvest", "gas pipeline"] * 3
LABELS = ["grain", "grain", "fuel", "fuel", "grain", "fuel"] * 3


@pytest.mark.slow
def test_a_categorizer_gives_its_terms_and_categories(tmp_path):
    rules = "grain if (Wheat or corn) and not oil; fuel if Exports >= 9 or gas or oil; fuel if pip*;"
    for labels in (LABELS, [(one,) for one in LABELS]):
        model = rb.Categorizer(rb.classifiers.Construe(rules), weights="nnn", folds=2, cut=0.5, engine="serial").fit(
            CORPUS, labels
        )
        assert model.classify(["corn", "Corn, oil", "a pipeline", "gold"]) == [("grain",), ("fuel",), ("fuel",), ()]
        assert model.explain("wheat exports", "grain")["grain"][0].detail == "wheat: wheat"
        model.save(tmp_path / "m.rubric")
        assert rb.open(tmp_path / "m.rubric").classify(["corn", "gas"]) == [("grain",), ("fuel",)]
        assert rb.rules.rules_of(model).rules == rb.rules.parse_rules(rules).rules
    with pytest.raises(UnknownName, match="no category named 'ship'"):
        rb.Categorizer(rb.classifiers.Construe("ship if wheat;"), engine="serial").fit(CORPUS, LABELS)
    with pytest.raises(InvalidInput, match="set select=None"):
        rb.Categorizer(rb.classifiers.Construe(rules), select="chi2:3", engine="serial").fit(CORPUS, LABELS)
    with pytest.raises(InvalidInput, match="order of words"):
        rb.Categorizer(rb.classifiers.Construe("grain if wheat near/2 corn;"), engine="serial").fit(CORPUS, LABELS)


def test_is_made_by_name_with_its_rules(tmp_path):
    (tmp_path / "x.rules").write_text("grain if wheat or corn; fuel if gas or oil;")
    model = configured({"classifier": "construe", "rules": str(tmp_path / "x.rules"), "folds": 0, "cut": 0.5})
    assert model.fit(CORPUS, LABELS).classify(["corn"]) == [("grain",)]
    with pytest.raises(InvalidInput, match="'construe' needs a value for rules"):
        rb.Categorizer("construe").fit(CORPUS, LABELS)
    with pytest.raises(InvalidInput, match="'construe' needs a value for rules"):
        configured({"classifier": "construe", "terms": None})


def test_a_trial_of_a_study_notices_that_the_file_of_rules_was_edited(tmp_path):
    place = tmp_path / "x.rules"
    place.write_text("grain if wheat or corn; fuel if gas or oil;")
    labels = sparse.csr_array(np.array([[name == "fuel", name == "grain"] for name in LABELS]))
    train = rb.Documents([str(i) for i in range(len(CORPUS))], CORPUS, labels, ("fuel", "grain"))
    settings = {"classifier": "construe", "rules": str(place), "folds": 2, "cut": 0.5}
    trial = Trial("rules", settings, TrainingData(train), Store(tmp_path / "store"))
    step = trial.procedure.steps()[0]
    assert trial.entry(step) is not None
    before = trial.what(step)
    place.write_text("grain if wheat or corn; fuel if gas;")
    assert Trial("rules", settings, TrainingData(train), Store(tmp_path / "store")).what(step) != before


def test_models_without_rules_say_so():
    with pytest.raises(InvalidInput, match="KNN has no rules; train one that has"):
        rb.rules.rules_of(rb.KNN(k=1).fit([[1], [0]], ["a", "b"]))


@pytest.fixture(scope="module")
def reuters(reuters_folder):
    return rb.load("reuters21578", split="modhayes", folder=reuters_folder)


@pytest.mark.slow
def test_the_reuters_base_does_as_its_documentation_says(reuters):
    """docs/guides/rules.md: micro-F1 .804 on the 722 test documents, over the ten topics of the base."""
    base = rb.rules.read_rules("reuters10")
    run = rb.rules.run_rules(base, reuters)
    columns = [run.categories.index(name) for name in base.categories]
    table = counts(run.truth[:, columns], run.decisions.values[:, columns])
    assert (int(table.tp.sum()), int(table.fp.sum()), int(table.fn.sum())) == (364, 105, 72)
    assert micro("f1", table) == pytest.approx(0.8044, abs=5e-5)


def test_the_rules_of_a_categorizer_run_again_as_it_read_them():
    """Its analyzer stems, so that "exports" in a rule holds of "export"; printed without it, the rule would not."""
    texts, labels = (
        ["wheat export", "exported corn", "crude oil", "oil and gas"] * 3,
        ["grain", "grain", "fuel", "fuel"] * 3,
    )
    rules = "grain if exports; fuel if oils;"
    model = rb.Categorizer(rb.classifiers.Construe(rules), folds=0, cut=0.5, engine="serial").fit(texts, labels)
    assert model.signature().classifier == f"Construe(rules={rules!r})"
    base = rb.rules.parse_rules(rb.rules.format_rules(rb.rules.rules_of(model)))
    assert dict(base.analyzer)["stem"] == "porter"
    again = rb.rules.run_rules(base, texts)
    assert [again.categories[row.argmax()] for row in again.scores.values] == labels
    assert [model.classify([text])[0] for text in texts] == [(label,) for label in labels]
