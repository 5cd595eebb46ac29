"""`rubricate card` writes a model card."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import rubricate as rb
from rubricate.cli import build


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("card") / "hostile <b>.rubric"
    texts = ["wheat corn harvest", "corn wheat farm", "oil crude barrel", "barrel oil pump"] * 6
    labels = ["grain|x", "grain|x", "<script>", "<script>"] * 6
    rb.Categorizer(rb.SVM()).fit(texts, labels).save(path)
    return path


def run(*arguments):
    return CliRunner().invoke(build(), [str(argument) for argument in ("card", *arguments)])


@pytest.mark.slow
def test_markdown(model):
    done = run(model)
    assert done.exit_code == 0, done.output
    assert "assigns exactly one category of 2" in done.stdout
    assert r"grain\|x" in done.stdout
    assert "barrel" in done.stdout
    assert "to be filled in" in done.stdout


@pytest.mark.slow
def test_page(model, tmp_path):
    page = tmp_path / "card.html"
    assert run(model, "-o", page).exit_code == 0
    text = page.read_text()
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert "http" not in text.replace("http-equiv", "")


def test_another_format_is_refused(tmp_path):
    done = run("none.rubric", "-o", tmp_path / "card.pdf")
    assert "ends in .md, .html or .htm" in str(done.exception)
