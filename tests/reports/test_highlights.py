"""Excerpts: what is marked, and which stretch is shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reports.studies import HOSTILE

from rubricate.reports.mistakes import Piece, excerpt, term_weights
from rubricate.text.analyzer import Analyzer
from rubricate.types import Evidence


def marked(pieces):
    return [(piece.text, piece.weight) for piece in pieces if piece.weight]


def test_words_are_found_by_their_stem_in_any_case():
    pieces = excerpt("Wheat EXPORTS rose; exporters cheered.", {"export": 1.5, "rose": -0.5})
    assert marked(pieces) == [("EXPORTS", 1.5), ("rose", -0.5), ("exporters", 1.5)]
    assert "".join(piece.text for piece in pieces) == "Wheat EXPORTS rose; exporters cheered."


def test_the_analyzer_of_the_systems_decides():
    weights = {"exports": 1.0}
    assert marked(excerpt("Exports rose", weights, analyzer=Analyzer(stem=None))) == [("Exports", 1.0)]
    assert marked(excerpt("Exports rose", weights)) == []
    phrases = Analyzer(stem=None, ngrams=2, title="mark")
    found = term_weights([Evidence("term", 0, 2.0, name="title:interest rate")])
    assert marked(excerpt("The interest rate", found, analyzer=phrases)) == [("interest", 2.0), ("rate", 2.0)]


def test_the_stretch_with_most_evidence_is_shown():
    text = "filler " * 200 + "wheat and corn " + "filler " * 200
    pieces = excerpt(text, {"wheat": 1.0, "corn": 1.0}, length=120)
    assert [word for word, _ in marked(pieces)] == ["wheat", "corn"]
    assert pieces[0].text.startswith("… ")
    assert pieces[-1].text.endswith(" …")


def test_a_text_without_evidence_begins_at_its_beginning():
    assert excerpt("a  b\n c", {}) == [Piece("a b c")]
    assert excerpt("", {"x": 1.0}) == []


@given(st.text(max_size=300), st.integers(1, 200))
def test_pieces_are_a_stretch_of_the_text(text, length):
    flat = " ".join(text.split())
    whole = "".join(piece.text for piece in excerpt(text, {"wheat": 1.0}, length=length))
    assert whole.removeprefix("… ").removesuffix(" …") in flat or flat == ""


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_cut_like_any_other(text):
    pieces = excerpt(text * 50, {"script": 1.0, "half": -1.0}, length=200)
    assert sum(len(piece.text) for piece in pieces) <= 210
