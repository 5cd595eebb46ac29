"""`--vectors model:FOLDER` on the command line."""

from __future__ import annotations

import csv
import json

import pytest
from tests.text.encoders.tiny import write_encoder
from typer.testing import CliRunner

from rubricate.cli import build

pytestmark = pytest.mark.slow

TEXTS = ["wheat exports", "corn rose", "gold ship", "ship of gold", "wheat corn", "gold gold"] * 3
LABELS = ["grain", "grain", "metal", "metal", "grain", "metal"] * 3


def _run(*arguments):
    return CliRunner().invoke(build(), [str(each) for each in arguments])


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("RUBRICATE_STORE", str(tmp_path / "store"))
    monkeypatch.delenv("RUBRICATE_ENCODER", raising=False)
    with (tmp_path / "data.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([("text", "labels"), *zip(TEXTS, LABELS, strict=True)])
    write_encoder(tmp_path / "tiny")
    return tmp_path


def test_an_encoder_is_considered_and_the_summary_says_so(data):
    model = data / "m.rubric"
    options = ("--vectors", f"model:{data / 'tiny'}", "--representation", "hybrid", "--folds", 2)
    done = _run("train", data / "data.csv", "-o", model, *options, "--json")
    assert done.exit_code == 0, done.output
    summary = json.loads(done.stdout)
    assert summary["representation"]["chosen"].startswith("hybrid of ")
    assert "vectors tiny" in summary["signature"]
    done = _run("classify", model, "--say", "gold")
    assert done.exit_code == 0
    assert "metal" in done.stdout


def test_mistakes_are_one_sentence(data):
    done = _run("train", data / "data.csv", "-o", data / "m.rubric", "--vectors", "model:")
    assert "names no encoder" in str(done.exception)
    done = _run("train", data / "data.csv", "-o", data / "m.rubric", "--vectors", "model:nowhere")
    assert "rubricate models fetch" in str(done.exception)
    _run("train", data / "data.csv", "-o", data / "m.rubric", "--folds", 2)
    done = _run("classify", data / "m.rubric", data / "data.csv", "--vectors", "model:tiny")
    assert "names its encoder itself" in str(done.exception)
