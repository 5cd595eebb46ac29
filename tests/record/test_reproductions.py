"""The comparison of two folders of reproductions."""

from __future__ import annotations

import json

import pytest
from tests.record.reproductions import main


def cell(**values):
    place = {"table": "1", "row": "SVM", "column": "miF1", "note": ""}
    return place | {"published": 0.86, "ours": 0.863, "tolerance": 0.006, "agrees": True, "origin": "paper"} | values


def write(folder, cells):
    folder.mkdir()
    (folder / "paper.json").write_text(json.dumps(cells))
    return str(folder)


@pytest.mark.parametrize(
    "after, line",
    [
        (
            [cell(ours=0.8630000001), cell(table="times", ours=2.0)],
            "1, SVM, miF1: ours 0.863 became 0.8630000001",
        ),
        ([cell(agrees=False), cell(table="times", ours=2.0)], "agrees True became False"),
        ([cell()], "table times, SVM, miF1: only in"),
        ([cell(), cell(), cell(table="times", ours=2.0)], "table 1, SVM, miF1: only in"),
    ],
)
def test_what_differs_is_listed(tmp_path, capsys, after, line):
    old = write(tmp_path / "old", [cell(), cell(table="times", ours=1.0)])
    assert main(old, write(tmp_path / "new", after)) == 1
    (out,) = capsys.readouterr().out.splitlines()
    assert line in out


def test_times_and_notes_do_not_count(tmp_path, capsys):
    old = write(tmp_path / "old", [cell(), cell(table="times", ours=1.0)])
    assert main(old, write(tmp_path / "new", [cell(note="new words"), cell(table="times", ours=2.0)])) == 0
    assert capsys.readouterr().out == "all cells are the same\n"


def test_a_paper_that_is_gone_and_a_folder_without_any(tmp_path, capsys):
    old = write(tmp_path / "old", [cell()])
    (tmp_path / "empty").mkdir()
    assert main(old, str(tmp_path / "empty")) == 1
    assert "paper.json: only in" in capsys.readouterr().out
    assert main(str(tmp_path / "empty"), old) == 2
