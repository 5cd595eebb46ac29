from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubricate.errors import InvalidInput
from rubricate.papers.reproduction import Cell, make_cell, tally, to_json


def cell(published, ours, **more):
    return make_cell("p", "1", row="SVM", column="miF1", published=published, ours=ours, **more)


@pytest.mark.parametrize(
    ("published", "ours", "more", "verdict", "agrees"),
    [
        (0.86, 0.866, {"tolerance": 0.006}, "same", True),
        (0.86, 0.8661, {"tolerance": 0.006}, "off", False),
        (0.86, 0.866, {"tolerance": 0.006, "better": 1}, "same", True),
        (0.86, 0.90, {"tolerance": 0.006, "better": 1}, "better", True),
        (0.86, 0.80, {"tolerance": 0.006, "better": 1}, "off", False),
        (0.004, 0.001, {"better": -1}, "better", True),
        (0.004, 0.005, {"better": -1}, "off", False),
        (7769, 7770, {}, "off", False),
        (7769, 7770, {"tolerance": 1.0}, "same", True),
        (">>", ">>", {}, "same", True),
        (">>", ">", {}, "off", False),
        (None, 0.9, {}, "not counted", None),
        (0.9, None, {}, "not counted", None),
        (0.9, float("nan"), {}, "not counted", None),
        (0.9, 0.9, {"counted": False}, "not counted", True),
        (0.9, 0.5, {"counted": False}, "not counted", False),
    ],
)
def test_the_verdict_of_a_cell(published, ours, more, verdict, agrees):
    judged = cell(published, ours, **more)
    assert (judged.verdict, judged.agrees) == (verdict, agrees)


def test_a_disagreement_needs_a_reason():
    with pytest.raises(InvalidInput, match="no note"):
        Cell("p", "1", "SVM", "miF1", 0.8, 0.9, None, False, verdict="off")
    assert cell(0.8, 0.9).note == "differs; no reason is on record"
    assert cell(0.8, 0.9, note="another corpus").note == "another corpus"


def test_verdicts_are_counted_apart_and_uncounted_cells_not_at_all():
    cells = [cell(1, 1), cell(1, 2), cell(1, 2, better=1), cell(None, 1), cell(1, None), cell(1, 1, counted=False)]
    counted = tally(cells)
    assert (counted.same, counted.better, counted.off, counted.counted) == (1, 1, 1, 3)


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 1))
def test_agreement_is_symmetric_without_better(a, b, tolerance):
    assert cell(a, b, tolerance=tolerance).agrees == cell(b, a, tolerance=tolerance).agrees


def test_json_has_the_fields_that_every_paper_shares():
    (one,) = json.loads(json.dumps(to_json([cell(0.5, None)])))
    assert list(one) == [
        "paper",
        "table",
        "row",
        "column",
        "published",
        "ours",
        "tolerance",
        "agrees",
        "note",
        "origin",
        "verdict",
    ]
    assert one["ours"] is None
