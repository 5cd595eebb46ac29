"""`rubricate corpus`: list, fetch and show, for people and as JSON, on a named corpus and on the user's own file."""

from __future__ import annotations

import io
import json
import sys

import pytest
from typer.testing import CliRunner

from rubricate import cli, registry
from rubricate.cli.output import guarded_terminal, progress
from rubricate.cli.summaries import description
from rubricate.errors import DigestMismatch, InvalidFile, UnknownName


def run(*arguments: str, code: int = 0):
    result = CliRunner().invoke(cli.build(), ["corpus", *arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def news(tmp_path):
    path = tmp_path / "news.csv"
    path.write_text(
        "text,labels,split\nwheat prices rose again today,grain;wheat,train\noil fell,crude,train\n"
        "Wheat prices rose again today,grain,test\nnobody knows,,test\n",
        encoding="utf-8",
    )
    return path


def test_list_names_every_corpus(monkeypatch, tmp_path):
    monkeypatch.setenv("RUBRICATE_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    rows = json.loads(run("list", "--json").stdout)
    assert [row["name"] for row in rows] == registry.names("corpora")
    assert {row["name"]: row["here"] for row in rows}["reuters21578"] is False
    text = run("list").stdout
    assert "not here" in text
    assert "synthetic" in text


@pytest.mark.slow
def test_show_the_users_own_file(news):
    found = json.loads(run("show", str(news), "--json").stdout)
    assert found["documents"] == {"train": 2, "test": 2}
    assert found["categories"] == 3
    assert found["labels_per_document"] == 1.0
    assert found["test"]["unlabelled"] == 1
    assert found["duplicates"]["near"] == {"train": 0, "test": 0, "across": 1}
    assert found["published"] is None


@pytest.mark.slow
def test_show_takes_options_of_the_reader(news):
    found = json.loads(run("show", str(news), "--json", "-o", "separator=|", "--no-duplicates").stdout)
    assert "grain;wheat" in [row["category"] for row in found["frequencies"]]
    assert found["duplicates"] is None
    run("show", str(news), "-o", "nonsense", code=2)
    run("show", str(news), "-o", "split=null", code=2)


def test_show_leaves_a_split_column_alone_when_told(news):
    found = json.loads(run("show", str(news), "--json", "--split", "", "-o", "test=0.5").stdout)
    assert (found["documents"], found["split"]) == ({"train": 2, "test": 2}, "random-0.5-seed-0")


@pytest.mark.slow
def test_show_for_people(news, monkeypatch):
    text = run("show", str(news)).stdout
    for line in (
        "2 train, 2 test",
        "0 train, 1 test",
        "categories by number of training documents",
        "1 of test in train",
    ):
        assert line in text
    assert "not looked for" in run("show", str(news), "--no-duplicates").stdout
    monkeypatch.setattr("rubricate.corpora.duplicates.MOST", 0)
    assert "near ones not counted" in run("show", str(news)).stdout
    assert json.loads(run("show", str(news), "--json").stdout)["duplicates"]["near"] is None


def test_show_of_nothing(tmp_path):
    (tmp_path / "none.csv").write_text("text,labels\n", encoding="utf-8")
    with pytest.raises(InvalidFile, match="no documents"):
        run("show", str(tmp_path / "none.csv"))


def test_show_of_documents_without_labels(tmp_path):
    (tmp_path / "plain.csv").write_text("text\nwheat\n", encoding="utf-8")
    found = json.loads(run("show", str(tmp_path / "plain.csv"), "--json", "-o", "labels=null").stdout)
    assert (found["categories"], found["labels_per_document"], found["histogram"]) == (0, 0, [])
    assert "categories           0" in description(found)


def test_show_the_synthetic_corpus_says_so():
    result = run("show", "newswire", "--no-duplicates")
    assert "synthetic" in result.stdout.splitlines()[0]


@pytest.mark.proof
def test_show_reuters(reuters_folder):
    found = json.loads(
        run("show", "reuters21578", "--split", "aptemod", "--json", "--folder", str(reuters_folder)).stdout
    )
    assert {key: found[key] for key in ("name", "split", "documents", "categories")} == {
        "name": "reuters21578",
        "split": "aptemod",
        "documents": {"train": 7770, "test": 3019},
        "categories": 90,
    }
    assert found["labels_per_document"] == pytest.approx(1.235, abs=5e-4)
    assert found["duplicates"]["exact"]["train"] == 76
    assert found["published"]["train"] == 7769
    text = run("show", "reuters21578", "--split", "v1", "--no-duplicates", "--folder", str(reuters_folder)).stdout
    assert "20,856 train, 722 test" in text
    assert "train 21,450, test 723, categories 182" in text
    assert "research purposes only" in text


@pytest.mark.slow
def test_unknown_names_are_answered():
    with pytest.raises(UnknownName, match="Did you mean"):
        run("show", "reuters2158")
    with pytest.raises(UnknownName, match="Did you mean"):
        run("fetch", "reuters2158")


def test_fetch_from_a_file(reuters_folder, tmp_path):
    archive = reuters_folder / "reuters21578.tar.gz"
    result = run("fetch", "reuters21578", "--from", str(archive), "--folder", str(tmp_path), "--json")
    assert json.loads(result.stdout)["files"] == [str(tmp_path / "reuters21578.tar.gz")]
    assert "research purposes only" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["reuters21578.tar.gz"]


def test_fetch_from_a_wrong_file_leaves_nothing(tmp_path):
    (tmp_path / "wrong.tar.gz").write_bytes(b"\x1f\x8bnot really")
    with pytest.raises((DigestMismatch, InvalidFile)):
        run("fetch", "reuters21578", "--from", str(tmp_path / "wrong.tar.gz"), "--folder", str(tmp_path / "cache"))
    assert not (tmp_path / "cache").exists() or not list((tmp_path / "cache").iterdir())


def test_fetch_of_one_file_of_several_takes_it_once_and_says_what_is_missing(tmp_path):
    (tmp_path / "mtrees2024.bin").write_bytes(b"Body Regions;A01\n")
    arguments = ("--split", "first20000", "--from", str(tmp_path / "mtrees2024.bin"), "--folder", str(tmp_path / "c"))
    result = run("fetch", "ohsumed", *arguments)
    assert [path.name for path in (tmp_path / "c").iterdir()] == ["mtrees.bin"]
    assert "still missing: ohsumed.tar.gz" in result.stderr


def test_fetch_of_what_is_generated():
    result = run("fetch", "newswire")
    assert "nothing to fetch" in result.stderr


def test_the_progress_bar_is_only_for_terminals(monkeypatch, capsys):
    with progress(in_bytes=True) as show:
        show(1, total=2, text="x")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress(in_bytes=True) as show:
        show(1, total=2, text="x.tar.gz")
        show(1)
    captured = capsys.readouterr()
    assert "x.tar.gz" in captured.err
    assert captured.out == ""


def test_the_bar_draws_on_a_guarded_terminal(monkeypatch):
    """Rich steers the terminal itself; what the program prints stays visible text."""
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    with guarded_terminal():
        with progress("work", 2) as show:
            show(1)
        sys.stderr.write("\x1b[2Jgrain")
    assert "\x1b[2K" in terminal.getvalue()
    assert terminal.getvalue().endswith(r"\x1b[2Jgrain")
    assert terminal.getvalue().count(r"\x1b") == 1
