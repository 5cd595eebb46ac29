"""Drawings on pages and in files: colours by name, words that fit, markup that cannot break out."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricate.svg import COLOURS, Svg, clip, escape, line, text, text_width, tokens_css


def test_a_page_names_colours_and_a_file_has_them():
    drawing = Svg(20, 10, "a < b", [line(0, 0, 20, 0, stroke="var(--rubric)"), text(1, 2, 'x="var(--ink)"')])
    page, file = drawing.inline("wide", focus=True), drawing.file()
    assert 'stroke="var(--rubric)"' in page
    assert 'aria-label="a &lt; b"' in page
    assert 'class="wide"' in page
    assert 'tabindex="0"' in page
    assert f'stroke="{COLOURS["rubric"][0]}"' in file
    root = ElementTree.fromstring(file)
    assert root[0].text == "a < b"
    assert root[-1][-1].text == 'x="var(--ink)"'  # words are not attributes
    assert "var(" not in file.replace("var(--ink)&quot;", "")


def test_every_colour_is_defined_for_light_and_dark():
    rules = tokens_css()
    assert all(f"--{name}: light-dark({light}, {dark});" in rules for name, (light, dark) in COLOURS.items())


@given(st.text())
def test_any_words_are_well_formed(words):
    assert ElementTree.fromstring(f"<a>{escape(words)}</a>") is not None
    assert ElementTree.fromstring(f'<a b="{escape(words)}"/>') is not None


@given(st.text(), st.floats(20, 200))
def test_clipped_words_fit(words, width):
    assert text_width(clip(words, width)) <= width
    assert "\n" not in clip(words, width)


def test_wide_scripts_take_more_room():
    assert text_width("漢字") > text_width("il") * 2
    assert text_width("a", 24) == pytest.approx(2 * text_width("a", 12))


def test_a_heading_is_wrapped_above_the_drawing():
    drawing = Svg(100, 50, "label", [text(0, 10, "inside")])
    plain, headed = (
        ElementTree.fromstring(drawing.file(heading)) for heading in ("", "many words that need two lines")
    )
    lines = [node.text for node in headed.iter("{http://www.w3.org/2000/svg}text")]
    assert " ".join(lines) == "many words that need two lines inside"
    assert float(headed.get("height")) == float(plain.get("height")) + 17 * (len(lines) - 1) + 8
