"""Markup that cannot be injected into."""

import html
import json
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reports.studies import HOSTILE

from rubricate.reports.html import Html, data_script, escape, isolated, join, shorten, tag

TEXTS = st.text(st.characters(), max_size=60)


def readable(text: str) -> str:
    """The text as a page can show it."""
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]", "\ufffd", text)


@given(TEXTS)
def test_escaped_text_reads_as_it_was_and_holds_no_markup(text):
    escaped = escape(text)
    assert html.unescape(escaped) == html.unescape(html.escape(readable(text)))
    assert not set("<>\"'") & set(escaped)


@given(TEXTS)
def test_data_reads_back_and_cannot_end_its_element(text):
    script = data_script({"name": text, text: 1})
    body = script.removeprefix('<script type="application/json">').removesuffix("</script>")
    assert not set("<>&\u2028\u2029") & set(body)
    body.encode("utf-8")
    assert json.loads(body)["name"] == readable(text)


def test_data_has_no_nan_and_short_numbers():
    body = data_script([math.nan, math.inf, 0.123456789, 3.0, np.int64(4), np.array([1.5]), True, None])
    assert ">[null,null,0.123457,3,4,[1.5],true,null]<" in body


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_elements_and_attributes(text):
    made = tag("td", text, title=text)
    assert made.count("<") == 2
    assert made.count('"') == 2
    assert "onerror='" not in made


def test_markup_is_not_escaped_twice_and_nothing_is_nothing():
    assert join([tag("b", "x & y"), None, [1, "<"]]) == "<b>x &amp; y</b>1&lt;"
    assert isinstance(escape(Html("<b>")), Html)
    assert tag("br", hidden=False, title=None) == "<br>"


@pytest.mark.parametrize("name", ["onclick", "onerror", "a b", "x=", "é"])
def test_attributes_that_run_or_break_out_are_refused(name):
    with pytest.raises(ValueError, match="no attribute"):
        tag("p", **{name: "1"})


def test_long_names_are_cut_and_keep_their_beginning_in_a_tooltip():
    made = isolated("x" * 10_000)
    assert len(made) < 700
    assert 'title="xxx' in made
    assert isolated("wheat") == "<bdi>wheat</bdi>"
    assert shorten("a" * 60) == "a" * 60
    assert len(shorten("a" * 61)) <= 62
