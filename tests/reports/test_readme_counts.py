"""The counts of the README are those of the committed cells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rubricate.experiments.reproduction import papers, read_again
from rubricate.reports.reproductions import overview
from rubricate.reports.tables import render

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def committed():
    folder = ROOT / "docs" / "reproductions"
    return {paper: json.loads((folder / f"{paper}.json").read_text("utf-8")) for paper in papers()}


def test_the_readme_counts_what_the_committed_cells_say(committed):
    cells = {paper: read_again(paper, records) for paper, records in committed.items()}
    assert render(overview(cells), "markdown").strip() in (ROOT / "README.md").read_text("utf-8")


def test_committed_verdicts_follow_from_the_committed_figures_and_tolerances(committed):
    for paper, records in committed.items():
        kept = {(record["table"], record["row"], record["column"]): record["verdict"] for record in records}
        assert kept == {(cell.table, cell.row, cell.column): cell.verdict for cell in read_again(paper, records)}


def test_every_cell_that_is_off_has_a_reason(committed):
    reasons = [record["note"] for records in committed.values() for record in records if record["verdict"] == "off"]
    assert reasons
    assert all(note and note != "differs; no reason is on record" for note in reasons)
