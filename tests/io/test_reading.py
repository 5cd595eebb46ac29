"""One list of options: the library's keywords and the command line's options are the fields of `Reading`."""

from __future__ import annotations

import inspect
import io
from dataclasses import fields
from types import SimpleNamespace

import pytest
import typer.main

import rubricate as rb
from rubricate import registry
from rubricate.cli import build
from rubricate.errors import InvalidInput, UnknownName
from rubricate.io import InputFile, Reader, Reading, Record, read_files, records
from rubricate.io.text_files import StandardInput
from rubricate.io.user_files import stream

NAMES = [field.name for field in fields(Reading)]


@pytest.mark.parametrize("function", [records, read_files])
def test_the_keywords_of_the_library_are_the_fields_with_their_defaults(function):
    parameters = inspect.signature(function).parameters
    assert {name: parameters[name].default for name in NAMES} == vars(Reading())


def _options(command: str) -> dict[str, typer.core.TyperOption]:
    group = typer.main.get_command(build())
    for part in command.split():
        group = group.commands[part]
    return {parameter.name: parameter for parameter in group.params}


@pytest.mark.parametrize("command", ["train", "tune", "estimate"])
def test_the_options_of_commands_are_the_fields_with_their_defaults_and_help(command):
    options = _options(command)
    hints = inspect.get_annotations(Reading, eval_str=True)
    for name in NAMES:
        assert options[name].opts == [f"--{name}"]
        assert options[name].default == getattr(Reading(), name)
        assert options[name].help == hints[name].__metadata__[0]


@pytest.mark.parametrize("command", ["classify", "rules run"])
def test_documents_without_labels_have_no_options_for_labels(command):
    options = _options(command)
    assert "labels" not in options
    assert {"text", "id", "title", "encoding", "format", "delimiter"} <= set(options)


def test_a_reading_can_be_passed_and_changed(tmp_path):
    path = tmp_path / "n.csv"
    path.write_text("name,body,labels\na,wheat,grain\n")
    reading = Reading(text="body", id="name")
    assert [record.id for record in records(path, reading)] == ["a"]
    assert [record.id for record in records(path, reading, id=None)] == ["1"]


def test_an_unknown_option_names_the_nearest(tmp_path):
    path = tmp_path / "n.csv"
    path.write_text("text,labels\nwheat,grain\n")
    with pytest.raises(UnknownName, match="'separator'"):
        rb.load(path, seperator="|")


def test_a_format_from_outside_is_read_by_its_suffix(tmp_path, monkeypatch):
    def shouted(file: InputFile):
        for number, line in enumerate(file.lines(), 1):
            yield Record(id=str(number), text=line.strip().lower(), labels=("loud",), line=number)

    point = SimpleNamespace(name="shout", load=lambda: Reader(shouted, suffixes=(".shout",)))
    monkeypatch.setattr(registry, "_entry_points", lambda kind: {"shout": point} if kind == "readers" else {})
    path = tmp_path / "n.shout"
    path.write_text("WHEAT\nCORN\n")
    corpus = rb.load(path)
    assert list(corpus.train.bodies) == ["wheat", "corn"]
    assert corpus.categories == ("loud",)


def _given(monkeypatch, raw: bytes) -> StandardInput:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(raw))))
    return StandardInput()


@pytest.mark.parametrize(
    "raw",
    [
        b"text,labels\nwheat,grain\n",
        b"text;labels\nwheat;grain\n",
        b'\xef\xbb\xbf \n{"text": "wheat", "labels": "grain"}\n',
    ],
)
def test_the_format_of_standard_input_is_seen_from_its_start(monkeypatch, raw):
    (record,) = stream(InputFile(_given(monkeypatch, raw)))
    assert (record.text, record.labels) == ("wheat", ("grain",))


@pytest.mark.parametrize("name", ["parquet", "folder"])
def test_a_format_that_needs_a_path_is_refused_on_standard_input(monkeypatch, name):
    with pytest.raises(InvalidInput, match=f"'{name}' cannot be read from standard input"):
        stream(InputFile(_given(monkeypatch, b""), Reading(format=name)))


def test_lines_are_documents_without_labels(tmp_path):
    path = tmp_path / "n.txt"
    path.write_text("wheat rose\r\n\ncorn\n", newline="")
    assert list(rb.load(path, format="lines").train.bodies) == ["wheat rose", "", "corn"]
