"""`rubricate estimate` on a user's file."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from rubricate.cli import build
from rubricate.errors import InvalidInput, UnknownName

pytestmark = pytest.mark.slow

TEXTS = ("wheat and corn", "corn exports", "crude oil", "gas pipeline")
ROWS = list(zip(TEXTS, ("grain", "grain;trade", "fuel", "fuel"), strict=True)) * 6


@pytest.fixture
def news(tmp_path):
    path = tmp_path / "news.csv"
    path.write_text("id,text,labels\n" + "".join(f"d{i},{t},{names}\n" for i, (t, names) in enumerate(ROWS)))
    return str(path)


def _run(*arguments):
    return CliRunner().invoke(build(), ["estimate", *arguments], catch_exceptions=True)


def test_the_default_is_xi_alpha(news):
    result = _run(news, "--json")
    found = json.loads(result.stdout)
    assert found["method"] == "xi_alpha"
    assert set(found["per_category"]) == {"fuel", "grain", "trade"}
    assert found["facts"]["rho"] == 1.0


def test_options_of_the_method_and_of_the_classifier(news):
    result = _run(news, "--method", "xi-alpha", "--option", "rho=2", "--set", "C=0.5", "--json")
    assert json.loads(result.stdout)["facts"]["rho"] == 2
    assert "C=0.5" in json.loads(result.stdout)["signature"]


def test_leave_one_out_lists_suspects(news):
    result = _run(news, "--method", "leave-one-out", "--suspects", "2")
    assert result.exit_code == 0
    assert "leave_one_out from 24 documents" in result.stdout
    assert all(f"\n{fact}: " in result.stdout for fact in ("candidates", "settled", "solves", "steps", "short"))


def test_other_methods(news):
    for method, option in (("bootstrap", "samples=3"), ("cross-validation", "folds=3"), ("holdout", "share=0.25")):
        found = json.loads(_run(news, "--method", method, "--option", option, "--classifier", "nb", "--json").stdout)
        assert found["method"] == method.replace("-", "_")


def test_the_curve(news):
    result = _run(news, "--curve", "--category", "grain", "--ahead", "100", "--json")
    found = json.loads(result.stdout)["curves"]
    assert set(found) == {"micro", "grain"}
    assert found["micro"]["documents"] == 100
    assert "forecast" in _run(news, "--curve").stdout


def test_a_model_file(news, tmp_path):
    model = str(tmp_path / "m.rubric")
    made = CliRunner().invoke(build(), ["train", news, "-o", model, "--classifier", "svm", "--folds", "2"])
    assert made.exit_code == 0
    found = json.loads(_run(news, "--model", model, "--json").stdout)
    assert found["documents"] == 24


def test_what_is_wrong_is_said(news):
    assert isinstance(_run(news, "--method", "crossvalidation").exception, UnknownName)
    assert isinstance(_run(news, "--method", "xi-alpha", "--classifier", "nb").exception, InvalidInput)


@pytest.mark.parametrize(
    ("method", "option", "said"),
    [
        ("xi-alpha", "rho=x", "rho of xi_alpha must be a number, got 'x'"),
        ("bootstrap", "samples=2.5", "samples of bootstrap must be a whole number, got 2.5"),
        ("leave-one-out", "every=3", "every of leave_one_out must be true or false, got 3"),
        ("holdout", "share=true", "share of holdout must be a number, got True"),
    ],
)
def test_an_option_of_another_kind(news, method, option, said):
    result = _run(news, "--method", method, "--option", option)
    assert isinstance(result.exception, InvalidInput)
    assert said in str(result.exception)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--category", "grain"], "--category goes only with --curve; add --curve"),
        (["--ahead", "50"], "--ahead goes only with --curve; add --curve"),
        (["--curve", "--suspects", "2"], "--suspects does not go with --curve; leave one of them out"),
        (["--curve", "--method", "bootstrap"], "--method does not go with --curve; leave one of them out"),
    ],
)
def test_an_option_without_effect_is_refused(news, options, said):
    result = _run(news, *options)
    assert isinstance(result.exception, InvalidInput)
    assert said in str(result.exception)
