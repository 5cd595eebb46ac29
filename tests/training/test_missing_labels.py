"""One missing label does not change the task: the few documents without one are left out, and it is said."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import rubricate as rb
from rubricate.errors import InvalidInput
from rubricate.labels import MissingLabels, as_target, class_target

TEXTS = ["wheat corn", "corn exports", "crude oil", "oil gas", "wheat harvest", "gas pipe"] * 7
LABELS = ["grain", "grain", "fuel", "fuel", "grain", "fuel"] * 7


def _fit(labels, **options):
    texts = [*TEXTS, *["shipping news"] * (len(labels) - len(TEXTS))]
    return rb.Categorizer("svm", folds=2, engine="serial", **options).fit(texts, labels)


@pytest.mark.parametrize(
    ("others", "more", "strays"),
    [
        (41, [[]], 1),  # a single one is always few
        (2, [[]], 1),
        (19, [[], []], 0),  # two of 21 are more than 5 %
        (38, [[], []], 2),  # exactly 5 %
        (38, [[], ["a", "b"]], 0),  # several labels: none may be meant, too
        (40, [], 0),
        (0, [[]], 0),
    ],
)
def test_what_a_few_is(others, more, strays):
    assert len(as_target([["a"]] * others + more).unlabelled_rows()) == strays


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_a_missing_label_in_a_column_leaves_the_form_of_the_answer(missing):
    with pytest.warns(MissingLabels, match=r"1 of 43 documents have no label and are left out.*cut such as"):
        model = _fit(pd.Series([*LABELS, missing]))
    whole = _fit(LABELS)
    assert model.single_label_
    assert repr(model.cut_) == repr(whole.cut_)
    assert model.predict(["wheat", "gas"]).tolist() == ["grain", "fuel"]
    assert model.ids_ == whole.ids_
    assert np.array_equal(model.decision_function(TEXTS[:6]), whole.decision_function(TEXTS[:6]))


@pytest.mark.parametrize("form", [list, sparse.csr_array, np.asarray, "documents"])
def test_the_rule_holds_in_every_form(form):
    target = as_target([*([name] for name in LABELS), []])
    X, y = [*TEXTS, "shipping news"], target.labels
    if form == "documents":
        X, y = rb.Documents([str(i) for i in range(43)], X, target.labels, target.categories), None
    else:
        y = [*([name] for name in LABELS), None] if form is list else form(y.toarray())
    with pytest.warns(MissingLabels):
        model = rb.Categorizer("svm", folds=2, engine="serial").fit(X, y)
    assert model.single_label_
    assert len(model.ids_) == 42
    if form == "documents":
        assert len(model.keep(X).kept_documents()) == 42


@pytest.mark.parametrize("options", [{"cut": "micro_macro"}, {"outside": 0.05}])
def test_who_says_that_a_document_may_have_none_is_heeded(options):
    with warnings.catch_warnings():
        warnings.simplefilter("error", MissingLabels)
        model = _fit([*LABELS, None], **options)
    assert not model.single_label_
    assert len(model.ids_) == 43
    assert model.predict(["wheat"]).tolist() == ["grain"]


def test_many_documents_without_a_label_are_meant():
    model = _fit([*LABELS, *[None] * 8])
    assert not model.single_label_
    assert model.predict(["shipping news"]).tolist() == [()]


def test_estimates_calibration_and_tuning_leave_out_the_same():
    texts, labels = [*TEXTS, "shipping news"], [*LABELS, None]
    with pytest.warns(MissingLabels):
        model = rb.Categorizer("svm", folds=0).fit(texts, labels)
    with pytest.warns(MissingLabels):
        found = rb.estimate(model, texts, labels, method="leave_one_out")
    assert found.single_label
    assert found.documents == 42
    with pytest.warns(MissingLabels):
        assert rb.estimation.calibrate(model, texts, labels).cross_validation_["documents"] == 42


def test_a_classifier_of_vectors_needs_every_label_of_a_column():
    with pytest.raises(InvalidInput, match="document 1 has no label"):
        rb.SVM().fit(np.eye(3), ["a", None, "b"])
    with pytest.raises(InvalidInput, match="document 2 has no label"):
        class_target(np.array([1.0, 2.0, np.nan]), owner="SVM")
    with pytest.raises(InvalidInput, match="the labels have no category"):
        class_target(np.full(3, np.nan), owner="SVM")


def test_train_says_what_it_left_out(rubricate, tmp_path):
    path = tmp_path / "news.csv"
    rows = "".join(f"{text},{name}\n" for text, name in zip(TEXTS, LABELS, strict=True))
    path.write_text(f"text,labels\n{rows}shipping news,\n")
    code, out, err = rubricate("train", "news.csv", "-o", "m", "--classifier", "svm", "--keep")
    assert (code, err) == (0, "")
    assert "1 of 43 documents have no label and are left out, because all others have exactly one" in out
    assert "--cut micro_macro, or --outside 0.05" in out
    assert "the best category is assigned" in out
    code, out, _ = rubricate("train", "news.csv", "-o", "m", "--classifier", "svm", "--json")
    summary = json.loads(out)
    assert (summary["documents"], summary["unlabelled"], summary["single_label"]) == (42, 1, True)
    code, out, _ = rubricate("train", "news.csv", "-o", "m", "--classifier", "svm", "--cut", "micro_macro")
    assert "1 documents without a label are learned as belonging to no category" in out
