"""Chances of classes: calibrated where the scores are, in the order of the scores, one in all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import log_loss

import rubricate as rb
from rubricate.thresholds.class_probabilities import class_chances, sharpness_of

SCORES = arrays(np.float64, (4, 3), elements=st.floats(-50, 50) | st.just(-np.inf) | st.just(np.inf))


@given(scores=SCORES, sharpness=st.floats(0.01, 100))
def test_rows_add_up_to_one_in_the_order_of_the_scores(scores, sharpness):
    chances = class_chances(scores, sharpness)
    assert np.allclose(chances.sum(axis=1), 1)
    best = np.take_along_axis(chances, scores.argmax(axis=1)[:, None], axis=1)[:, 0]
    assert np.allclose(best, chances.max(axis=1))


@pytest.mark.parametrize("sharpness", [0.3, 1.0, 5.0])
def test_the_sharpness_of_a_known_model_is_found(sharpness):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(20_000, 4))
    chances = class_chances(scores, sharpness)
    classes = (rng.random((len(scores), 1)) > chances.cumsum(axis=1)).sum(axis=1)
    assert sharpness_of(scores, classes) == pytest.approx(sharpness, rel=0.05)


def test_unknown_classes_do_not_count():
    scores = np.array([[1.0, -np.inf], [0.5, -np.inf], [1.0, -np.inf]])
    assert sharpness_of(scores, np.array([1, 1, 1])) is None
    assert sharpness_of(scores, np.array([0, 0, 1])) > 0


@pytest.mark.slow
def test_a_categorizer_has_them_for_single_labels(tmp_path):
    rng = np.random.default_rng(1)
    words = {"a": "wheat corn rye", "b": "oil gas coal", "c": "gold tin zinc"}
    classes = rng.choice(list(words), 150)
    texts = [" ".join(rng.choice([*words[c].split(), *["wheat", "oil", "gold", "price", "rose"]], 4)) for c in classes]
    model = rb.Categorizer("svm").fit(texts[:100], classes[:100])
    chances = model.predict_proba(texts[100:])
    assert np.array_equal(model.classes_[chances.argmax(axis=1)], model.predict(texts[100:]))
    assert log_loss(classes[100:], chances) < np.log(3)
    again = rb.Categorizer.open(model.save(tmp_path / "m"))
    assert np.array_equal(again.predict_proba(texts[100:]), chances)


def test_no_folds_or_several_labels_have_none():
    texts, labels = ["wheat", "corn", "oil", "gas"] * 4, [["a"], ["a"], ["b"], ["a", "b"]] * 4
    model = rb.Categorizer("nb", weights="nnn", cut="scut").fit(texts, labels)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba") as error:
        rb.Categorizer("nb", weights="nnn", folds=0).fit(texts, ["a", "a", "b", "b"] * 4).predict_proba(texts)
    assert "exactly one label" in str(error.value.__cause__)
