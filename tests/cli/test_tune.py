"""`rubricate tune` as a user runs it: a table, the best as a command that works, JSON, errors."""

from __future__ import annotations

import json
import shlex

import pytest
from typer.testing import CliRunner

from rubricate import cli
from rubricate.cli.tune import _candidates
from rubricate.errors import InvalidInput, RubricateError


def invoke(*arguments):
    return CliRunner().invoke(cli.build(), [str(one) for one in arguments])


@pytest.fixture
def data(tmp_path):
    words = {"grain": ["wheat", "corn", "harvest"], "fuel": ["oil", "gas", "barrel"]}
    rows = ["body,topic"]
    for i in range(60):
        name = ("grain", "fuel")[i % 2]
        noise = words[("fuel", "grain")[i % 2]][i % 3] if i % 4 == 0 else f"word{i % 7}"
        rows.append(f"{words[name][i % 3]} {words[name][(i + 1) % 3]} {noise},{name}")
    path = tmp_path / "my news.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


COLUMNS = ("--text", "body", "--labels", "topic")


@pytest.mark.slow
def test_the_best_is_printed_as_a_command_that_trains(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = invoke(
        "tune", data, *COLUMNS, "--grid", "k=3,9", "--grid", "select=chi2:4,null", "--classifier", "knn",
        "--store", tmp_path / "store",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    lines = result.stdout.strip().splitlines()
    assert lines[0].split() == ["k", "select", "micro_f1"]
    assert sum(line.endswith("best") for line in lines) == 1
    assert "4 of 4 combinations tried, by cross_validation" in lines
    command = shlex.split(lines[-1])
    assert command[:5] == ["rubricate", "train", str(data), "-o", "model.rubric"]
    assert invoke(*command[1:]).exit_code == 0
    assert (tmp_path / "model.rubric").is_file()


@pytest.mark.slow
def test_greedy_tries_the_sum_and_json_has_it_all(data, tmp_path):
    arguments = ("tune", data, *COLUMNS, "--grid", "C=0.1,1,10", "--grid", "cut=rcut:1,scut", "--greedy", "--json")
    first, again = (json.loads(invoke(*arguments, "--store", tmp_path).stdout) for _ in range(2))
    assert first == again
    assert len(first["tried"]) == 4
    assert first["combinations"] == 6
    assert set(first["best"]) == {"C", "cut"}
    assert first["value"] == max(one["micro_f1"] for one in first["tried"])
    assert first["command"].startswith("rubricate train ")


@pytest.mark.slow
def test_a_validation_part_and_another_criterion(data, tmp_path):
    result = invoke(
        "tune", data, *COLUMNS, "--grid", "C=0.1,1", "--by", "validation", "--share", "0.25", "--criterion",
        "macro_f1", "--store", tmp_path,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "by validation" in result.stdout


def test_candidates_read_as_json_where_they_can():
    assert _candidates(["C=0.1, 1", "analyzer__stem=porter,null"]) == {
        "C": [0.1, 1],
        "analyzer__stem": ["porter", None],
    }


@pytest.mark.parametrize("pair", ["C", "=1", "C=", "C= "])
def test_a_grid_that_is_none_is_refused(pair):
    with pytest.raises(InvalidInput, match="NAME=A,B"):
        _candidates([pair])


def test_a_parameter_given_twice_is_refused():
    with pytest.raises(InvalidInput, match="twice"):
        _candidates(["C=1", "C=2"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--grid", "kk=1,2"], "no parameter of the classifier named 'kk'"),
        (["--grid", "C=1", "--criterion", "micro_f"], "Did you mean 'micro_f1'"),
        (["--grid", "C=1", "--by", "xi"], "no way of judging named 'xi'"),
        (["--grid", "C=1", "--stop", "1"], "--stop goes with --greedy"),
        (["--grid", "classifier=svm,smv"], "Did you mean 'svm'"),
        (["--grid", "C=-1,1"], "C=-1"),
    ],
)
def test_errors_say_what_to_do(data, tmp_path, more, message):
    result = invoke("tune", data, *COLUMNS, "--store", tmp_path, *more)
    assert isinstance(result.exception, RubricateError)
    assert message in str(result.exception)
