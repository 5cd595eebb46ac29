"""Tables: every rendering of the same values, missing cells, and cells that mean something to the format."""

import csv
import io
import json
import math

import numpy as np
import pytest

from rubricate.errors import InvalidInput, UnknownName
from rubricate.reports.tables import FORMATS, Table, render

TABLE = Table(
    ("category", "n", "F1"),
    [("earn", 1087, 0.98765), ("a|b_c & 100%", 3, math.nan), ("=1+1", 12, None)],
    title="Per category",
    notes=["0/0 counts as zero"],
    signature="corpus:x",
)


def test_text_aligns_names_left_and_numbers_right():
    assert TABLE.to_text().splitlines() == [
        "Per category",
        "",
        "category         n     F1",
        "-------------------------",
        "earn          1087  .9877",
        "a|b_c & 100%     3      –",
        "=1+1            12      –",
        "",
        "0/0 counts as zero",
        "corpus:x",
    ]
    assert str(TABLE) == TABLE.to_text()


def test_wide_and_combining_characters_keep_the_columns_straight():
    lines = Table(("name", "x"), [("小麦", 1), ("bl\u0065\u0301", 2)]).to_text().splitlines()
    assert lines[2:] == ["小麦  1", "ble\u0301   2"]


def test_markdown_escapes_pipes():
    text = TABLE.to_markdown()
    assert "| a\\|b_c & 100% | 3 | – |" in text
    assert "| --- | ---: | ---: |" in text
    assert text.startswith("**Per category**\n\n| category | n | F1 |")


def test_markdown_notes_are_no_quotations():
    text = Table(("a",), [("<<",), (">",)], notes=(">> means P <= .01",), signature="x:1|y:2").to_markdown()
    assert text.splitlines()[-3:] == ["&gt;&gt; means P &lt;= .01", "", "x:1|y:2"]
    assert "| &lt;&lt; |\n| &gt; |" in text


def test_latex_uses_booktabs_and_escapes():
    text = Table(("a", "b"), [("x_1 & 50% {~} \\", 0.5), (">>", 1.0)]).to_latex()
    assert r"\begin{tabular}{lr}" in text
    assert r"x\_1 \& 50\% \{\ensuremath{\sim}\} \textbackslash{} & .5000 \\" in text
    assert r"\ensuremath{\gg} & 1.0000 \\" in text
    assert (
        r"\footnotesize P \ensuremath{\le} .05 \ensuremath{<} P"
        in Table(("a",), [(1,)], notes=("P <= .05 < P",)).to_latex()
    )
    for rule in (r"\toprule", r"\midrule", r"\bottomrule", r"\end{table}"):
        assert rule in text
    assert r"x:1\textbar{}y:2" in Table(("a",), [(1,)], signature="x:1|y:2").to_latex()
    assert r"\caption" not in text
    assert r"\caption{Per category}" in TABLE.to_latex()


def test_csv_keeps_all_digits_and_disarms_formulas():
    rows = list(csv.reader(io.StringIO(TABLE.to_csv())))
    assert rows[1] == ["earn", "1087", "0.98765"]
    assert rows[2][2] == ""
    assert rows[3][0] == "'=1+1"


def test_json_keeps_all_digits_and_has_no_nan():
    read = json.loads(TABLE.to_json())
    assert read["rows"][0] == {"category": "earn", "n": 1087, "F1": 0.98765}
    assert read["rows"][1]["F1"] is None
    assert read["signature"] == "corpus:x"


def test_numpy_numbers_are_numbers():
    table = Table(("i", "x"), [(np.int64(3), np.float64(0.25)), (np.int32(4), np.float64("inf"))])
    assert table.to_text().splitlines()[2:] == ["3  .2500", "4    inf"]
    assert json.loads(table.to_json())["rows"] == [{"i": 3, "x": 0.25}, {"i": 4, "x": None}]


@pytest.mark.parametrize(
    "value, shown",
    [(0.0, ".0000"), (1.0, "1.0000"), (-0.5, "-.5000"), (0.00001, "1.0e-05"), (12.5, "12.5000"), (True, "True")],
)
def test_numbers_as_the_papers_print_them(value, shown):
    assert Table(("x",), [(value,)]).to_text().splitlines()[-1].strip() == shown


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_every_format_takes_an_empty_table(form):
    assert isinstance(render(Table(("a", "b"), []), form), str)


def test_errors_name_the_row_and_the_nearest_format():
    with pytest.raises(InvalidInput, match="row 2 has 1 cells for 2 columns"):
        Table(("a", "b"), [(1, 2), (1,)])
    with pytest.raises(UnknownName, match="Did you mean 'latex'"):
        render(TABLE, "latx")
