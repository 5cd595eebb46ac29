"""`rubricate check`: one table of all problems, and the exit code."""

from __future__ import annotations

import csv
import io
import json

import pytest

FILES = {
    "truth.csv": "document,labels\nd1,earn\nd2,acq\n",
    "good.csv": "document,labels\nd1,earn\nd2,\n",
    "bad.csv": "document,labels\nd1,Earn\nd9,acq\n",
}


@pytest.fixture
def rubricate(rubricate, tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)

    return rubricate


def test_no_problem_is_code_0(rubricate):
    assert rubricate("check", "truth.csv", "good.csv") == (0, "no problem in 2 files\n", "")


def test_problems_are_code_2_and_one_table(rubricate):
    code, out, _ = rubricate("check", "truth.csv", "good.csv", "bad.csv", "absent.csv")
    assert code == 2
    assert out.splitlines()[0].split() == ["file", "line", "problem", "fix"]
    assert "absent.csv" in out
    assert "3 problems in 2 files" in out


def test_json_and_csv_have_every_problem(rubricate):
    code, out, _ = rubricate("check", "truth.csv", "bad.csv", "--json")
    listed = json.loads(out)
    assert code == 2
    assert {"file", "line", "problem", "fix"} <= set(listed[0])
    rows = list(csv.DictReader(io.StringIO(rubricate("check", "truth.csv", "bad.csv", "--csv")[1])))
    assert [row["problem"] for row in rows] == [each["problem"] for each in listed]


def test_policies_are_those_of_evaluate(rubricate):
    assert rubricate("check", "truth.csv", "bad.csv", "--missing", "wrong", "--unknown", "wrong")[0] == 0


def test_evaluate_says_all_problems_at_once(rubricate):
    code, out, talk = rubricate("evaluate", "truth.csv", "bad.csv", "absent.csv")
    assert (code, out) == (2, "")
    assert "3 problems in the files" in talk
    assert "absent.csv: no such file" in talk
    assert "'Earn' is near 'earn'" in talk


def test_deprecated_options_are_aliases(rubricate):
    new = rubricate("evaluate", "truth.csv", "bad.csv", "--missing", "drop", "--unknown", "wrong")
    old = rubricate("evaluate", "truth.csv", "bad.csv", "--intersection", "--new-categories")
    assert old[:2] == new[:2]
    assert "use --missing drop" in old[2]
    assert "use --unknown wrong" in old[2]
