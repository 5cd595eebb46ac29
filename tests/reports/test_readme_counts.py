"""The figures of the README and of the index of reproductions are those of committed results."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rubricate.papers.reproduction import papers, read_again

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def committed():
    folder = ROOT / "docs" / "reproductions"
    return {paper: json.loads((folder / f"{paper}.json").read_text("utf-8")) for paper in papers()}


def test_the_figures_of_readme_and_index_are_those_of_the_committed_results():
    done = subprocess.run([sys.executable, ROOT / "tools" / "counts.py", "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_readme_fits_a_screen():
    """What it is, two commands, a picture, ten lines, where to go."""
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    assert len(lines) < 80


def test_committed_verdicts_follow_from_the_committed_figures_and_tolerances(committed):
    for paper, records in committed.items():
        kept = {(record["table"], record["row"], record["column"]): record["verdict"] for record in records}
        assert kept == {(cell.table, cell.row, cell.column): cell.verdict for cell in read_again(paper, records)}


def test_every_cell_that_is_off_has_a_reason(committed):
    reasons = [record["note"] for records in committed.values() for record in records if record["verdict"] == "off"]
    assert reasons
    assert all(note and note != "differs; no reason is on record" for note in reasons)
