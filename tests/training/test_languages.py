"""What a training does with the language of its documents."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import rubricate as rb
from rubricate.errors import UnknownName

GERMAN = [
    "Die Preise für Getreide sind wegen der Trockenheit gestiegen",
    "Der Weizen wird in diesem Jahr früher geerntet als sonst",
    "Das Gold ist an der Börse in London gefallen",
    "Wer sein Gold jetzt verkauft, bekommt weniger dafür",
    "Die Bauern erwarten eine gute Ernte beim Weizen",
    "Für eine Unze Gold wurden gestern weniger als tausend Euro bezahlt",
] * 3
LABELS = ["grain", "grain", "gold", "gold", "grain", "gold"] * 3
ENGLISH = ["The prices of wheat have risen", "Gold has fallen in London this week"] * 9
JAPANESE = ["小麦の価格は上昇した", "金の価格は下落した"] * 9


def _analyzer(model):
    shape = model.representation_
    part = shape.parts_[0] if hasattr(shape, "parts_") else shape
    return part.reading_analyzer()


@pytest.mark.slow
def test_german_is_read_as_german_and_said():
    model = rb.Categorizer(folds=2).fit(GERMAN, LABELS)
    assert (model.language_["language"], model.language_["sure"]) == ("de", True)
    assert model.language_["said"] == "German"
    terms = rb.Categorizer(folds=2, representation="terms").fit(GERMAN, LABELS)
    assert (_analyzer(terms).stop, _analyzer(terms).stem, _analyzer(terms).title) == ("german", "german", 2)
    assert "getreid" in terms.representation_.names()
    assert "für" not in terms.representation_.names()


@pytest.mark.slow
def test_english_and_what_is_not_sure_are_read_as_before():
    model = rb.Categorizer(folds=2, representation="terms").fit(ENGLISH, ["grain", "gold"] * 9)
    assert (_analyzer(model).stop, _analyzer(model).stem) == ("smart", "porter")
    few = rb.Categorizer(folds=2, representation="terms").fit(["kaese", "brot"] * 9, ["a", "b"] * 9)
    assert (_analyzer(few).stop, few.language_["sure"]) == ("smart", False)
    assert "not sure" in few.language_["said"]


def test_several_languages_are_neither_stopped_nor_stemmed():
    model = rb.Categorizer(folds=2, representation="terms").fit([*GERMAN, *ENGLISH], [*LABELS, *["grain", "gold"] * 9])
    assert (_analyzer(model).stop, _analyzer(model).stem) == (None, None)
    assert model.language_["said"].startswith("several languages: ")


def test_japanese_becomes_character_ngrams():
    model = rb.Categorizer(folds=2, representation="terms").fit(JAPANESE, ["grain", "gold"] * 9)
    assert _analyzer(model).tokens == "characters"
    assert model.classify(["小麦", "金"]) == [("grain",), ("gold",)]


def test_a_language_that_is_said_is_not_detected():
    model = rb.Categorizer(folds=2, representation="terms", language="nl").fit(GERMAN, LABELS)
    assert (_analyzer(model).stem, model.language_["said"]) == ("dutch", "Dutch, as it was said")
    none = rb.Categorizer(folds=2, representation="terms", language="none").fit(GERMAN, LABELS)
    assert (_analyzer(none).stop, _analyzer(none).stem) == (None, None)
    with pytest.raises(UnknownName, match="no language named 'klingon'"):
        rb.Categorizer(language="klingon").fit(GERMAN, LABELS)


@pytest.mark.slow
def test_an_english_analyzer_on_german_is_warned_of():
    with pytest.warns(UserWarning, match=r"documents are in German, but stem='porter' are for English.*stem='german'"):
        rb.Categorizer(folds=2, analyzer=rb.text.Analyzer(stop=None)).fit(GERMAN, LABELS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rb.Categorizer(folds=2, analyzer=rb.text.Analyzer(stop=None, stem="german")).fit(GERMAN, LABELS)
        rb.Categorizer(folds=2, analyzer=rb.text.Analyzer()).fit(ENGLISH, ["grain", "gold"] * 9)


@pytest.mark.slow
def test_vectors_have_no_language_and_a_model_file_keeps_what_was_found(tmp_path):
    vectors = rb.Categorizer(weights="precomputed", folds=2).fit(np.eye(6).repeat(2, axis=0), ["a", "b"] * 6)
    assert vectors.language_ is None
    model = rb.Categorizer(folds=2, representation="terms").fit(GERMAN, LABELS)
    model.save(tmp_path / "m.rubric")
    opened = rb.Categorizer.open(tmp_path / "m.rubric")
    assert opened.language_ == model.language_
    assert opened.classify(GERMAN) == model.classify(GERMAN)
