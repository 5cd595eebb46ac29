"""Documents unlike those for training: familiarity, outside, and what the command line says of it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import rubricate as rb
from rubricate.cli.answers import Watch
from rubricate.errors import InvalidInput
from rubricate.training.answers import Answer, AnswerColumns
from rubricate.training.confidence_scores import familiarity, reference_points

WORDS = {"grain": "wheat corn barley rye oats", "fuel": "oil crude gas coal fuel", "metal": "gold zinc tin iron lead"}
ELSE = "football match goal team player coach season league"


def documents(n, seed, words=None):
    rng = np.random.default_rng(seed)
    labels = rng.choice(list(WORDS), n)
    rest = ["price", "market", "week", "said"]
    return [" ".join(rng.choice([*(words or WORDS[c]).split(), *rest], 6)) for c in labels], labels.tolist()


@pytest.fixture(scope="module")
def model():
    return rb.Categorizer("svm").fit(*documents(300, 0))


@pytest.mark.slow
def test_documents_like_those_for_training_are_uniform(model):
    near = model.familiarity(documents(400, 1)[0])
    assert abs(np.mean(near < 0.2) - 0.2) < 0.08
    far = model.familiarity(documents(100, 2, ELSE)[0])
    assert roc_auc_score(np.r_[np.zeros(400), np.ones(100)], -np.r_[near, far]) > 0.9


def test_sparse_scores_have_the_same_familiarity():
    scores = np.random.default_rng(0).normal(size=(30, 4))
    points = reference_points(scores)
    assert familiarity(scores, points).max() == 1
    assert familiarity(scores, np.empty(0)).tolist() == [1.0] * 30
    assert len(reference_points(np.random.default_rng(0).normal(size=(5000, 2)))) == 1000


@pytest.mark.slow
def test_a_model_with_outside_refuses_what_belongs_nowhere(tmp_path):
    texts, labels = documents(300, 0)
    model = rb.Categorizer("svm", outside=0.05).fit(texts, labels)
    assert np.mean([not each for each in model.classify(texts)]) <= 0.1
    strange = documents(60, 3, ELSE)[0]
    assert np.mean([not each for each in model.classify(strange)]) > 0.5
    known = [[label] for label in labels] + [[]] * 60
    taught = rb.Categorizer("svm", outside=0.05).fit([*texts, *documents(60, 4, ELSE)[0]], known)
    assert np.mean([not each for each in taught.classify(strange)]) > 0.9
    right = [each == (label,) for each, label in zip(taught.classify(texts), labels, strict=True)]
    assert np.mean(right) > 0.9
    again = rb.Categorizer.open(taught.save(tmp_path / "m"))
    assert again.classify(strange) == taught.classify(strange)


@pytest.mark.parametrize(
    ("options", "labels", "message"),
    [
        ({"outside": 0.1, "cut": "scut"}, ["a", "b"] * 6, "does not go with cut"),
        ({"outside": 0.1}, [["a", "b"], ["b"]] * 6, "documents of 2 labels"),
        ({"outside": 1.5}, ["a", "b"] * 6, "share of documents"),
        ({"outside": 0.1}, [[]] * 12, "none of the documents has a label"),
    ],
)
def test_outside_that_cannot_be(options, labels, message):
    with pytest.raises(InvalidInput, match=message):
        rb.Categorizer("svm", **options).fit(["wheat", "oil"] * 6, labels)


def test_the_watch_warns_of_strange_documents_and_refuses_those_outside():
    quiet, loud = Watch(), Watch(outside=0.05)
    scores = (("a", 1.0),)
    quiet.seen(AnswerColumns.of([Answer(("a",), 0.9, ("a",), familiarity=i / 100) for i in range(100)]))
    assert quiet.lines() == []
    strange = [Answer(("a",), 0.9, ("a",), scores, familiarity=i / 100) for i in range(4)] * 30
    seen = loud.seen(AnswerColumns.of(strange)).answers()
    assert len(seen) == 120
    assert all((answer.labels, answer.scores, answer.confidence) == ((), scores, 0.9) for answer in seen)
    assert loud.lines()[0] == "120 of 120 documents are outside"
    assert "100% of the documents look unlike those for training" in loud.lines()[1]
    unknown = Watch(outside=0.5)
    assert unknown.seen(AnswerColumns.of([Answer(("a",), None, ("a",))])).answers()[0].labels == ("a",)


def test_the_watch_says_how_many_documents_were_answered():
    watch = Watch()
    watch.seen(AnswerColumns.of([Answer(None, 0.2, ("a",)), Answer(("a",), 0.9, ("a",)), Answer((), 0.9, ())]))
    assert watch.lines() == ["2 of 3 documents answered (67%), the others not"]
