"""`rubricate study` as a user runs it: tables, JSON, report; interrupted, killed, and twice at once."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rubricate import cli
from rubricate.experiments.store import Store
from rubricate.reports import report as report_module

pytestmark = pytest.mark.slow

SIGNALS = pytest.mark.skipif(sys.platform == "win32", reason="signals of this kind are not on Windows")

TEXTS = {"grain": "wheat corn harvest bushel", "fuel": "oil gas barrel crude", "money": "bank rate loan bond"}

PLAN = """
title = "Mine"
resamples = 50
tests = ["s", "p"]
[[corpora]]
name = "mine.csv"
test = 0.3
[[systems]]
name = "kNN"
classifier = "knn"
k = 5
[[systems]]
name = "NB"
classifier = "nb"
"""


def program(*arguments: object, **options) -> subprocess.Popen:
    command = [sys.executable, "-c", "from rubricate.cli import main; main()", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def run(*arguments: object, **options) -> tuple[int, str, str]:
    process = program(*arguments, **options)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


@pytest.fixture
def plan(tmp_path) -> Path:
    with (tmp_path / "mine.csv").open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["text", "labels"])
        for i in range(90):
            name = list(TEXTS)[i % 3]
            other = list(TEXTS)[(i + 1) % 3]
            words = TEXTS[name].split()[i % 4 :] + TEXTS[other].split()[: i % 2] + [f"word{i % 11}"]
            rows.writerow([" ".join(words), name if i % 5 else f"{name};{other}"])
    path = tmp_path / "plan.toml"
    path.write_text(PLAN, encoding="utf-8")
    return path


def test_table_tests_findings_and_the_path_of_the_report_last(plan, tmp_path):
    code, out, err = run("study", plan, "--store", tmp_path / "store", "--report", tmp_path / "report")
    assert code == 0, err
    lines = out.strip().splitlines()
    page = Path(lines[-1])
    assert page == tmp_path / "report" / "report.html"
    assert "kNN" in page.read_text(encoding="utf-8")
    assert any(line.split()[:6] == ["system", "miR", "miP", "miF1", "maF1", "error"] for line in lines)
    assert 1 <= sum(line.startswith("- ") for line in lines) <= 5
    assert "p-test" in out
    assert err == "", "nothing is said in a pipe"


def invoke(*arguments):
    """In this process, which is quicker where neither signals nor exit codes matter."""
    return CliRunner().invoke(cli.build(), [str(one) for one in arguments])


def test_json_is_whole_and_the_same_from_the_store(plan, tmp_path):
    arguments = ("study", plan, "--store", tmp_path / "store", "--json")
    first, again = (json.loads(invoke(*arguments).stdout) for _ in range(2))
    assert first == again
    (corpus,) = first["corpora"]
    assert [one["name"] for one in corpus["trials"]] == ["kNN", "NB"]
    assert corpus["documents"] == {"train": 63, "test": 27}
    assert first["store"] == str(tmp_path / "store")


def test_several_corpora_have_a_report_each(plan, tmp_path, monkeypatch):
    monkeypatch.setattr(report_module, "write_report", partial(report_module.write_report, figures=False))
    (tmp_path / "more.csv").write_bytes((tmp_path / "mine.csv").read_bytes())
    plan.write_text(PLAN + '\n[[corpora]]\nname = "more.csv"\ntest = 0.4\n', encoding="utf-8")
    result = invoke("study", plan, "--store", tmp_path / "store", "--report", tmp_path / "report")
    assert result.exit_code == 0, result.output
    assert result.stdout.strip().splitlines()[-1].endswith(str(Path("2-more") / "report.html"))
    assert (tmp_path / "report" / "1-mine" / "report.html").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["study", "fiv"], "Did you mean 'five'"),
        (["study", "five", "--engine", "thread"], "Did you mean 'threads'"),
    ],
)
def test_wrong_names_are_answered_before_any_work(arguments, message):
    result = invoke(*arguments)
    assert result.exception.exit_code == 2
    assert message in str(result.exception)
    assert result.stdout == ""


def test_a_wrong_plan_names_file_line_and_remedy(plan):
    plan.write_text(PLAN.replace("k = 5", "k = 5\nvote = 1"), encoding="utf-8")
    code, _, err = run("study", plan)
    assert code == 2
    assert "plan.toml, line 12" in err
    assert "Did you mean 'votes'" in err
    assert "Traceback" not in err


def test_a_damaged_entry_is_told_and_mended(plan, tmp_path):
    arguments = ("study", plan, "--store", tmp_path / "store")
    before = invoke(*arguments)
    victims = [*Store(tmp_path / "store").entries()]  # a second run reads only those that its results need
    for victim in victims:
        victim.write_bytes(victim.read_bytes()[:-10])
    after = invoke(*arguments)
    assert (after.exit_code, after.stdout) == (0, before.stdout)
    assert any(victim.name in after.stderr for victim in victims)
    assert "computed again" in after.stderr
    assert invoke(*arguments).stderr == ""


LONG = """
resamples = 0
tests = ["s"]
thresholds = ["rcut:1"]
[[corpora]]
name = "newswire"
documents = 900
""" + "".join(f'[[systems]]\nname = "s{k}"\nclassifier = "svm"\nC = {k}.5\n' for k in range(6))


def entries(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in Store(folder).entries()}


def started(plan: Path, folder: Path, least: int) -> subprocess.Popen:
    """A study that has put at least so many entries into the store, and has more to do."""
    process = program("study", plan, "--store", folder)
    end = time.monotonic() + 60
    while len(entries(folder)) < least:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)
    return process


@pytest.fixture
def long_plan(tmp_path) -> Path:
    path = tmp_path / "long.toml"
    path.write_text(LONG, encoding="utf-8")
    return path


@pytest.mark.proof
@SIGNALS
def test_ctrl_c_and_kill_lose_nothing_and_a_rerun_gives_what_two_undisturbed_runs_at_once_give(long_plan, tmp_path):
    folder = tmp_path / "store"
    process = started(long_plan, folder, 3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert "resumes from there" in err
    assert "Traceback" not in err
    kept = entries(folder)
    assert len(kept) < 36, "the study was over before it was interrupted"
    assert not list(folder.glob("??/.*.part"))

    process = started(long_plan, folder, len(kept) + 3)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    more = entries(folder)
    assert kept.items() <= more.items(), "what was there was not computed again"

    code, resumed, err = run("study", long_plan, "--store", folder)
    assert (code, err) == (0, "")
    assert more.items() <= entries(folder).items()
    other = tmp_path / "other"
    both = [program("study", long_plan, "--store", other) for _ in range(2)]  # two at once, on one store
    found = [process.communicate(timeout=120) for process in both]
    assert found == [(resumed, "")] * 2
    assert [process.returncode for process in both] == [0, 0]
    assert entries(folder).keys() == entries(other).keys()


@pytest.mark.proof
@SIGNALS
def test_on_a_terminal_there_is_progress_with_the_time_left(plan, tmp_path):
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", "from rubricate.cli import main; main()", "study", str(plan), "--store", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    process.communicate(timeout=60)
    os.close(theirs)
    shown = os.read(ours, 1 << 16).decode("utf-8", "replace")
    os.close(ours)
    assert process.returncode == 0
    assert "mine" in shown
    assert "/12" in shown
