"""Figures as files: told apart without colour, in every form, without the extra as SVG."""

from __future__ import annotations

import json
import re
import sys
from xml.etree import ElementTree

import pytest

from rubricate.errors import MissingExtra, UnknownName
from rubricate.papers.figures import Drawing, Figure, Series
from rubricate.reports.charts import draw
from rubricate.reports.figures import write_figure

LINES = Figure("f4", "F", "documents", "F1", (Series("SVM", [1, 2], [0.1, float("nan")]), Series("kNN", [1], [0.3])))
BARS = Figure("f1", "F", "category", "documents", (Series("all", [1, 2], [9, 1]),), kind="bars", log_y=True)
SPACE = "{http://www.w3.org/2000/svg}"


def signs(svg: str) -> list[str]:
    """Return the outline of the first sign of each series, without its place."""
    root = ElementTree.fromstring(svg)
    groups = {part.get("data-series"): part for part in reversed(list(root.iter(f"{SPACE}g")))}
    paths = [groups[key].findall(f".//{SPACE}path") for key in sorted(key for key in groups if key is not None)]
    return [re.sub("^M[^m]*", "", own[-1].get("d", "")) for own in paths]


def test_lines_are_told_apart_without_colour():
    first, second = signs(draw(LINES).file())
    assert first != second
    many = [Series(name, list(range(30)), [0.5] * 30) for name in ("a", "b", "c", "d", "e", "f", "g", "h")]
    lines = re.findall('class="series"[^>]*', draw(Figure("f", "F", "x", "y", many)).file())
    dashes = [re.search('stroke-dasharray="([^"]*)"', line) for line in lines]
    assert len({found and found[1] for found in dashes}) == len(lines) == 8


@pytest.mark.slow
@pytest.mark.parametrize("figure", [LINES, BARS], ids=lambda one: one.name)
def test_svg_png_pdf_and_json_are_written(figure, tmp_path):
    paths = write_figure(figure, tmp_path / "new", forms=("svg", "png", "pdf", "json"))
    assert paths[0].read_text("utf-8").startswith("<svg")
    assert "var(" not in paths[0].read_text("utf-8")
    assert paths[1].read_bytes().startswith(b"\x89PNG")
    assert paths[2].read_bytes().startswith(b"%PDF")
    assert json.loads(paths[3].read_text("utf-8"))["title"] == "F"


def test_forms_and_extras_are_named(tmp_path, monkeypatch):
    with pytest.raises(UnknownName, match="eps"):
        write_figure(BARS, tmp_path, forms=("eps",))
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtra, match="report"):
        write_figure(BARS, tmp_path, forms=("svg", "png"))
    assert list(tmp_path.iterdir()) == []
    assert [path.name for path in write_figure(BARS, tmp_path)] == ["f1.svg"]
    drawing = Drawing("d", "D", draw(BARS).file())
    assert [path.name for path in write_figure(drawing, tmp_path)] == ["d.svg"]


def test_a_logarithmic_axis_has_its_marks_where_the_points_are():
    figure = Figure("f", "t", "examples", "F1", [Series("a", [64, 194, 6451], [1.0, 2.0, 3.0])], log_x=True)
    root = ElementTree.fromstring(draw(figure).file())
    marks = [node.text for node in root.find(f".//{SPACE}g[@data-box]")]
    assert marks == ["64", "194", "6,451"]
