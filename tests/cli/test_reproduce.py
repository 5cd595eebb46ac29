from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from rubricate.cli import build, main
from rubricate.papers import reproduction as module
from rubricate.papers.figures import Figure, Series
from rubricate.papers.reproduction import Results


def fake(found, tables, say):
    values = {
        ("1", "SVM", "miF1"): 0.8633,
        ("1", "SVM", "miR"): 0.7,
        ("1", "SVM, ours", "miF1"): 0.89,
        ("2", "SVM/kNN", "s-test"): ">",
    }
    wanted = {place: value for place, value in values.items() if place[0] in tables}
    return Results(wanted, {("1", "SVM"): "recovered"}, (Figure("figure1", "F", "x", "y", (Series("a", [1], [2]),)),))


fake.__module__ = "rubricate.papers.yang_liu_1999"  # the TOML of the paper is beside that module


@pytest.fixture
def run(monkeypatch):
    load = module.registry.load
    monkeypatch.setattr(module.registry, "load", lambda kind, name: fake if kind == module.KIND else load(kind, name))
    return lambda *arguments: CliRunner().invoke(build(), ["reproduce", *arguments])


def test_papers_are_listed(run):
    assert "yang-liu-1999" in run().output
    assert "yang-liu-1999" in json.loads(run("--json").output)


def test_json_is_a_list_of_cells(run):
    cells = json.loads(run("yang-liu-1999", "--json", "--table", "1").output)
    assert {cell["table"] for cell in cells} == {"1"}
    (svm,) = [cell for cell in cells if (cell["row"], cell["column"]) == ("SVM", "miF1")]
    assert (svm["published"], svm["ours"], svm["verdict"], svm["origin"]) == (0.8599, 0.8633, "same", "recovered")
    assert [cell["published"] for cell in cells if cell["row"] == "SVM, ours"] == [None]


@pytest.mark.slow
def test_text_markdown_and_csv(run):
    text = run("yang-liu-1999").output
    assert "SVM*" in text
    assert "What is off, and why" in text
    assert run("yang-liu-1999", "--markdown").output.startswith("# A re-examination")
    assert run("yang-liu-1999", "--csv").output.startswith("row,column,published,ours")
    assert "difference" in run("yang-liu-1999", "--details", "--table", "1").output


@pytest.mark.slow
def test_an_earlier_output_is_shown_again(run, tmp_path):
    earlier = tmp_path / "cells.json"
    earlier.write_text(run("yang-liu-1999", "--json").output, "utf-8")
    assert run("yang-liu-1999", "--from", str(earlier), "--json").output == earlier.read_text("utf-8")
    assert run("yang-liu-1999", "--from", str(earlier), "--table", "2").output.startswith("Table 2")
    for wrong, problem in (("[1]", "not cells of a reproduction"), ("{", "not JSON")):
        earlier.write_text(wrong, "utf-8")
        assert problem in str(run("yang-liu-1999", "--from", str(earlier)).exception)
    assert "existing file" in str(run("yang-liu-1999", "--from", str(tmp_path / "none")).exception)


@pytest.mark.slow
def test_figures_are_drawn(run, tmp_path):
    assert run("yang-liu-1999", "--table", "1", "--figures", str(tmp_path)).exit_code == 0
    assert {path.name for path in tmp_path.iterdir()} == {"figure1.svg", "figure1.png", "figure1.pdf"}


@pytest.mark.slow
def test_the_report_is_a_page_per_paper_and_an_index(run, tmp_path):
    shown = run("yang-liu-1999", "--table", "1", "--report", str(tmp_path)).output.strip()
    page = (tmp_path / "yang-liu-1999.html").read_text("utf-8")
    assert shown.endswith("yang-liu-1999.html")
    for part in (
        "What the paper asked",
        "Looked at before",
        "cell-off",
        "recovered: ",
        "the whole run",
        "data:image/svg",
    ):
        assert part in page
    cells = json.loads((tmp_path / "yang-liu-1999.json").read_text("utf-8"))
    assert {cell["verdict"] for cell in cells} == {"same", "off", "not counted"}
    index = (tmp_path / "index.html").read_text("utf-8")
    assert 'href="yang-liu-1999.html"' in index
    assert "joachims" not in index
    again = run("yang-liu-1999", "--from", str(tmp_path / "yang-liu-1999.json"), "--report", str(tmp_path), "--json")
    assert json.loads(again.output) == cells
    assert "the whole run" in (tmp_path / "yang-liu-1999.html").read_text("utf-8")


def test_a_missing_corpus_is_one_sentence_and_code_3(monkeypatch, tmp_path, capsys):
    for name in ("RUBRICATE_DATA", "HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr("sys.argv", ["rubricate", "reproduce", "yang-liu-1999", "--table", "2"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 3
    assert "rubricate corpus fetch reuters21578" in capsys.readouterr().err


def test_an_unknown_paper_is_code_2(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["rubricate", "reproduce", "yang-lui-1999"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert "yang-liu-1999" in capsys.readouterr().err
