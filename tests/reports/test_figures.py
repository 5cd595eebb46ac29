from __future__ import annotations

import json
import sys

import pytest

from rubricate.errors import MissingExtra, UnknownName
from rubricate.experiments.figure import Figure, Series
from rubricate.reports.figures import chart_of, write_figure

LINES = Figure("f4", "F", "documents", "F1", (Series("SVM", [1, 2], [0.1, float("nan")]), Series("kNN", [1], [0.3])))
BARS = Figure("f1", "F", "category", "documents", (Series("all", [1, 2], [9, 1]),), kind="bars", log_y=True)


def test_lines_are_told_apart_without_colour():
    chart = chart_of(LINES)
    assert len(chart["data"]["values"]) == 2
    dashes = chart["encoding"]["strokeDash"]["scale"]
    assert dashes["domain"] == ["SVM", "kNN"]
    assert dashes["range"][0] != dashes["range"][1]
    assert chart["encoding"]["shape"]["scale"]["range"] == ["circle", "square"]
    for colour in chart["encoding"]["color"]["scale"]["range"]:
        assert colour[1:3] == colour[3:5] == colour[5:7]


@pytest.mark.slow
@pytest.mark.parametrize("figure", [LINES, BARS], ids=lambda one: one.name)
def test_svg_png_and_json_are_written(figure, tmp_path):
    paths = write_figure(figure, tmp_path / "new", forms=("svg", "png", "json"))
    assert paths[0].read_text("utf-8").startswith("<svg")
    assert paths[1].read_bytes().startswith(b"\x89PNG")
    assert json.loads(paths[2].read_text("utf-8"))["title"] == "F"


def test_forms_and_extras_are_named(tmp_path, monkeypatch):
    with pytest.raises(UnknownName, match="pdf"):
        write_figure(BARS, tmp_path, forms=("pdf",))
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtra, match="report"):
        write_figure(BARS, tmp_path)


def test_a_logarithmic_axis_has_its_marks_where_the_points_are():
    figure = Figure("f", "t", "examples", "F1", [Series("a", [64, 194, 6451], [1.0, 2.0, 3.0])], log_x=True)
    axis = chart_of(figure)["encoding"]["x"]
    assert axis["scale"]["type"] == "log"
    assert axis["axis"]["values"] == [64, 194, 6451]
