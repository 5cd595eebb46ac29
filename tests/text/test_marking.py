"""Negation and capitals: what is marked, and that stop list, stemmer and phrases still work."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rubricate as rb
from rubricate.errors import UnknownName
from rubricate.text import Analyzer
from rubricate.text.marking import MARKS, marker


def terms(text, **options):
    found = Analyzer(**options).terms([text])
    return [found.words[i] for i in found.ids]


@pytest.mark.parametrize("tokens", ["letters", "alphanumeric", "words", "web"])
def test_words_after_a_negation_are_marked_up_to_punctuation(tokens):
    options = {"tokens": tokens, "stop": None, "stem": None, "negation": True}
    assert terms("It was not very good. Nice food", **options) == ["it", "was", "not", "ǃvery", "ǃgood", "nice", "food"]
    assert "ǃwork" in terms("it doesn't work", **options)


def test_capitals_are_marked_and_case_is_folded_otherwise():
    assert terms("US and us, Us", stop=None, stem=None, casing="mark") == ["ꜛus", "and", "us", "us"]
    assert terms("not the ÖBB", stop=None, stem=None, casing="mark", negation=True) == ["not", "ǃthe", "ǃꜛöbb"]


def test_stop_words_are_left_out_and_words_are_stemmed_under_their_marks():
    assert terms("not the running WOLVES", negation=True, casing="mark") == ["ǃrun", "ǃꜛwolv"]
    assert terms("no a b cd", negation=True, stop=None, stem=None) == ["no", "ǃcd"]


@given(st.text(max_size=60), st.booleans())
def test_marks_are_all_that_changes(text, negation):
    text = "".join(character for character in text if character not in MARKS)
    mark = marker("mark", negation=negation)
    assert mark is not None
    assert "".join(character for character in mark(text) if character not in MARKS) == text


def test_nothing_is_marked_by_default_and_characters_stay_as_they_are():
    assert marker("fold", negation=False) is None
    plain = terms("not GOOD", tokens="characters", ngrams=3)
    assert terms("not GOOD", tokens="characters", ngrams=3, negation=True, casing="mark") == plain
    with pytest.raises(UnknownName, match="casing"):
        terms("a", casing="upper")


def test_models_keep_the_options(tmp_path):
    texts, labels = ["good", "not good", "very good", "not very good"] * 6, ["up", "down", "up", "down"] * 6
    analyzer = Analyzer(stop=None, negation=True, casing="mark")
    model = rb.Categorizer("svm", analyzer=analyzer).fit(texts, labels)
    again = rb.Categorizer.open(model.save(tmp_path / "m.rubric"))
    assert again.classify(["not that good", "good"]) == [("down",), ("up",)]
    assert "negation" in str(again.signature())
