"""The measures of the report of 2011, and where its proof slips."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from rubricate.papers.evaluation_2011 import MeasureStudy
from rubricate.papers.reproduction import load_reproduction, read_again
from rubricate.reports.reproductions import to_page
from rubricate.types import Counts

FOUND = load_reproduction("evaluation-2011")
FOLDER = Path(__file__).parents[2] / "docs" / "reproductions"


def test_a_category_against_the_second_case():
    """P = 8/10, R = 8/9: the mean is .844 and F_2 .870, though P < R; F_1 is .842 and F_.5 .816."""
    study = MeasureStudy(FOUND, lambda _: None)
    study.table = Counts(*(np.array([value]) for value in (8, 2, 1, 89)))
    rows = study.relation()
    assert [rows[f"β = {beta}, P < R", "against the paper"] for beta in ("0.5", "1", "2")] == [0, 0, 1]
    assert rows["β = 2, P > R", "categories"] == 0


def test_figure_1_is_the_contingency_table_of_a_category():
    study = MeasureStudy(FOUND, lambda _: None)
    study.table = Counts(*(np.array([value]) for value in (8, 2, 1, 89)))
    study.run = SimpleNamespace(categories=(FOUND.options["drawn"],))
    drawn = study.figure_1()
    assert "A: 9 relevant" in drawn.svg
    assert "B: 10 retrieved" in drawn.svg


def test_the_committed_page_is_that_of_the_committed_cells():
    cells = read_again(FOUND.paper, json.loads((FOLDER / f"{FOUND.paper}.json").read_text("utf-8")))
    figures = [f"{FOUND.paper}/{path.name}" for path in sorted((FOLDER / FOUND.paper).glob("*.svg"))]
    assert (FOLDER / f"{FOUND.paper}.md").read_text("utf-8").strip() == to_page(FOUND, cells, figures=figures).strip()
    values = {cell.row: cell.ours for cell in cells if cell.table == "measures"}
    assert values["micro-averaged E, |AΔB| / (|A| + |B|)"] == pytest.approx(values["1 − micro-averaged F1"])
