from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rubricate.measures.evaluation import evaluate
from rubricate.papers.reproduction import load_reproduction, read_again
from rubricate.papers.systems import SystemExecution
from rubricate.papers.yang_liu_1999 import TableStudy as Study
from rubricate.papers.yang_liu_1999 import _corpus_numbers, category_histogram
from rubricate.reports.reproductions import to_page

FOUND = load_reproduction("yang-liu-1999")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SVM", "kNN", "NB"])
def test_rows_of_table_1_are_within_their_tolerance(aptemod, name):
    """YL99, table 1."""
    table, row = FOUND.tables["1"], evaluate(SystemExecution(FOUND.systems[name], aptemod).run()).row()
    for column, published in table.rows[name].items():
        apart = row[column] - published
        allowed = table.tolerance(name, column)
        assert abs(apart) <= allowed or table.better(name, column) * apart > 0, (column, row[column])


def test_numbers_of_section_2(aptemod):
    study = Study(FOUND, lambda _: None)
    study.corpus = aptemod
    found = _corpus_numbers(study)
    assert found["training documents"] == 7770
    assert found["test documents"] == 3019
    assert found["training documents of the most common category"] == 2877
    assert round(found["share of categories with less than 100 training documents"], 2) == 0.82
    assert round(found["share of categories with less than 10 training documents"], 2) == 0.33


def test_figure_1_has_a_bar_for_each_category():
    drawn = category_histogram(np.array([3, 10, 1]))
    assert drawn.series[0].y == [10, 3, 1]
    assert drawn.kind == "bars"


def test_the_committed_page_is_that_of_the_committed_cells():
    folder = Path(__file__).parents[2] / "docs" / "reproductions"
    cells = read_again("yang-liu-1999", json.loads((folder / "yang-liu-1999.json").read_text("utf-8")))
    figures = [f"yang-liu-1999/{path.name}" for path in sorted((folder / "yang-liu-1999").glob("*.svg"))]
    assert (folder / "yang-liu-1999.md").read_text("utf-8").strip() == to_page(FOUND, cells, figures=figures).strip()
    assert not [cell for cell in cells if cell.note.startswith("differs; no reason")]
    ours = {(cell.row, cell.column): cell.ours for cell in cells if cell.table == "1"}
    assert ours["stack, ours", "miF1"] > ours["SVM, ours", "miF1"] > ours["SVM", "miF1"]
