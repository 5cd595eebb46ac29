"""The drawer of charts: axes, signs, names that do not touch, places that tell their values, intervals, matrices."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reports.studies import HOSTILE

from rubricate.papers.figures import Figure, IntervalRow, Intervals, Matrix, MatrixCell, Series
from rubricate.reports.charts import NARROW, WIDE, Axis, draw, nearest, number, places
from rubricate.reports.page import chart

NAN = float("nan")
SPACE = "{http://www.w3.org/2000/svg}"
TWO = Figure(
    "f", "Two systems", "n", "F1", [Series("SVM", [1, 2, 4], [0.5, NAN, 0.8]), Series("kNN", [1, 3], [0.2, 0.4])]
)


def words(svg: str) -> list[str]:
    return ["".join(node.itertext()) for node in ElementTree.fromstring(svg).iter(f"{SPACE}text")]


@given(st.floats(-1e3, 1e3), st.floats(1e-2, 1e6), st.integers(2, 9))
def test_marks_are_round_and_on_the_axis(low, span, count):
    axis = Axis(low, low + span)
    marks = axis.ticks(count)
    assert 1 <= len(marks) <= 2.6 * count + 1
    assert all(low - span * 1e-3 <= mark <= low + span * 1.001 for mark in marks)
    rounded = Axis(0.0, span).rounded(count)
    assert rounded.high >= span * 0.999999
    assert rounded.ticks(count)[-1] == pytest.approx(rounded.high)


def test_logarithmic_marks():
    assert Axis(1, 40, log=True).ticks(5) == [1, 2, 5, 10, 20]
    assert Axis(1, 600, log=True).ticks(5) == pytest.approx([1, 3, 10, 30, 100, 300])
    assert Axis(1, 100, 0, 200, log=True)(10) == pytest.approx(100)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=14))
def test_names_at_the_ends_of_lines_do_not_touch(ends):
    figure = Figure(
        "f", "t", "x", "y", [Series(f"s{k}", [0, 1], [0, end]) for k, end in enumerate(ends)], y_limits=(0, 1)
    )
    root = ElementTree.fromstring(draw(figure, width=WIDE).file())
    names = [node for node in root.iter(f"{SPACE}text") if re.fullmatch(r"s\d+", node.text or "")]
    heights = sorted(float(node.get("y")) for node in names)
    assert len(names) == len(ends)
    assert all(b - a > 12 for a, b in itertools.pairwise(heights))
    assert heights[0] >= 0
    assert heights[-1] <= float(root.get("height"))


def test_a_place_tells_the_value_of_every_series():
    drawn = draw(TWO, width=WIDE, readable=True).inline()
    nodes = [node for node in ElementTree.fromstring(drawn).iter(f"{SPACE}g") if node.get("class") == "place"]
    titles = [node.find(f"{SPACE}title").text for node in nodes]
    assert titles == ["n 1\nSVM  0.5\nkNN  0.2", "n 3\nSVM  0.8\nkNN  0.4", "n 4\nSVM  0.8\nkNN  0.4"]
    assert list(places(TWO)) == [1, 3, 4]
    assert nearest(TWO.series[0], 2) == 0.5
    assert nearest(Series("none", [1], [NAN]), 1) != nearest(Series("none", [1], [NAN]), 1)
    narrow = draw(TWO, width=NARROW, readable=True).inline()
    assert narrow.count('class="place"') == 3


def test_notes_come_before_values():
    figure = Figure(
        "f",
        "t",
        "n",
        "F1",
        [Series("a", [1, 2], [0.1, 0.2], notes=["one", ""]), Series("b", [2], [0.3], notes=["two"])],
    )
    assert list(places(figure).values()) == ["one", "two"]


def test_a_page_has_the_numbers_the_legend_and_two_drawings():
    page = chart(TWO, caption="A & B")
    assert 'data-label="Two systems"' in page
    assert page.count('aria-pressed="true"') == 2
    assert page.count('tabindex="0"') == 3  # both drawings and the table
    assert "<summary>The numbers</summary>" in page
    assert "A &amp; B" in page
    assert 'class="wide"' in page
    assert 'class="narrow"' in page
    alone = chart(Figure("f", "t", "n", "F1", TWO.series[:1]))
    assert "aria-pressed" not in alone


@pytest.mark.parametrize("series", [[], [Series("none", [], [])], [Series("one", [5], [0.0])]])
@pytest.mark.parametrize("log", [False, True])
def test_empty_and_single_points_are_drawn(series, log):
    for kind in ("lines", "bars", "points"):
        ElementTree.fromstring(
            draw(Figure("f", "t", "x", "y", series, kind=kind, log_x=log, log_y=log and kind == "bars")).file()
        )


def test_bands_areas_and_a_single_mark():
    series = [Series("a", [1, 2], [0.4, 0.5], low=[0.3, 0.4], high=[0.5, 0.7], at=(1.5, 0.45))]
    drawn = draw(Figure("f", "t", "x", "y", series)).file()
    assert 'fill-opacity="0.13"' in drawn
    assert 'class="at"' in drawn
    sized = Figure("f", "t", "x", "y", [Series("a", [0, 1], [0, 1], sizes=[1, 100])], kind="points", diagonal=True)
    assert "stroke-dasharray" in draw(sized).file()


def test_ten_systems_and_missing_intervals():
    names = [f"s{k}" for k in range(10)]
    drawn = draw(Figure("f", "t", "n", "F1", [Series(name, [1, 10], [0.5, 0.5]) for name in names], log_x=True)).file()
    assert set(names) <= set(words(drawn))
    rows = [IntervalRow("a", [(0.5, None, None)]), IntervalRow("b", [(NAN, NAN, NAN)])]
    assert {"0.500", "–"} <= set(words(draw(Intervals("i", "t", ["F1"], rows)).file()))


def test_a_matrix_merges_squares_of_one_look_and_shows_its_numbers():
    cells = [MatrixCell(0, 1, 0.5, words="7"), MatrixCell(1, 0, 0.5, words="9"), MatrixCell(1, 1, 0.9, words="30")]
    drawn = draw(Matrix("m", "t", ["grain", "crude"], ["grain", "crude"], cells, sums=["of 7", "of 40"])).file()
    assert {"7", "9", "30", "of 40"} <= set(words(drawn))
    assert drawn.count("fill-opacity") == 2


def test_hostile_names_stay_words():
    for name in HOSTILE:
        figure = Figure("f", name, name, name, [Series(name, [1, 2], [1, 2], notes=[name, ""])] * 2)
        matrix = Matrix("m", name, [name], [name], [MatrixCell(0, 0, 0.5)])
        row = Intervals("i", name, [name], [IntervalRow(name, [(0.5, 0.4, 0.6)])])
        for one in (figure, matrix, row):
            for svg in (draw(one).file(), draw(one, width=NARROW, readable=True).inline()):
                tags = {node.tag for node in ElementTree.fromstring(svg).iter()}
                assert tags <= {f"{SPACE}{tag}" for tag in ("svg", "g", "path", "rect", "text", "title")}


def test_numbers_have_no_more_digits_than_needed():
    assert [number(value) for value in (0, 0.25, 1 / 3, 1234567, 98.765)] == [
        "0",
        "0.25",
        "0.333",
        "1,234,567",
        "98.77",
    ]
