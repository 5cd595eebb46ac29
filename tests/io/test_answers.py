"""One writer of answers: the command line and the service write the same rows for the same documents."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from rubricate.errors import InvalidInput
from rubricate.training.answer_files import AnswerFormat
from rubricate.training.answers import Answer, AnswerColumns
from rubricate.types import Evidence

WHEAT = Evidence("term", 0, 0.5564, name="wheat")
ANSWERS = AnswerColumns.of(
    [
        Answer(("grain",), 0.87654321, ("grain",), (("grain", 1.5), ("fuel", -np.inf)), {"grain": [WHEAT]}),
        Answer(None, 0.25, ("fuel",), (("fuel", 0.5),), {}),
        Answer((), 0.5, (), (), {}),
    ]
)
IDS = ["a", 'odd "id",\r', "c"]


def test_json_has_every_field_in_every_row():
    first, second, third = map(json.loads, AnswerFormat(as_json=True).rows(IDS, ANSWERS))
    assert first == {
        "id": "a",
        "labels": ["grain"],
        "confidence": 0.876543,
        "scores": {"grain": 1.5, "fuel": None},
        "evidence": [],
    }
    assert (second["id"], second["labels"], third["labels"], third["scores"]) == (IDS[1], None, [], {})


def test_json_is_what_the_json_module_writes():
    evidence = [{"evidence": [{"category": "é", "start": 0}]}, {"evidence": [], "reasons": [{}]}, {"evidence": []}]
    for row in AnswerFormat(as_json=True, explain=True).rows(IDS, ANSWERS, evidence):
        assert row == json.dumps(json.loads(row), ensure_ascii=False)


def test_an_unknown_confidence_is_null_in_json_and_an_error_where_csv_has_the_column():
    unknown = AnswerColumns.of([Answer(("grain",), None, ("grain",))])
    assert json.loads(AnswerFormat(as_json=True).rows(["a"], unknown)[0])["confidence"] is None
    assert AnswerFormat().rows(["a"], unknown) == ["a,grain"]
    with pytest.raises(InvalidInput, match="folds=5"):
        AnswerFormat(abstaining=True).rows(["a"], unknown)


@pytest.mark.parametrize("top", [False, True])
def test_csv_has_the_columns_of_its_header_and_quotes_both_line_ends(top):
    form = AnswerFormat(top=top, explain=True, abstaining=True)
    rows = form.rows(IDS, ANSWERS)
    assert '"odd ""id"",\r"' in rows[1]
    read = [row for text in rows if text for row in csv.reader(io.StringIO(text, newline=""))]
    assert {len(row) for row in read} == {len(form.header())}
    assert read[0][-1] == "grain: wheat +0.556"


def test_with_top_a_document_has_a_line_for_each_score_and_none_without():
    rows = AnswerFormat(top=True).rows(IDS, ANSWERS)
    assert rows[0] == "a,grain,1.5,1\na,fuel,-inf,0"
    assert rows[1].endswith(",fuel,0.5,0")  # withheld
    assert rows[2] == ""


def test_cells_that_a_spreadsheet_would_run_are_escaped_on_request():
    assert AnswerFormat(escape_formulas=True).rows(["=1+1"], AnswerColumns.of([Answer((), None, ())])) == ["'=1+1,"]
    assert AnswerFormat().rows(["=1+1"], AnswerColumns.of([Answer((), None, ())])) == ["=1+1,"]
